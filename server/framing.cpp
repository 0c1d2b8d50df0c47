#include "server/framing.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "server/http_text.hpp"

namespace pystream::server {
namespace {

using api::http_errc;

constexpr std::size_t request_id_bytes_max = 128;
constexpr std::size_t length_digits_max = 18;  // always fits; longer numbers are over any limit

constexpr byte_set host_bytes{"-._~%!$&'()*+,;="};  // unreserved, percent and sub-delims of RFC 3986

refusal bad(std::string_view detail)
{
    return {http_errc::bad_request, detail};
}

// uri-host [ ":" port ] (RFC 9110, 7.2), without user information.
bool is_authority(std::string_view text) noexcept
{
    if (text.empty()) return false;
    std::size_t host_end = 0;
    if (text.front() == '[') {
        host_end = text.find(']');
        if (host_end == std::string_view::npos || host_end < 3) return false;
        if (text.substr(1, host_end - 1).find_first_not_of("0123456789abcdefABCDEF:.") != std::string_view::npos) return false;
        ++host_end;
    } else {
        while (host_end < text.size() && host_bytes.has(text[host_end])) ++host_end;
        if (host_end == 0) return false;
    }
    if (host_end == text.size()) return true;
    const std::string_view port = text.substr(host_end + 1);
    return text[host_end] == ':' && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string_view::npos;
}

// Absolute form to origin form: a server must accept it (RFC 9112, 3.2.2).
std::optional<refusal> strip_authority(std::string_view target, std::string& out)
{
    const std::size_t scheme = target.find("://");
    const bool known = scheme != std::string_view::npos && (equals_ignoring_case(target.substr(0, scheme), "http") ||
                                                            equals_ignoring_case(target.substr(0, scheme), "https"));
    if (!known) return bad("The request target must be a path that starts with /.");
    const std::string_view rest = target.substr(scheme + 3);
    const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
    if (!is_authority(rest.substr(0, end))) return bad("The authority in the request target is not valid.");
    out = rest.substr(end);
    if (out.empty() || out.front() == '?') out.insert(0, 1, '/');
    return std::nullopt;
}

}  // namespace

std::optional<refusal> read_target(std::string_view target, api::request& request)
{
    if (!is_visible(target) || target.find('#') != std::string_view::npos)
        return bad("The request target has a character that must be percent-encoded.");
    if (target.empty()) return bad("The request target is empty.");
    const bool whole_server = target == "*" && request.verb == api::method::options;
    if (target.front() != '/' && !whole_server) return strip_authority(target, request.target);
    request.target = target;
    return std::nullopt;
}

void framing::see_version(bool http_1_0) noexcept
{
    facts_.http_1_0 = http_1_0;
    facts_.keep_alive = !http_1_0;
}

std::optional<refusal> framing::see_field(std::string_view name, std::string_view value, api::request& request)
{
    switch (name.size()) {  // most fields are told apart by their length alone
    case 4: return equals_ignoring_case(name, "host") ? see_host(value) : std::nullopt;
    case 6: return equals_ignoring_case(name, "expect") ? see_expect(value) : std::nullopt;
    case 10: return equals_ignoring_case(name, "connection") ? see_connection(value) : std::nullopt;
    case 12:
        if (equals_ignoring_case(name, "x-request-id") && request.request_id.empty() && value.size() <= request_id_bytes_max &&
            is_visible(value))
            request.request_id = value;
        return std::nullopt;
    case 14: return equals_ignoring_case(name, "content-length") ? see_length(value) : std::nullopt;
    case 17: return equals_ignoring_case(name, "transfer-encoding") ? see_coding(value) : std::nullopt;
    default: return std::nullopt;
    }
}

std::optional<refusal> framing::see_host(std::string_view value)
{
    if (host_) return bad("There must be one Host field.");
    host_ = true;
    if (!is_authority(value)) return bad("The Host field is not valid.");
    return std::nullopt;
}

std::optional<refusal> framing::see_length(std::string_view value)
{
    if (length_) return bad("There must be at most one Content-Length field.");
    length_ = true;
    if (value.empty() || value.find_first_not_of("0123456789") != std::string_view::npos)
        return bad("Content-Length must be digits only.");
    if (value.size() > length_digits_max) return refusal{http_errc::body_too_large, {}};
    std::from_chars(value.data(), value.data() + value.size(), facts_.content_length);
    return std::nullopt;
}

std::optional<refusal> framing::see_coding(std::string_view value)
{
    if (facts_.chunked) return bad("There must be at most one Transfer-Encoding field.");
    if (!equals_ignoring_case(value, "chunked")) return bad("The only Transfer-Encoding here is: chunked.");
    facts_.chunked = true;
    return std::nullopt;
}

std::optional<refusal> framing::see_expect(std::string_view value)
{
    if (!equals_ignoring_case(value, "100-continue"))
        return refusal{http_errc::expectation_failed, "The only Expect here is: 100-continue."};
    facts_.expect_continue = true;
    return std::nullopt;
}

std::optional<refusal> framing::see_connection(std::string_view value)
{
    while (!value.empty()) {
        const std::size_t comma = std::min(value.find(','), value.size());
        const std::string_view option = trim(value.substr(0, comma));
        if (!option.empty() && !is_token(option)) return bad("The Connection field must be a list of tokens.");
        if (equals_ignoring_case(option, "close")) close_ = true;
        if (equals_ignoring_case(option, "keep-alive")) facts_.keep_alive = true;
        value.remove_prefix(std::min(comma + 1, value.size()));
    }
    if (close_) facts_.keep_alive = false;
    return std::nullopt;
}

std::optional<refusal> framing::finish() const
{
    if (!host_ && !facts_.http_1_0) return bad("HTTP/1.1 needs a Host field.");
    if (facts_.chunked && length_) return bad("Content-Length and Transfer-Encoding exclude each other.");
    if (facts_.chunked && facts_.http_1_0) return bad("HTTP/1.0 has no Transfer-Encoding.");
    return std::nullopt;
}

}  // namespace pystream::server
