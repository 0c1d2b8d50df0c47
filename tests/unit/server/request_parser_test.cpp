#include "server/request_parser.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace pystream;
using namespace pystream::server;
using api::http_errc;

namespace {

struct parsed {
    api::request request;
    head_facts facts;
    std::optional<refusal> refused;
};

// What a server does with these bytes when they arrive at once; the head must be complete or refused.
parsed parse(const std::string& bytes)
{
    const head_limits limits;
    head_scanner scanner{limits};
    parsed out;
    const auto length = scanner.scan(bytes, out.refused);
    if (!out.refused) {
        BOOST_REQUIRE(length.has_value());
        request_parser parser{limits};
        out.refused = parser.take_head(std::string_view{bytes}.substr(0, *length));
        out.request = parser.request();
        out.facts = parser.facts();
    }
    return out;
}

std::string get(const std::string& fields)
{
    return "GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}

void expect_refused(const std::string& bytes, http_errc code)
{
    const parsed out = parse(bytes);
    BOOST_TEST_CONTEXT("bytes: " << bytes.substr(0, 200))
    {
        BOOST_REQUIRE(out.refused.has_value());
        BOOST_TEST(static_cast<int>(out.refused->code) == static_cast<int>(code));
        // What is too large is told with the limit, which the session knows.
        BOOST_TEST((!out.refused->detail.empty() || code == http_errc::body_too_large));
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(request_parser_head)

BOOST_AUTO_TEST_CASE(takes_a_request_apart)
{
    const parsed out =
        parse("POST /a%2Fb?x=%00 HTTP/1.1\r\nHost: localhost:8000\r\nX-Empty:\r\nx-v: \t a b \t\r\nContent-Length: 12\r\n\r\n");
    BOOST_REQUIRE(!out.refused);
    BOOST_TEST(static_cast<int>(out.request.verb) == static_cast<int>(api::method::post));
    BOOST_TEST(out.request.target == "/a%2Fb?x=%00");
    BOOST_TEST(out.request.headers.size() == 4u);
    BOOST_TEST(out.request.headers[1].name == "X-Empty");
    BOOST_TEST(out.request.headers[1].value.empty());
    BOOST_TEST(out.request.headers[2].value == "a b");
    BOOST_TEST(out.facts.content_length == 12u);
    BOOST_TEST(out.facts.keep_alive);
}

BOOST_AUTO_TEST_CASE(finds_the_same_head_at_every_split_point)
{
    const std::string bytes = "\r\nGET /x HTTP/1.1\r\nHost: a\r\nA: b\r\n\r\nrest";
    for (std::size_t split = 0; split <= bytes.size(); ++split) {
        const head_limits limits;
        head_scanner scanner{limits};
        std::optional<refusal> refused;
        auto length = scanner.scan(std::string_view{bytes}.substr(0, split), refused);
        if (!length) length = scanner.scan(bytes, refused);
        BOOST_REQUIRE(!refused);
        BOOST_REQUIRE(length.has_value());
        BOOST_TEST(*length == bytes.size() - 4);
    }
}

// Found by fuzzing: a CR that had arrived without its LF counted as part of the line.
BOOST_AUTO_TEST_CASE(takes_lines_of_exactly_the_limit_at_every_split_point)
{
    const head_limits tight{.head_bytes_max = 46, .line_bytes_max = 20, .fields_max = 10};
    const std::string head = "GET /123456 HTTP/1.1\r\nHost: abcdefghijklmn\r\n\r\n";
    BOOST_TEST_REQUIRE(head.size() == tight.head_bytes_max);
    for (std::size_t cut = 0; cut <= head.size(); ++cut) {
        head_scanner scanner{tight};
        std::optional<refusal> refused;
        auto found = scanner.scan(std::string_view{head}.substr(0, cut), refused);
        if (!found && !refused) found = scanner.scan(head, refused);
        BOOST_TEST(!refused, "cut at " << cut);
        BOOST_TEST((found == head.size()), "cut at " << cut);
    }
}

BOOST_AUTO_TEST_CASE(sees_a_bare_line_feed_at_every_split_point_before_the_head_ends)
{
    const std::string bytes = "GET / HTTP/1.1\r\nHost: a\n";
    for (std::size_t split = 0; split <= bytes.size(); ++split) {
        const head_limits limits;
        head_scanner scanner{limits};
        std::optional<refusal> refused;
        scanner.scan(std::string_view{bytes}.substr(0, split), refused);
        if (!refused) scanner.scan(bytes, refused);
        BOOST_TEST(refused.has_value());
    }
}

BOOST_AUTO_TEST_CASE(refuses_malformed_request_lines)
{
    for (const std::string line : {"GET /",
                                   "GET  / HTTP/1.1",
                                   "GET / HTTP/1.1 ",
                                   " GET / HTTP/1.1",
                                   "GET\t/ HTTP/1.1",
                                   "G(T / HTTP/1.1",
                                   "GET / http/1.1",
                                   "GET / HTTP/1.x",
                                   "GET / HTTP/11",
                                   "GET / HTTP/1.10",
                                   "GET",
                                   "GET / FOO/1.1",
                                   "GET /a b HTTP/1.1",
                                   "GET /\x01 HTTP/1.1",
                                   "GET /\x80 HTTP/1.1",
                                   "GET /a#b HTTP/1.1",
                                   "GET  HTTP/1.1",
                                   "GET * HTTP/1.1",
                                   "GET a HTTP/1.1",
                                   "CONNECT a:1 HTTP/1.1",
                                   "GET ftp://a/ HTTP/1.1",
                                   "GET http:/a HTTP/1.1",
                                   "GET http:///x HTTP/1.1",
                                   "GET http://u@a/x HTTP/1.1",
                                   "GET /\x7f HTTP/1.1"})
        expect_refused(line + "\r\nHost: a\r\n\r\n", http_errc::bad_request);
}

BOOST_AUTO_TEST_CASE(refuses_other_versions)
{
    for (const std::string version : {"HTTP/0.9", "HTTP/1.2", "HTTP/2.0", "HTTP/3.0"})
        expect_refused("GET / " + version + "\r\nHost: a\r\n\r\n", http_errc::http_version_not_supported);
    expect_refused("PRI * HTTP/2.0\r\n\r\n", http_errc::http_version_not_supported);
}

BOOST_AUTO_TEST_CASE(refuses_malformed_fields)
{
    for (const std::string fields : {"A : b\r\n", "A\t: b\r\n", " A: b\r\n", ": b\r\n", "A b\r\n", "A\r\n", "A: b\r\n c\r\n",
                                     "A: b\r\n\tc\r\n", "A: b\x01\r\n", "A: b\x7f\r\n", "A: b\rc\r\n", "A\x80: b\r\n",
                                     "A(: b\r\n", "A: b\n", "A: \r\r\n", "A: b\r\n \r\n", "Connection: a b\r\n"})
        expect_refused(get(fields), http_errc::bad_request);
    expect_refused(get(std::string{"A: b\0c\r\n", 8}), http_errc::bad_request);
}

BOOST_AUTO_TEST_CASE(takes_bytes_beyond_ascii_in_values)
{
    const parsed out = parse(get("Record-Key: \xc3\xa4\r\n"));
    BOOST_REQUIRE(!out.refused);
    BOOST_TEST(out.request.headers[1].value == "\xc3\xa4");
}

BOOST_AUTO_TEST_CASE(refuses_ambiguous_framing)
{
    for (const std::string fields : {"Content-Length: 1\r\nContent-Length: 1\r\n",
                                     "Content-Length: 1\r\nContent-Length: 2\r\n",
                                     "Content-Length: +1\r\n",
                                     "Content-Length: -1\r\n",
                                     "Content-Length: 1,1\r\n",
                                     "Content-Length: 1 1\r\n",
                                     "Content-Length: 0x1\r\n",
                                     "Content-Length:\r\n",
                                     "Content-Length: 1.0\r\n",
                                     "Content-Length: 1;\r\n",
                                     "Transfer-Encoding: gzip\r\n",
                                     "Transfer-Encoding: identity\r\n",
                                     "Transfer-Encoding: gzip, chunked\r\n",
                                     "Transfer-Encoding: chunked, chunked\r\n",
                                     "Transfer-Encoding: chunked,\r\n",
                                     "Transfer-Encoding: chunked;q=1\r\n",
                                     "Transfer-Encoding:\r\n",
                                     "Transfer-Encoding: \"chunked\"\r\n",
                                     "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                                     "Transfer-Encoding: xchunked\r\n",
                                     "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n",
                                     "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n"})
        expect_refused(get(fields), http_errc::bad_request);
    expect_refused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", http_errc::bad_request);
}

BOOST_AUTO_TEST_CASE(refuses_a_length_beyond_any_limit_as_too_large)
{
    expect_refused(get("Content-Length: 9999999999999999999\r\n"), http_errc::body_too_large);
    for (const std::string length : {"18446744073709551616", "99999999999999999999999999999999"})
        expect_refused(get("Content-Length: " + length + "\r\n"), http_errc::bad_request);
}

BOOST_AUTO_TEST_CASE(knows_chunked_in_any_case)
{
    for (const std::string value : {"chunked", "Chunked", "CHUNKED", " chunked\t"}) {
        const parsed out = parse(get("Transfer-Encoding: " + value + "\r\n"));
        BOOST_TEST(!out.refused.has_value());
        BOOST_TEST(out.facts.chunked);
    }
}

BOOST_AUTO_TEST_CASE(needs_exactly_one_valid_host)
{
    expect_refused("GET / HTTP/1.1\r\n\r\n", http_errc::bad_request);
    expect_refused("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", http_errc::bad_request);
    expect_refused("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", http_errc::bad_request);
    for (const std::string host :
         {"", "a b", "a/b", "u@a", "a:b", "a:123456", "[::1", "[]", "[::1]x", "a,b", ":80", "[::g]", "a:1:2"})
        if (host != "a,b") expect_refused("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n", http_errc::bad_request);
    for (const std::string host : {"a", "a:80", "a:", "127.0.0.1:8000", "[::1]", "[::1]:8000", "xn--a.example", "a_b"})
        BOOST_TEST(!parse("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n").refused.has_value());
    BOOST_TEST(!parse("GET / HTTP/1.0\r\n\r\n").refused.has_value());
}

BOOST_AUTO_TEST_CASE(turns_absolute_form_into_origin_form)
{
    const auto target_of = [](const std::string& target) {
        return parse("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n").request.target;
    };
    BOOST_TEST(target_of("http://a/x?y") == "/x?y");
    BOOST_TEST(target_of("HTTP://a:80/x") == "/x");
    BOOST_TEST(target_of("https://[::1]:1/") == "/");
    BOOST_TEST(target_of("http://a") == "/");
    BOOST_TEST(target_of("http://a?q") == "/?q");
    BOOST_TEST(parse("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").request.target == "*");
}

BOOST_AUTO_TEST_CASE(decides_about_the_connection)
{
    const auto keeps = [](const std::string& version, const std::string& fields) {
        const parsed out = parse("GET / " + version + "\r\nHost: a\r\n" + fields + "\r\n");
        BOOST_REQUIRE(!out.refused);
        return out.facts.keep_alive;
    };
    BOOST_TEST(keeps("HTTP/1.1", ""));
    BOOST_TEST(!keeps("HTTP/1.0", ""));
    BOOST_TEST(keeps("HTTP/1.0", "Connection: Keep-Alive\r\n"));
    BOOST_TEST(!keeps("HTTP/1.1", "Connection: close\r\n"));
    BOOST_TEST(!keeps("HTTP/1.1", "connection: foo , Close\r\n"));
    BOOST_TEST(!keeps("HTTP/1.1", "Connection: close\r\nConnection: keep-alive\r\n"));
    BOOST_TEST(keeps("HTTP/1.1", "Connection: upgrade\r\nUpgrade: h2c\r\n"));
}

BOOST_AUTO_TEST_CASE(knows_one_expectation)
{
    BOOST_TEST(parse(get("Expect: 100-Continue\r\n")).facts.expect_continue);
    for (const std::string value : {"200-ok", "", "100-continue, x", "100"})
        expect_refused(get("Expect: " + value + "\r\n"), http_errc::expectation_failed);
}

BOOST_AUTO_TEST_CASE(takes_a_request_id_that_is_short_and_visible)
{
    BOOST_TEST(parse(get("X-Request-Id: abc-1\r\n")).request.request_id == "abc-1");
    BOOST_TEST(parse(get("X-Request-ID: " + std::string(128, 'x') + "\r\n")).request.request_id == std::string(128, 'x'));
    for (const std::string& value : {std::string(129, 'x'), std::string{"a b"}, std::string{"\xc3\xa4"}, std::string{}})
        BOOST_TEST(parse(get("X-Request-Id: " + value + "\r\n")).request.request_id.empty());
}

BOOST_AUTO_TEST_CASE(bounds_line_head_and_field_count)
{
    const head_limits limits;
    const std::string tail = " HTTP/1.1\r\nHost: a\r\n\r\n";
    const std::size_t fits = limits.line_bytes_max - std::string{"GET  HTTP/1.1"}.size();
    BOOST_TEST(!parse("GET /" + std::string(fits - 1, 'x') + tail).refused.has_value());
    expect_refused("GET /" + std::string(fits, 'x') + tail, http_errc::uri_too_long);
    expect_refused("GET /" + std::string(limits.line_bytes_max, 'x'), http_errc::uri_too_long);  // without waiting for its end
    expect_refused(get("A: " + std::string(limits.line_bytes_max, 'x') + "\r\n"), http_errc::headers_too_large);
    expect_refused("GET / HTTP/1.1\r\nA: " + std::string(limits.line_bytes_max, 'x'), http_errc::headers_too_large);
    const std::string half = "A: " + std::string(limits.line_bytes_max - 3, 'x') + "\r\n";
    expect_refused(get(half + half), http_errc::headers_too_large);
    std::string many;
    for (std::size_t i = 1; i < limits.fields_max; ++i) many += "a:\r\n";
    BOOST_TEST(!parse(get(many)).refused.has_value());
    expect_refused(get(many + "a:\r\n"), http_errc::headers_too_large);
}

BOOST_AUTO_TEST_SUITE_END()
