#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/engine/engine.hpp"
#include "tests/sim/queued_threads.hpp"
#include "tests/support/simulated_file_system.hpp"

namespace pystream::sim {

class seeded_random final : public base::random_source {
public:
    explicit seeded_random(std::uint64_t seed) : random_(seed) {}
    void fill(std::span<unsigned char> bytes) override
    {
        for (unsigned char& each : bytes) each = static_cast<unsigned char>(random_());
    }

private:
    std::mt19937_64 random_;
};

// Wall time moves by itself, forth and sometimes back. The monotonic clock is the machine's; nothing that the seed decides depends on it.
class wandering_clock final : public base::clock {
public:
    explicit wandering_clock(std::uint64_t seed) : random_(seed) {}
    std::int64_t wall_ns() const noexcept override
    {
        now_ += static_cast<std::int64_t>(random_() % 2'000'000'000) - 200'000'000;
        return now_;
    }
    monotonic_time monotonic() const noexcept override { return std::chrono::steady_clock::now(); }

private:
    mutable std::mt19937_64 random_;
    mutable std::int64_t now_ = 1'764'400'000'000'000'000;
};

// The answer to a call of the engine, when it is there.
template <class T>
struct call_of {
    std::optional<T> value;
    bool failed = false;  // by an exception
};
template <>
struct call_of<void> {
    bool done = false;
    bool failed = false;
};

// One life of the whole engine over a simulated disk, all of it on this thread. Destroying it is the end of the process.
class machine {
public:
    machine(tests::simulated_file_system& files, std::uint64_t seed)
        : jobs_(seed),
          random_(seed ^ 0x9e3779b97f4a7c15U),
          clock_(seed),
          engine_(loop_.get_executor(), files, clock_, random_, logger_, options())
    {
    }
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;
    ~machine() { jobs_.clear(); }

    engine::engine& engine() noexcept { return engine_; }

    template <class T>
    std::shared_ptr<call_of<T>> begin(engine::awaitable<T> call)
    {
        auto state = std::make_shared<call_of<T>>();
        boost::asio::co_spawn(loop_, std::move(call), [state](std::exception_ptr failure, T value) {
            state->failed = failure != nullptr;
            state->value.emplace(std::move(value));
        });
        return state;
    }
    std::shared_ptr<call_of<void>> begin(engine::awaitable<void> call)
    {
        auto state = std::make_shared<call_of<void>>();
        boost::asio::co_spawn(loop_, std::move(call), [state](std::exception_ptr failure) {
            state->failed = failure != nullptr;
            state->done = true;
        });
        return state;
    }
    template <class T>
    T run(engine::awaitable<T> call)
    {
        const auto state = begin(std::move(call));
        while (!state->value) step();
        if (state->failed) throw std::runtime_error("a call of the engine ended with an exception");
        return std::move(*state->value);
    }
    void stop()
    {
        const auto state = begin(engine_.stop());
        while (!state->done) step();
    }

    // Everything that is ready on the loop, then one job. False: there is neither.
    bool step_if_ready()
    {
        loop_.restart();
        const bool ran = loop_.poll() > 0;
        if (jobs_.empty()) return ran;
        jobs_.run_one();
        return true;
    }
    void settle()
    {
        while (step_if_ready()) {
        }
    }

private:
    engine::engine_options options()
    {
        engine::engine_options made;
        made.data_dir = "/data";
        made.write_timeout = made.upkeep_interval = made.checkpoint_after_quiet = std::chrono::hours{24};
        made.tail_cache_bytes = 16 << 10;          // so that fetches are hot and cold
        made.topic_defaults.segment_bytes = 1200;  // so that logs roll
        made.make_threads = [this](std::size_t) { return std::make_unique<queued_threads>(jobs_); };
        return made;
    }
    void step()
    {
        if (step_if_ready()) return;
        loop_.restart();
        loop_.run_one();  // only a timer is left
    }

    job_queue jobs_;
    boost::asio::io_context loop_;
    seeded_random random_;
    wandering_clock clock_;
    base::null_logger logger_;
    engine::engine engine_;
};

}  // namespace pystream::sim
