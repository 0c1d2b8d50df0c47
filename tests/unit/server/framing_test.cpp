// The session goes by framing's facts, the body by Beast's own reading of the same fields. They must never differ: here a
// Beast parser without any of our rules reads everything that we accept, and comes to the same end of the message.
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/test/unit_test.hpp>

#include <random>
#include <string>
#include <vector>

#include "server/request_parser.hpp"

using namespace pystream;
using namespace pystream::server;

namespace {

namespace http = boost::beast::http;

const std::vector<std::string> seeds = {
    "GET /api/topics?prefix=a&limit=3 HTTP/1.1\r\nHost: localhost:8000\r\nAccept: */*\r\nX-Empty:\r\n\r\n",
    "POST /t/records HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\nConnection: keep-alive, close\r\nRecord-Key: \xc3\xa4 "
    "b\r\n\r\n",
    "POST /t HTTP/1.1\r\nhost: [::1]:80\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
    "DELETE /t HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
};

// A few bytes changed, removed, doubled or swapped for what framing attacks are made of.
std::string mutate(std::string bytes, std::mt19937& random)
{
    static const std::vector<std::string> pieces = {"\r",
                                                    "\n",
                                                    "\r\n",
                                                    " ",
                                                    "\t",
                                                    ":",
                                                    ",",
                                                    "0",
                                                    "\r\n ",
                                                    "Content-Length: 3\r\n",
                                                    "Transfer-Encoding: chunked\r\n",
                                                    "Host: b\r\n",
                                                    "\x01",
                                                    "HTTP/1.1",
                                                    "close",
                                                    "\xff"};
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes) {
        const std::size_t at = random() % bytes.size();
        switch (random() % 4) {
        case 0: bytes[at] = static_cast<char>(random() % 256); break;
        case 1: bytes.erase(at, 1 + random() % 3); break;
        case 2: bytes.insert(at, pieces[random() % pieces.size()]); break;
        default: bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 20)); break;
        }
    }
    return bytes;
}

void compare(std::string_view head, const api::request& ours, const head_facts& facts)
{
    while (head.starts_with("\r\n")) head.remove_prefix(2);
    http::request_parser<http::string_body> parser;
    parser.body_limit(boost::none);
    boost::system::error_code error;
    parser.eager(false);
    parser.put(boost::asio::buffer(head), error);
    BOOST_TEST_REQUIRE(!error.failed(), error.message());
    BOOST_TEST_REQUIRE(parser.is_header_done());
    const auto& theirs = parser.get();
    BOOST_TEST_REQUIRE(parser.chunked() == facts.chunked);
    if (!facts.chunked) BOOST_TEST_REQUIRE(parser.content_length().value_or(0) == facts.content_length);
    BOOST_TEST_REQUIRE(parser.keep_alive() == facts.keep_alive);
    BOOST_TEST_REQUIRE((theirs.version() == 10) == facts.http_1_0);
    if (theirs.target().starts_with("/")) BOOST_TEST_REQUIRE(theirs.target() == ours.target);
    std::size_t fields = 0;
    for (const auto& field : theirs) {
        static_cast<void>(field);
        ++fields;
    }
    BOOST_TEST_REQUIRE(fields == ours.headers.size());
    for (const api::header& field : ours.headers) {
        const auto [first, last] = theirs.equal_range(field.name);
        const auto same = [&](const auto& other) { return other.value() == field.value; };
        BOOST_TEST_REQUIRE((std::find_if(first, last, same) != last), field.name);
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(framing)

BOOST_AUTO_TEST_CASE(facts_and_parser_agree_on_everything_that_is_accepted)
{
    std::mt19937 random{20261129};
    int accepted = 0;
    for (int round = 0; round < 100'000; ++round) {
        const std::string& seed = seeds[static_cast<std::size_t>(round) % seeds.size()];
        const std::string bytes = round < 4 ? seed : mutate(seed, random);
        const head_limits limits;
        head_scanner scanner{limits};
        std::optional<refusal> refused;
        request_parser parser{limits};
        const auto length = scanner.scan(bytes, refused);
        if (!length || parser.take_head(std::string_view{bytes}.substr(0, *length))) continue;
        ++accepted;
        BOOST_TEST_CONTEXT("round " << round << ": " << bytes)
        compare(std::string_view{bytes}.substr(0, *length), parser.request(), parser.facts());
    }
    BOOST_TEST(accepted > 10'000);
}

BOOST_AUTO_TEST_SUITE_END()
