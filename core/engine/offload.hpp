#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prepend.hpp>

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/engine/awaitable.hpp"
namespace pystream::engine {

// Runs `work` (a plain function on what it owns) on `workers` and resumes the caller on its own executor with the
// result. Exceptions come back to the caller. Work that was started is never cancelled.
template <class Function>
awaitable<std::invoke_result_t<Function>> run_on(boost::asio::any_io_executor workers, Function work)
{
    using value = std::invoke_result_t<Function>;
    using outcome = std::pair<std::exception_ptr, std::optional<value>>;
    auto initiate = [](auto handler, boost::asio::any_io_executor pool, Function function) {
        auto home = boost::asio::get_associated_executor(handler);
        boost::asio::post(pool, [home, handler = std::move(handler), function = std::move(function)]() mutable {
            outcome done;
            try {
                done.second.emplace(function());
            } catch (...) {
                done.first = std::current_exception();
            }
            boost::asio::post(home, boost::asio::prepend(std::move(handler), std::move(done)));
        });
    };
    outcome done = co_await boost::asio::async_initiate<const use_awaitable_t, void(outcome)>(
        initiate, use_awaitable, std::move(workers), std::move(work));
    if (done.first) std::rethrow_exception(done.first);
    co_return std::move(*done.second);
}

}  // namespace pystream::engine
