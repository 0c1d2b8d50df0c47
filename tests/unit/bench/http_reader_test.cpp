#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/bench/load/http_reader.hpp"

using namespace pystream::bench;

BOOST_TEST_DONT_PRINT_LOG_VALUE(scan)

BOOST_AUTO_TEST_SUITE(http_reader_test)

BOOST_AUTO_TEST_CASE(answer_in_every_cut)
{
    const std::string answer = "HTTP/1.1 201 Created\r\nDate: x\r\ncontent-LENGTH:  5\r\n\r\nhello";
    const std::string more = answer + "HTTP/1.1 200 OK\r\n";
    for (std::size_t first = 0; first <= answer.size(); ++first) {
        http_reader reader;
        const scan early = reader.read(std::string_view{more}.substr(0, first));
        BOOST_TEST(early == (first < answer.size() ? scan::more : scan::complete));
        BOOST_TEST(reader.read(more) == scan::complete);
        BOOST_TEST(reader.status() == 201U);
        BOOST_TEST(reader.body() == "hello");
        BOOST_TEST(reader.bytes() == answer.size());
    }
}

BOOST_AUTO_TEST_CASE(answers_one_after_the_other)
{
    const std::string first = "HTTP/1.1 204 No Content\r\n\r\n";
    const std::string both = first + "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n";
    http_reader reader;
    BOOST_TEST(reader.read(both) == scan::complete);
    BOOST_TEST(reader.status() == 204U);
    BOOST_TEST(reader.bytes() == first.size());
    reader.reset();
    BOOST_TEST(reader.read(std::string_view{both}.substr(first.size())) == scan::complete);
    BOOST_TEST(reader.status() == 500U);
    BOOST_TEST(reader.bytes() == both.size() - first.size());
}

BOOST_AUTO_TEST_CASE(what_it_does_not_understand)
{
    for (const std::string text : {"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
                                   "HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
                                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "220 ready\r\n\r\n"})
        BOOST_TEST(http_reader{}.read(text) == scan::malformed, text);
    BOOST_TEST(http_reader{}.read(std::string(100'000, 'x')) == scan::malformed);
}

BOOST_AUTO_TEST_SUITE_END()
