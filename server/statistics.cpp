#include "server/statistics.hpp"

#include <algorithm>
#include <iterator>

namespace pystream::server {
namespace {

constexpr std::chrono::seconds lag_window{10};

}  // namespace

api::server_counters statistics::server() const
{
    using namespace std::chrono;
    api::server_counters out = values;
    out.bytes_in_flight = budget_.used();
    out.uptime_seconds = static_cast<std::uint64_t>(duration_cast<seconds>(clock_.monotonic() - started_).count());
    const auto lag = std::max(lag_max_, lag_max_previous_);
    out.loop_lag_max_us = static_cast<std::uint64_t>(duration_cast<microseconds>(lag).count());
    return out;
}

void statistics::count_answer(unsigned status, std::chrono::nanoseconds took) noexcept
{
    const unsigned status_class = status / 100;
    if (status_class < std::size(values.responses_by_class)) ++values.responses_by_class[status_class];
    const double seconds = std::chrono::duration<double>(took).count();
    values.duration_seconds_total += seconds;
    const auto& bounds = api::server_counters::duration_bounds_seconds;
    for (std::size_t i = std::size(bounds); i-- > 0 && seconds <= bounds[i];) ++values.durations[i];
    ++values.durations[std::size(bounds)];  // +Inf
}

void statistics::count_lag(std::chrono::nanoseconds lag) noexcept
{
    const auto now = clock_.monotonic();
    if (now - lag_window_start_ >= lag_window) {
        lag_max_previous_ = now - lag_window_start_ >= 2 * lag_window ? std::chrono::nanoseconds{} : lag_max_;
        lag_max_ = {};
        lag_window_start_ = now;
    }
    lag_max_ = std::max(lag_max_, lag);
}

}  // namespace pystream::server
