#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/http.hpp"
#include "core/base/error.hpp"

// Errors as application/problem+json (RFC 9457). One table says for every code its status, title, whether to retry and
// whether the outcome is known; the OpenAPI document lists the same codes and a test holds them equal.

namespace pystream::api {

// Codes that arise above the engine. The engine's own are base::errc.
enum class http_errc : std::uint8_t {
    bad_request,                 // 400 framing, request line, percent-encoding, query syntax
    origin_not_allowed,          // 403 a page of another site tries to write
    not_found,                   // 404 no such route
    method_not_allowed,          // 405 (+ Allow)
    not_acceptable,              // 406
    request_timeout,             // 408
    body_too_large,              // 413
    uri_too_long,                // 414
    unsupported_media_type,      // 415
    expectation_failed,          // 417
    headers_too_large,           // 431
    too_many_connections,        // 503 + Retry-After
    server_busy,                 // 503 + Retry-After: bytes-in-flight budget used up
    http_version_not_supported,  // 505
};

struct problem_kind {
    std::string_view code;
    unsigned status;
    std::string_view title;
    bool retryable;
};
// All codes of both enums, in the order of the OpenAPI document.
std::span<const problem_kind> problem_kinds() noexcept;

response make_problem(http_errc code, std::string_view detail, std::string_view request_id);
// With the detail and facts of an error of the engine, whose code does not count.
response make_problem(http_errc code, const base::error& facts, std::string_view request_id);
// All facts of the error that are set; never its `internal`. Retryable answers with 429 or 503 carry Retry-After: 1.
// `more` is a list of further JSON members without the enclosing braces (`"topic":{...}`), or empty.
response make_problem(const base::error& error, std::string_view request_id, std::string_view more = {});

// The status that goes with a code of the engine.
unsigned status_of(base::errc code) noexcept;

}  // namespace pystream::api
