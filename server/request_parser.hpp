#pragma once

#include <boost/beast/http/basic_parser.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "api/http.hpp"
#include "server/framing.hpp"

namespace pystream::server {

// One HTTP/1 request taken apart by Beast's parser, straight into what the API takes. Beast reads some messages that RFC 9112 lets two
// parsers read differently; those are refused here (framing.hpp). Owner: one session, for one request.
class request_parser final : private boost::beast::http::basic_parser<true> {
public:
    enum class state : std::uint8_t { more, done, malformed, too_large };

    explicit request_parser(const head_limits& limits);

    // `head` is what head_scanner found: complete, with its empty line. Fills request() and facts().
    std::optional<refusal> take_head(std::string_view head);

    // For a chunked body, after its head. Takes bytes off the front of `in` and appends the content to request().body; what is
    // not taken must be there again, with more behind it, the next time. `too_large` is told by the size of a chunk, before its content.
    // After `malformed` and `too_large` the message has no known end.
    state take_chunks(std::string_view& in, std::size_t body_bytes_max);

    api::request& request() noexcept { return request_; }
    const head_facts& facts() const noexcept { return framing_.facts(); }

private:
    using error_code = boost::beast::error_code;
    using string_view = boost::beast::string_view;
    using verb = boost::beast::http::verb;
    using field = boost::beast::http::field;

    void on_request_impl(verb method, string_view name, string_view target, int version, error_code& ec) override;
    void on_response_impl(int, string_view, int, error_code&) override {}
    void on_field_impl(field known, string_view name, string_view value, error_code& ec) override;
    void on_header_impl(error_code& ec) override;
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(string_view body, error_code&) override { return body.size(); }
    void on_chunk_header_impl(std::uint64_t size, string_view extension, error_code& ec) override;
    std::size_t on_chunk_body_impl(std::uint64_t left, string_view body, error_code& ec) override;
    void on_finish_impl(error_code&) override {}
    void refuse(std::optional<refusal> why, error_code& ec);

    std::size_t fields_max_;
    api::request request_;
    framing framing_;
    std::optional<refusal> refused_;
    bool head_done_ = false;
    bool limited_ = false;  // body_limit counts down, so it is set once
    std::size_t trailer_bytes_ = 0;
};

}  // namespace pystream::server
