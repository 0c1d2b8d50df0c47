#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/bench/load/resp_reader.hpp"

using namespace pystream::bench;

BOOST_TEST_DONT_PRINT_LOG_VALUE(scan)

namespace {

resp_value must_read(std::string_view in)
{
    resp_value found;
    BOOST_TEST(read_resp(in, found) == scan::complete);
    return found;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(resp_reader_test)

BOOST_AUTO_TEST_CASE(simple_values)
{
    BOOST_TEST(must_read("+OK\r\nrest").text == "OK");
    BOOST_TEST(must_read(":17\r\n").text == "17");
    BOOST_TEST(must_read("$5\r\na\r\nbc\r\n").text == "a\r\nbc");
    BOOST_TEST(must_read("$0\r\n\r\n").text.empty());
    BOOST_TEST(must_read("$-1\r\n").null);
    BOOST_TEST(must_read("*0\r\n").elements == 0U);
    BOOST_TEST(!must_read("+OK\r\n").error_inside);
    BOOST_TEST(must_read("-ERR no\r\n").error_inside);
}

BOOST_AUTO_TEST_CASE(entries_of_a_range_in_every_cut)
{
    const std::string answer =
        "*2\r\n*2\r\n$3\r\n1-0\r\n*2\r\n$1\r\nv\r\n$2\r\nab\r\n*2\r\n$3\r\n2-0\r\n*2\r\n$1\r\nv\r\n$-1\r\n";
    const std::string more = answer + "+OK\r\n";
    for (std::size_t cut = 0; cut < answer.size(); ++cut) {
        resp_value part;
        BOOST_TEST(read_resp(std::string_view{more}.substr(0, cut), part) == scan::more);
    }
    const resp_value all = must_read(more);
    BOOST_TEST(all.type == '*');
    BOOST_TEST(all.elements == 2U);
    BOOST_TEST(all.bytes == answer.size());
    BOOST_TEST(!all.error_inside);
}

BOOST_AUTO_TEST_CASE(an_error_deep_inside_is_seen)
{
    BOOST_TEST(must_read("*2\r\n:1\r\n*1\r\n-ERR\r\n").error_inside);
}

BOOST_AUTO_TEST_CASE(malformed)
{
    resp_value found;
    for (const std::string text : {"hello\r\n", "\r\n", "$x\r\n", "$-2\r\n", "*99999999999\r\n", "$1\r\nabc\r\n",
                                   "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"})
        BOOST_TEST(read_resp(text, found) == scan::malformed, text);
}

BOOST_AUTO_TEST_SUITE_END()
