#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/http.hpp"
#include "api/problem.hpp"

// The head of an HTTP/1 request: request line and fields (RFC 9112). Strict on purpose: whatever two parsers in a row
// could read differently is refused, and the connection closes. Pure functions, no socket.

namespace pystream::server {

// Why a request is refused before any handler sees it.
struct refusal {
    api::http_errc code = api::http_errc::bad_request;
    std::string_view detail;  // lives as long as the program
};

struct head_limits {
    std::size_t head_bytes_max = 16 * 1024;  // request line and all fields
    std::size_t line_bytes_max = 8 * 1024;   // the request line, or one field
    std::size_t fields_max = 100;
};

// What the fields say about the rest of the message.
struct head_facts {
    std::uint64_t content_length = 0;
    bool chunked = false;
    bool expect_continue = false;
    bool keep_alive = true;
    bool http_1_0 = false;
    bool has_body() const noexcept { return chunked || content_length > 0; }
};

// Finds the end of a head in bytes that arrive piece by piece; looks at every byte once.
class head_scanner {
public:
    explicit head_scanner(const head_limits& limits) noexcept : limits_(&limits) {}
    // `bytes`: everything received since the start of the request, each time at least as much as before. The length of
    // the head, its empty line included; nullopt: not complete yet, or refused.
    std::optional<std::size_t> scan(std::string_view bytes, std::optional<refusal>& refused) noexcept;
    void reset() noexcept { *this = head_scanner{*limits_}; }

private:
    std::optional<refusal> check_length(std::size_t line_bytes, std::size_t head_bytes) const noexcept;

    const head_limits* limits_;
    std::size_t scanned_ = 0;
    std::size_t line_start_ = 0;
    bool request_line_seen_ = false;
};

// Fills verb, target, headers and, when the client sent an acceptable one, request_id. `head` is what the scanner found.
std::optional<refusal> parse_head(std::string_view head, const head_limits& limits, api::request& request, head_facts& facts);

}  // namespace pystream::server
