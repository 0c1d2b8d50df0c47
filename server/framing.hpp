#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/http.hpp"
#include "server/head_scanner.hpp"

// The rules of RFC 9112 that decide where a message ends and what becomes of its connection. Strict on purpose: whatever two parsers
// in a row could read differently is refused, and the connection closes. Pure, no socket.

namespace pystream::server {

// What the fields say about the rest of the message.
struct head_facts {
    std::uint64_t content_length = 0;
    bool chunked = false;
    bool expect_continue = false;
    bool keep_alive = true;
    bool http_1_0 = false;
    bool has_body() const noexcept { return chunked || content_length > 0; }
};

// Sees the head of one request field by field.
class framing {
public:
    void see_version(bool http_1_0) noexcept;
    std::optional<refusal> see_field(std::string_view name, std::string_view value, api::request& request);
    // After the last field.
    std::optional<refusal> finish() const;
    const head_facts& facts() const noexcept { return facts_; }

private:
    std::optional<refusal> see_host(std::string_view value);
    std::optional<refusal> see_length(std::string_view value);
    std::optional<refusal> see_coding(std::string_view value);
    std::optional<refusal> see_expect(std::string_view value);
    std::optional<refusal> see_connection(std::string_view value);

    head_facts facts_;
    bool host_ = false;
    bool length_ = false;
    bool close_ = false;
};

// The target of the request line as a path with a query: origin form as it is, absolute form without its authority.
std::optional<refusal> read_target(std::string_view target, api::request& request);

}  // namespace pystream::server
