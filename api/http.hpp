#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/engine/awaitable.hpp"

// A request and an answer as the API sees them. The server turns sockets and Beast messages into these and back.

namespace pystream::api {

enum class method : std::uint8_t { get, head, post, put, patch, del, options, other };

// False for the safe methods (RFC 9110, 9.2.1), after which nothing has changed whatever went wrong.
constexpr bool may_change(method verb) noexcept
{
    return verb != method::get && verb != method::head && verb != method::options;
}

struct route;

struct header {
    std::string name;
    std::string value;
};

struct request {
    method verb = method::get;
    std::string target;              // origin form as received, still percent-encoded: /api/topics/t?x=y
    std::vector<header> headers;     // in order; names as received
    std::string body;                // complete, within MAX_BODY_BYTES
    std::string request_id;          // X-Request-Id of the request if it is acceptable, else made by the server
    const route* matched = nullptr;  // set by service::admit(): what method and path lead to; null: nothing
    // The first header of that name (case-insensitive), trimmed. nullopt: absent; an empty value is a value.
    std::optional<std::string_view> find(std::string_view name) const noexcept;
};

struct response {
    unsigned status = 200;
    std::vector<header> headers;  // without Content-Length, Connection, Date, X-Request-Id: those are the server's
    std::string body;
    std::string_view static_body;  // used instead of `body` when not empty; lives as long as the program
    bool close = false;            // close the connection after this answer
    // HEAD: the handler answers as for GET; the server sends the length and drops the body.
};

// An answer with Content-Type: application/json.
response json_response(std::string body, unsigned status = 200);

// What is known of a request before its body is read.
struct admission {
    // The request must be answered however loaded the server is (health, metrics): it passes the budgets of connections and
    // bytes in flight.
    bool exempt_from_load = false;
    // How large a body a request of this kind may have, 0: none. Refused by Content-Length before reading.
    std::size_t body_bytes_max = 0;
};

// Everything below HTTP framing: routing, decoding, the engine, encoding, errors. Called on the loop thread; never throws.
class service {
public:
    virtual ~service() = default;
    // Looks only at method and target.
    virtual admission admit(request& incoming) const = 0;
    // For a request that was admitted and whose body is complete.
    virtual engine::awaitable<response> handle(request incoming) = 0;
};

// What the server counts, for /metrics and the status page.
struct server_counters {
    std::uint64_t connections_open = 0;
    std::uint64_t connections_accepted = 0;
    std::uint64_t connections_refused = 0;
    std::uint64_t requests = 0;
    std::uint64_t requests_in_flight = 0;
    std::uint64_t bytes_in_flight = 0;
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_sent = 0;
    std::uint64_t responses_by_class[6] = {};  // [2] = 2xx ...
    std::uint64_t timeouts = 0;
    std::uint64_t protocol_errors = 0;
    std::uint64_t loop_lag_max_us = 0;  // over the last ten seconds
    std::uint64_t uptime_seconds = 0;
    // Cumulative histogram of request duration: requests that took at most bound i.
    static constexpr double duration_bounds_seconds[] = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5};
    std::uint64_t durations[12] = {};
    double duration_seconds_total = 0;
};

class counters_source {
public:
    virtual ~counters_source() = default;
    virtual server_counters server() const = 0;
};

}  // namespace pystream::api
