#include "server/heartbeat.hpp"

#include <boost/asio/as_tuple.hpp>

#include <utility>

namespace pystream::server {
namespace {

// A turn of the loop that takes long delays the next beat: the finer the beat, the surer it is seen. Idle, nothing can.
constexpr std::chrono::milliseconds busy_interval{10};
constexpr std::chrono::milliseconds idle_interval{250};
constexpr std::chrono::milliseconds sweep_interval{250};

}  // namespace

engine::awaitable<void> heartbeat::run()
{
    bool busy = true;
    while (!stopped_) {
        const auto due = context_.clock.monotonic() + (busy ? busy_interval : idle_interval);
        timer_.expires_at(due);
        co_await timer_.async_wait(boost::asio::as_tuple(engine::use_awaitable));
        if (stopped_) co_return;
        beat(due);
        busy = std::exchange(requests_seen_, context_.stats.values.requests) != context_.stats.values.requests;
    }
}

void heartbeat::beat(base::clock::monotonic_time due)
{
    const auto now = context_.clock.monotonic();
    if (now > due) context_.stats.count_lag(now - due);
    if (now - swept_ < sweep_interval) return;
    swept_ = now;
    context_.sweep(now);
}

void heartbeat::stop()
{
    stopped_ = true;
    timer_.cancel();
}

}  // namespace pystream::server
