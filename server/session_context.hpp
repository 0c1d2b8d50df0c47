#pragma once

#include <boost/intrusive/list.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/http.hpp"
#include "core/base/clock.hpp"
#include "core/base/logger.hpp"
#include "server/byte_budget.hpp"
#include "server/head_scanner.hpp"
#include "server/statistics.hpp"

namespace pystream::server {

struct session_options {
    head_limits head{};
    std::size_t connections_max = 1024;
    std::size_t connections_reserve = 32;  // beyond the maximum: only requests that are exempt from load are served there
    std::chrono::milliseconds idle_timeout{75'000};   // between requests
    std::chrono::milliseconds head_timeout{10'000};   // from the first byte of a request (or the connection) to its last field
    std::chrono::milliseconds body_timeout{30'000};   // from the last field to the end of the body,
    std::chrono::milliseconds write_timeout{30'000};  // from the first to the last byte of an answer,
    std::size_t transfer_bytes_per_second_min = 16 * 1024;  // and a second more for every so many bytes that have moved
    std::chrono::milliseconds linger_timeout{5'000};        // after the last answer, for the client to read it and close
    std::chrono::milliseconds reserve_timeout{2'000};       // instead of head_timeout on connections beyond the maximum
    std::chrono::milliseconds watch_interval{1'000};  // between looks whether the client of a waiting request is still there
    std::size_t answer_bytes_spared = 64 * 1024;      // larger answers to GET become 503 when the byte budget is used up
};

// A connection as the deadline sweep and the drain see it.
class session_handle : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    base::clock::monotonic_time deadline = base::clock::monotonic_time::max();
    virtual void expire() noexcept = 0;       // the deadline has passed
    virtual void begin_drain() noexcept = 0;  // no further request will be served

protected:
    ~session_handle() = default;
};

// What all sessions share. Loop thread only; outlives every session.
class session_context {
public:
    session_context(api::service& service_used, const base::clock& clock_used, base::logger& logger_used,
                    byte_budget& budget_used, statistics& statistics_used, session_options options_used,
                    std::uint32_t request_id_seed);

    api::service& service;
    const base::clock& clock;
    base::logger& logger;
    byte_budget& budget;
    statistics& stats;
    const session_options options;

    boost::intrusive::list<session_handle, boost::intrusive::constant_time_size<false>> sessions;
    bool draining = false;  // every answer is the last of its connection
    bool stopping = false;  // connections end where they are

    // The monotonic time of the last sweep: precise enough for deadlines, free to read.
    base::clock::monotonic_time coarse_now() const noexcept { return coarse_now_; }
    // Ends what is overdue. Called by the heartbeat.
    void sweep(base::clock::monotonic_time now) noexcept;
    // Idle connections close; the others after the answer they are at.
    void begin_drain() noexcept;
    // All connections are cut.
    void stop() noexcept;

    std::string_view date();        // now, as a Date field; made once a second
    std::string next_request_id();  // unique in this process, unlikely to repeat in another; 15 characters

private:
    base::clock::monotonic_time coarse_now_;
    std::int64_t date_second_ = -1;
    std::string date_;
    std::uint32_t request_id_prefix_;
    std::uint32_t request_id_ = 0;
};

}  // namespace pystream::server
