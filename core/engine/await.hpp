#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prepend.hpp>

#include <functional>
#include <memory>
#include <utility>

#include "core/engine/awaitable.hpp"
namespace pystream::engine {

// Turns a callback call of core/cluster into an await: `start` is given the callback to pass on, and the value that it is
// called with (once, on any thread) is the result. The caller resumes on its own executor, never from inside the callback.
template <class T, class Start>
awaitable<T> await_callback(Start start)
{
    auto initiate = [](auto handler, Start begin) {
        auto home = boost::asio::get_associated_executor(handler);
        auto held = std::make_shared<decltype(handler)>(std::move(handler));
        begin([home, held](T value) {
            boost::asio::post(home, boost::asio::prepend(std::move(*held), std::make_shared<T>(std::move(value))));
        });
    };
    auto value = co_await boost::asio::async_initiate<const use_awaitable_t, void(std::shared_ptr<T>)>(initiate, use_awaitable,
                                                                                                       std::move(start));
    co_return std::move(*value);
}

}  // namespace pystream::engine
