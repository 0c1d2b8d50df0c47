#include "server/request_head.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
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

api::method method_from(std::string_view name) noexcept
{
    using api::method;
    if (name == "GET") return method::get;
    if (name == "POST") return method::post;
    if (name == "HEAD") return method::head;
    if (name == "PUT") return method::put;
    if (name == "PATCH") return method::patch;
    if (name == "DELETE") return method::del;
    if (name == "OPTIONS") return method::options;
    return method::other;
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

std::optional<refusal> parse_target(std::string_view target, api::request& request)
{
    if (!is_visible(target) || target.find('#') != std::string_view::npos)
        return bad("The request target has a character that must be percent-encoded.");
    if (target.empty()) return bad("The request target is empty.");
    const bool whole_server = target == "*" && request.verb == api::method::options;
    if (target.front() != '/' && !whole_server) return strip_authority(target, request.target);
    request.target = target;
    return std::nullopt;
}

std::optional<refusal> parse_version(std::string_view version, head_facts& facts)
{
    if (version == "HTTP/1.1") return std::nullopt;
    if (version == "HTTP/1.0") {
        facts.http_1_0 = true;
        facts.keep_alive = false;
        return std::nullopt;
    }
    const bool well_formed = version.size() == 8 && version.starts_with("HTTP/") && is_digit(version[5]) && version[6] == '.' &&
                             is_digit(version[7]);
    if (!well_formed) return bad("The request line must be: method, space, target, space, HTTP/1.1.");
    return refusal{http_errc::http_version_not_supported, "This server speaks HTTP/1.0 and HTTP/1.1."};
}

std::optional<refusal> parse_request_line(std::string_view line, api::request& request, head_facts& facts)
{
    const std::size_t first = line.find(' ');
    const std::size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
    if (second == std::string_view::npos) return bad("The request line must be: method, space, target, space, HTTP/1.1.");
    if (!is_token(line.substr(0, first))) return bad("The method is not a token.");
    request.verb = method_from(line.substr(0, first));
    if (auto refused = parse_version(line.substr(second + 1), facts)) return refused;
    return parse_target(line.substr(first + 1, second - first - 1), request);
}

// The fields that decide where the message ends and what becomes of the connection.
class framing {
public:
    explicit framing(head_facts& facts) : facts_(facts) {}
    std::optional<refusal> see(std::string_view name, std::string_view value, api::request& request);
    std::optional<refusal> finish() const;

private:
    std::optional<refusal> see_host(std::string_view value);
    std::optional<refusal> see_length(std::string_view value);
    std::optional<refusal> see_coding(std::string_view value);
    std::optional<refusal> see_expect(std::string_view value);
    std::optional<refusal> see_connection(std::string_view value);

    head_facts& facts_;
    bool host_ = false;
    bool length_ = false;
    bool close_ = false;
};

std::optional<refusal> framing::see(std::string_view name, std::string_view value, api::request& request)
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
    if (value.size() > length_digits_max) return refusal{http_errc::body_too_large, "The body is too large."};
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

std::optional<refusal> parse_field(std::string_view line, framing& frame, api::request& request)
{
    if (line.front() == ' ' || line.front() == '\t') return bad("Header fields must not be folded over lines.");
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return bad("A header field has no colon.");
    const std::string_view name = line.substr(0, colon);
    if (!is_token(name)) return bad("A header field name is not a token (no space may stand before the colon).");
    const std::string_view value = trim(line.substr(colon + 1));
    if (!is_field_value(value)) return bad("A header field value has a control character.");
    if (auto refused = frame.see(name, value, request)) return refused;
    request.headers.push_back({std::string{name}, std::string{value}});
    return std::nullopt;
}

}  // namespace

std::optional<refusal> head_scanner::check_length(std::size_t line_bytes, std::size_t head_bytes) const noexcept
{
    if (line_bytes > limits_->line_bytes_max && !request_line_seen_)
        return refusal{http_errc::uri_too_long, "The request line is too long."};
    if (line_bytes > limits_->line_bytes_max || head_bytes > limits_->head_bytes_max)
        return refusal{http_errc::headers_too_large, "The header fields are too large."};
    return std::nullopt;
}

std::optional<std::size_t> head_scanner::scan(std::string_view bytes, std::optional<refusal>& refused) noexcept
{
    while (scanned_ < bytes.size()) {
        const void* found = std::memchr(bytes.data() + scanned_, '\n', bytes.size() - scanned_);
        if (found == nullptr) break;
        const auto feed = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
        if (feed == 0 || bytes[feed - 1] != '\r') {
            refused = bad("Lines must end with CR LF.");
            return std::nullopt;
        }
        const std::size_t line_bytes = feed - 1 - line_start_;
        if ((refused = check_length(line_bytes, feed + 1))) return std::nullopt;
        scanned_ = line_start_ = feed + 1;
        if (line_bytes == 0 && request_line_seen_) return scanned_;
        if (line_bytes > 0) request_line_seen_ = true;  // empty lines before a request are skipped (RFC 9112, 2.2)
    }
    scanned_ = bytes.size();
    refused = check_length(bytes.size() - line_start_, bytes.size());
    return std::nullopt;
}

std::optional<refusal> parse_head(std::string_view head, const head_limits& limits, api::request& request, head_facts& facts)
{
    while (head.starts_with("\r\n")) head.remove_prefix(2);
    std::size_t end = head.find("\r\n");
    if (auto refused = parse_request_line(head.substr(0, end), request, facts)) return refused;
    framing frame{facts};
    request.headers.reserve(8);
    for (head.remove_prefix(end + 2); !head.starts_with("\r\n"); head.remove_prefix(end + 2)) {
        end = head.find("\r\n");
        if (request.headers.size() == limits.fields_max)
            return refusal{http_errc::headers_too_large, "There are too many header fields."};
        if (auto refused = parse_field(head.substr(0, end), frame, request)) return refused;
    }
    return frame.finish();
}

}  // namespace pystream::server
