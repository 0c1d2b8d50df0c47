#include "server/session_context.hpp"

#include <utility>

#include "server/response_head.hpp"

namespace pystream::server {
namespace {

void write_hex(char* to, std::uint32_t value, int digits) noexcept
{
    for (int i = digits; i-- > 0; value >>= 4) to[i] = "0123456789abcdef"[value & 0xf];
}

}  // namespace

session_context::session_context(api::service& service_used, const base::clock& clock_used, base::logger& logger_used,
                                 byte_budget& budget_used, statistics& statistics_used, session_options options_used,
                                 std::uint32_t request_id_seed)
    : service(service_used),
      clock(clock_used),
      logger(logger_used),
      budget(budget_used),
      stats(statistics_used),
      options(options_used),
      coarse_now_(clock_used.monotonic()),
      request_id_prefix_(request_id_seed)
{
}

void session_context::sweep(base::clock::monotonic_time now) noexcept
{
    coarse_now_ = now;
    for (session_handle& session : sessions)
        if (session.deadline < now) session.expire();
}

void session_context::begin_drain() noexcept
{
    draining = true;
    for (session_handle& session : sessions) session.begin_drain();
}

void session_context::stop() noexcept
{
    draining = stopping = true;
    for (session_handle& session : sessions) session.expire();
}

std::string_view session_context::date()
{
    const std::int64_t second = clock.wall_ns() / 1'000'000'000;
    if (std::exchange(date_second_, second) != second) date_ = http_date(second);
    return date_;
}

std::string session_context::next_request_id()
{
    char text[15];  // fits into a std::string without an allocation
    write_hex(text, request_id_prefix_, 6);
    text[6] = '-';
    write_hex(text + 7, ++request_id_, 8);
    return {text, sizeof text};
}

}  // namespace pystream::server
