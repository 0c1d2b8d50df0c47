#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/clock.hpp"
#include "core/base/logger.hpp"
#include "core/base/random.hpp"
#include "core/engine/engine.hpp"
#include "core/io/file_system.hpp"

namespace pystream::tests {

// Time that stands still until a test moves the wall clock; the monotonic clock is the real one.
class settable_clock final : public base::clock {
public:
    std::int64_t wall_ns() const noexcept override { return wall_; }
    monotonic_time monotonic() const noexcept override { return std::chrono::steady_clock::now(); }
    void set_wall_ns(std::int64_t ns) noexcept { wall_ = ns; }

private:
    std::int64_t wall_ = 1'764'400'000'000'000'000;
};

// An engine with its loop, driven from the test's thread.
class engine_fixture {
public:
    engine_fixture(io::file_system& files, engine::engine_options options)
        : engine_(std::make_unique<engine::engine>(loop_.get_executor(), files, clock_, random_, logger_, std::move(options)))
    {
    }

    // Runs one call of the engine to its end.
    template <class T>
    T run(engine::awaitable<T> call)
    {
        auto outcome = start(std::move(call));
        loop_.restart();
        while (!outcome->done) loop_.run_one();
        if (outcome->failure) std::rethrow_exception(outcome->failure);
        if constexpr (!std::is_void_v<T>) return std::move(*outcome->value);
    }

    // Starts a call; step() or run() of another one moves it on.
    template <class T>
    struct outcome {
        bool done = false;
        std::exception_ptr failure;
        std::optional<T> value;
    };
    template <>
    struct outcome<void> {
        bool done = false;
        std::exception_ptr failure;
    };
    template <class T>
    std::shared_ptr<outcome<T>> start(engine::awaitable<T> call)
    {
        auto state = std::make_shared<outcome<T>>();
        if constexpr (std::is_void_v<T>) {
            boost::asio::co_spawn(loop_, std::move(call), [state](std::exception_ptr failure) {
                state->failure = failure;
                state->done = true;
            });
        } else {
            boost::asio::co_spawn(loop_, std::move(call), [state](std::exception_ptr failure, T value) {
                state->failure = failure;
                state->value.emplace(std::move(value));
                state->done = true;
            });
        }
        return state;
    }
    void step()
    {
        loop_.restart();
        loop_.poll();
    }

    engine::engine& engine() noexcept { return *engine_; }
    settable_clock& clock() noexcept { return clock_; }

private:
    boost::asio::io_context loop_;
    settable_clock clock_;
    base::system_random random_;
    base::null_logger logger_;
    std::unique_ptr<engine::engine> engine_;
};

// A set of records with text values: {"k", "v"}, no key where it is empty.
inline storage::record_set records_of(std::initializer_list<std::pair<std::string_view, std::string_view>> pairs)
{
    storage::record_set records;
    for (const auto& [key, value] : pairs) {
        storage::record_view record;
        if (!key.empty()) record.key = key;
        record.value = value;
        record.kind = storage::value_kind::text;
        records.add(record);
    }
    return records;
}

}  // namespace pystream::tests
