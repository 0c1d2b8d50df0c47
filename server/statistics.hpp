#pragma once

#include <array>
#include <chrono>

#include "api/http.hpp"
#include "core/base/clock.hpp"
#include "server/byte_budget.hpp"

namespace pystream::server {

// What the server counts. Loop thread only. The parts of the server write `values`; bytes_in_flight, uptime and the loop
// lag are filled in when the API asks.
class statistics final : public api::counters_source {
public:
    statistics(const base::clock& clock, const byte_budget& budget) noexcept
        : clock_(clock), budget_(budget), started_(clock.monotonic()), lag_window_start_(started_)
    {
    }

    api::server_counters server() const override;

    void count_answer(unsigned status, std::chrono::nanoseconds took) noexcept;
    void count_lag(std::chrono::nanoseconds lag) noexcept;

    api::server_counters values;

private:
    const base::clock& clock_;
    const byte_budget& budget_;
    base::clock::monotonic_time started_;
    base::clock::monotonic_time lag_window_start_;
    std::chrono::nanoseconds lag_max_{};           // since lag_window_start_
    std::chrono::nanoseconds lag_max_previous_{};  // in the window before
};

}  // namespace pystream::server
