#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/http.hpp"

namespace pystream::server {

// IMF-fixdate (RFC 9110, 5.6.7): "Sun, 06 Nov 1994 08:49:37 GMT".
std::string http_date(std::int64_t unix_seconds);

// What the server adds to an answer.
struct response_framing {
    std::string_view date;
    std::string_view request_id;
    bool close = false;     // this is the last answer on the connection
    bool http_1_0 = false;  // keeping the connection must be said
};

// Whether an answer with this status carries content at all (RFC 9110, 6.4.1).
constexpr bool status_has_body(unsigned status) noexcept
{
    return status >= 200 && status != 204 && status != 304;
}

// Appends status line and fields, the empty line included. Content-Length is that of the answer's body, also for HEAD. Fields
// of the answer that could break the framing (CR, LF, NUL, names that are no token) are left out.
void append_response_head(std::string& out, const api::response& answer, const response_framing& framing);

inline std::string_view body_of(const api::response& answer) noexcept
{
    return answer.static_body.empty() ? std::string_view{answer.body} : answer.static_body;
}

}  // namespace pystream::server
