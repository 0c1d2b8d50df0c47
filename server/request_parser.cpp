#include "server/request_parser.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>

#include "server/http_text.hpp"

namespace pystream::server {
namespace {

namespace http = boost::beast::http;
using api::http_errc;

constexpr std::size_t chunk_line_bytes_max = 256;  // size and extension of one chunk
constexpr std::size_t chunk_trailer_bytes_max = 4 * 1024;

std::string_view view(boost::beast::string_view text)
{
    return {text.data(), text.size()};
}

api::method method_from(http::verb verb)
{
    switch (verb) {
    case http::verb::get: return api::method::get;
    case http::verb::head: return api::method::head;
    case http::verb::post: return api::method::post;
    case http::verb::put: return api::method::put;
    case http::verb::patch: return api::method::patch;
    case http::verb::delete_: return api::method::del;
    case http::verb::options: return api::method::options;
    default: return api::method::other;
    }
}

refusal refusal_of(const boost::beast::error_code& ec)
{
    if (ec == http::error::bad_version)
        return {http_errc::bad_request, "The request line must be: method, space, target, space, HTTP/1.1."};
    if (ec == http::error::bad_method) return {http_errc::bad_request, "The method is not a token."};
    if (ec == http::error::bad_target) return {http_errc::bad_request, "The request target is not valid."};
    if (ec == http::error::bad_field)
        return {http_errc::bad_request, "A header field name is not a token (no space may stand before the colon)."};
    if (ec == http::error::bad_value) return {http_errc::bad_request, "A header field value has a control character."};
    if (ec == http::error::bad_content_length)
        return {http_errc::bad_request, "Content-Length must be digits only, and stand alone."};
    if (ec == http::error::multiple_content_length)
        return {http_errc::bad_request, "There must be at most one Content-Length field."};
    if (ec == http::error::bad_transfer_encoding)
        return {http_errc::bad_request, "The only Transfer-Encoding here is: chunked, without Content-Length."};
    return {http_errc::bad_request, "The head of the request is malformed."};
}

// Whether the request line ends with a version that looks like one, whatever its number.
bool names_a_version(std::string_view head)
{
    const std::string_view line = head.substr(0, head.find("\r\n"));
    const std::size_t second_space = line.find(' ', line.find(' ') + 1);
    const std::string_view version = line.substr(std::min(second_space, line.size() - 1) + 1);
    return version.size() == 8 && version.starts_with("HTTP/") && is_digit(version[5]) && version[6] == '.' &&
           is_digit(version[7]);
}

constexpr refusal other_version{http_errc::http_version_not_supported, "This server speaks HTTP/1.0 and HTTP/1.1."};

}  // namespace

request_parser::request_parser(const head_limits& limits) : fields_max_(limits.fields_max)
{
    header_limit(static_cast<std::uint32_t>(limits.head_bytes_max + 4));
    body_limit(boost::none);
}

std::optional<refusal> request_parser::take_head(std::string_view head)
{
    while (head.starts_with("\r\n")) head.remove_prefix(2);  // allowed before a request (RFC 9112, 2.2)
    request_.headers.reserve(8);
    error_code ec;
    put(boost::asio::buffer(head.data(), head.size()), ec);
    if (refused_) return refused_;
    if (ec == http::error::bad_version && names_a_version(head)) return other_version;
    if (ec) return refusal_of(ec);
    return framing_.finish();
}

request_parser::state request_parser::take_chunks(std::string_view& in, std::size_t body_bytes_max)
{
    if (!limited_) body_limit(body_bytes_max);
    limited_ = true;
    while (!is_done()) {
        // The end of a body has that many bytes, so as many are still to come; Beast 1.81 asserts it.
        if (in.size() < std::string_view{"0\r\n\r\n"}.size()) return state::more;
        error_code ec;
        const std::size_t taken = put(boost::asio::buffer(in.data(), in.size()), ec);
        in.remove_prefix(taken);
        if (ec == http::error::body_limit) return state::too_large;
        if (ec && ec != http::error::need_more) return state::malformed;
        if (is_done()) break;
        // Behind the line of a chunk's size only the trailer makes the parser wait for more than it was given.
        const bool whole_line = in.find('\n', 2) != std::string_view::npos;
        if (taken == 0 && in.size() > (whole_line ? chunk_trailer_bytes_max : chunk_line_bytes_max)) return state::malformed;
        if (ec || in.empty()) return state::more;
    }
    return state::done;
}

void request_parser::refuse(std::optional<refusal> why, error_code& ec)
{
    if (!why) return;
    refused_ = why;
    ec = http::error::bad_value;
}

void request_parser::on_request_impl(verb method, string_view, string_view target, int version, error_code& ec)
{
    request_.verb = method_from(method);
    framing_.see_version(version == 10);
    if (version != 10 && version != 11) return refuse(other_version, ec);
    refuse(read_target(view(target), request_), ec);
}

void request_parser::on_field_impl(field, string_view name, string_view value, error_code& ec)
{
    if (head_done_) {  // a trailer field: checked for form, bounded, and dropped
        trailer_bytes_ += name.size() + value.size();
        if (trailer_bytes_ > chunk_trailer_bytes_max) ec = http::error::bad_chunk;
        return;
    }
    if (request_.headers.size() == fields_max_)
        return refuse(refusal{http_errc::headers_too_large, "There are too many header fields."}, ec);
    if (!is_field_value(view(value)))
        return refuse(refusal{http_errc::bad_request, "A header field value has a control character."}, ec);
    if (auto refused = framing_.see_field(view(name), view(value), request_)) return refuse(refused, ec);
    request_.headers.push_back({std::string{view(name)}, std::string{view(value)}});
}

void request_parser::on_header_impl(error_code&)
{
    head_done_ = true;
}

void request_parser::on_chunk_header_impl(std::uint64_t, string_view extension, error_code& ec)
{
    if (extension.size() > chunk_line_bytes_max) ec = http::error::bad_chunk_extension;
}

std::size_t request_parser::on_chunk_body_impl(std::uint64_t, string_view body, error_code&)
{
    request_.body.append(body.data(), body.size());
    return body.size();
}

}  // namespace pystream::server
