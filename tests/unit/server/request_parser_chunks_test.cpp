#include "server/request_parser.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace pystream::server;
using state = request_parser::state;

namespace {

struct decoded {
    state end = state::more;
    std::string body;
    std::string rest;
};

decoded decode(std::string_view bytes, std::size_t split, std::size_t body_bytes_max)
{
    const head_limits limits;
    request_parser parser{limits};
    BOOST_REQUIRE(!parser.take_head("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"));
    decoded out;
    std::string_view first = bytes.substr(0, split);
    out.end = parser.take_chunks(first, body_bytes_max);
    // What was not taken comes again, with the rest behind it.
    const std::string second = std::string{first} + std::string{bytes.substr(split)};
    std::string_view rest = second;
    if (out.end == state::more) out.end = parser.take_chunks(rest, body_bytes_max);
    out.rest = rest;
    out.body = parser.request().body;
    return out;
}

void expect_at_every_split(std::string_view bytes, state end, std::string_view body = {}, std::string_view rest = {})
{
    for (std::size_t split = 0; split <= bytes.size(); ++split) {
        const decoded out = decode(bytes, split, 100);
        BOOST_TEST_CONTEXT("bytes: " << bytes << " split at " << split)
        {
            BOOST_TEST(static_cast<int>(out.end) == static_cast<int>(end));
            if (end == state::done) {
                BOOST_TEST(out.body == body);
                BOOST_TEST(out.rest == rest);
            }
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(request_parser_chunks)

BOOST_AUTO_TEST_CASE(joins_chunks_and_leaves_what_follows)
{
    expect_at_every_split("0\r\n\r\n", state::done);
    expect_at_every_split("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\nGET ", state::done, "abcde", "GET ");
    expect_at_every_split("00A\r\n0123456789\r\n000\r\n\r\n", state::done, "0123456789");
    expect_at_every_split("9\r\n0123\r\n789\r\n0\r\n\r\n", state::done, "0123\r\n789");
}

BOOST_AUTO_TEST_CASE(drops_extensions_and_trailers)
{
    expect_at_every_split("3;a=b;c=\"d\"\r\nabc\r\n0;x\r\nA: b\r\nC:\r\n\r\n!", state::done, "abc", "!");
}

BOOST_AUTO_TEST_CASE(waits_for_the_end)
{
    for (const std::string_view bytes :
         {"", "3", "3\r", "3\r\n", "3\r\nab", "3\r\nabc", "3\r\nabc\r\n", "0\r\n", "0\r\n\r", "0\r\nA: b\r\n"})
        expect_at_every_split(bytes, state::more);
}

BOOST_AUTO_TEST_CASE(refuses_what_another_parser_could_read_differently)
{
    for (const std::string_view bytes : {"\r\n",
                                         "x\r\n",
                                         " 3\r\nabc\r\n",
                                         "3 \r\nabc\r\n",
                                         "3\nabc\r\n",
                                         "3\r\nabc\n",
                                         "3\r\nabcd\r\n",
                                         "3\r\nab\r\n0\r\n",
                                         "+3\r\nabc\r\n",
                                         "-3\r\nabc",
                                         "0x3\r\nabc",
                                         "3,\r\nabc",
                                         "3\rxabc",
                                         "3;a\nabc",
                                         "3;a\x01\r\nabc",
                                         "0\r\n\rx",
                                         "0\r\n\n",
                                         "0\r\nA b\r\n\r\n",
                                         "0\r\n A: b\r\n\r\n",
                                         "0\r\nA : b\r\n\r\n",
                                         "0\r\nA: b\n\r\n\r\n",
                                         "3\r\nabc\rx",
                                         ";a\r\n",
                                         "0\r\nA\r\n",
                                         "3\r\nabcx\r\n"})
        expect_at_every_split(std::string{bytes} + "\r\n0\r\n\r\n", state::malformed);
}

BOOST_AUTO_TEST_CASE(tells_too_much_by_the_size_before_the_content)
{
    expect_at_every_split("65\r\nx", state::too_large);
    expect_at_every_split("64\r\n" + std::string(100, 'x') + "\r\n1\r\n", state::too_large);
    expect_at_every_split("64\r\n" + std::string(100, 'x') + "\r\n0\r\n\r\n", state::done, std::string(100, 'x'));
    expect_at_every_split("fffffffffffffffff\r\n", state::malformed);  // does not fit 64 bits
    expect_at_every_split("ffffffffffffffff\r\n", state::too_large);
}

BOOST_AUTO_TEST_CASE(bounds_size_lines_and_trailers)
{
    expect_at_every_split(std::string(300, '0'), state::malformed);
    expect_at_every_split("1;" + std::string(300, 'x') + "\r\n", state::malformed);
    const std::string trailer = "A: " + std::string(1000, 'x') + "\r\n";
    BOOST_TEST(static_cast<int>(decode("0\r\n" + trailer + trailer + "\r\n", 0, 1).end) == static_cast<int>(state::done));
    const std::string many = trailer + trailer + trailer + trailer + trailer;
    BOOST_TEST(static_cast<int>(decode("0\r\n" + many + "\r\n", 0, 1).end) == static_cast<int>(state::malformed));
}

BOOST_AUTO_TEST_SUITE_END()
