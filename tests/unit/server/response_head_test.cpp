#include "server/response_head.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace pystream;
using namespace pystream::server;

namespace {

std::string head_of(const api::response& answer, bool close = false, bool http_1_0 = false)
{
    std::string out;
    append_response_head(out, answer, {"D", "id-1", close, http_1_0});
    return out;
}

api::response with_status(unsigned status)
{
    api::response answer;
    answer.status = status;
    return answer;
}

bool contains(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(response_head)

BOOST_AUTO_TEST_CASE(writes_dates_as_http_does)
{
    BOOST_TEST(http_date(784111777) == "Sun, 06 Nov 1994 08:49:37 GMT");  // the example of RFC 9110
    BOOST_TEST(http_date(0) == "Thu, 01 Jan 1970 00:00:00 GMT");
    BOOST_TEST(http_date(1709251199) == "Thu, 29 Feb 2024 23:59:59 GMT");
}

BOOST_AUTO_TEST_CASE(writes_the_whole_head)
{
    api::response answer = with_status(201);
    answer.headers = {{"Content-Type", "application/json"}};
    answer.body = "{}";
    BOOST_TEST(head_of(answer) ==
               "HTTP/1.1 201 Created\r\nDate: D\r\nContent-Type: application/json\r\nX-Request-Id: id-1\r\n"
               "X-Content-Type-Options: nosniff\r\nContent-Length: 2\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(says_what_becomes_of_the_connection)
{
    BOOST_TEST(!contains(head_of({}), "Connection"));
    BOOST_TEST(contains(head_of({}, true), "\r\nConnection: close\r\n"));
    BOOST_TEST(contains(head_of({}, true, true), "\r\nConnection: close\r\n"));
    BOOST_TEST(contains(head_of({}, false, true), "\r\nConnection: keep-alive\r\n"));
}

BOOST_AUTO_TEST_CASE(has_a_length_exactly_where_a_body_may_be)
{
    BOOST_TEST(contains(head_of(with_status(200)), "Content-Length: 0\r\n"));
    api::response fixed;
    fixed.static_body = "abc";
    BOOST_TEST(contains(head_of(fixed), "Content-Length: 3\r\n"));
    BOOST_TEST(!contains(head_of(with_status(204)), "Content-Length"));
    BOOST_TEST(!contains(head_of(with_status(304)), "Content-Length"));
}

BOOST_AUTO_TEST_CASE(leaves_out_fields_that_would_split_the_answer)
{
    api::response answer;
    answer.headers = {{"A", "b\r\nSet-Cookie: x"}, {"B\r\n", "c"}, {"C", std::string{"d\0", 2}}, {"E", "f"}};
    const std::string head = head_of(answer);
    BOOST_TEST(!contains(head, "Set-Cookie"));
    BOOST_TEST(!contains(head, "B\r\n:"));
    BOOST_TEST(!contains(head, "C: "));
    BOOST_TEST(contains(head, "E: f\r\n"));
}

BOOST_AUTO_TEST_CASE(knows_a_line_for_statuses_without_a_text)
{
    BOOST_TEST(head_of(with_status(299)).starts_with("HTTP/1.1 299 \r\n"));
}

BOOST_AUTO_TEST_SUITE_END()
