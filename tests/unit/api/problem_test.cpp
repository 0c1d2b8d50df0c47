#include "api/problem.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>

namespace pystream::api {
namespace {

boost::json::object body_of(const response& answer)
{
    return boost::json::parse(answer.body).as_object();
}

bool has_header(const response& answer, std::string_view name, std::string_view value)
{
    return std::ranges::any_of(answer.headers, [&](const header& h) { return h.name == name && h.value == value; });
}

BOOST_AUTO_TEST_SUITE(problem_test)

BOOST_AUTO_TEST_CASE(every_engine_code_stands_at_its_number_in_the_table)
{
    for (int i = 0; i <= static_cast<int>(base::errc::internal); ++i) {
        const auto code = static_cast<base::errc>(i);
        const auto answer = make_problem(base::error{code}, "r");
        BOOST_TEST(body_of(answer)["code"].as_string() == base::to_string(code));
        BOOST_TEST(answer.status == status_of(code));
        BOOST_TEST(body_of(answer)["status"].as_int64() == answer.status);
    }
}

BOOST_AUTO_TEST_CASE(codes_are_unique_and_statuses_are_errors)
{
    std::set<std::string_view> codes;
    for (const auto& kind : problem_kinds()) {
        BOOST_TEST(codes.insert(kind.code).second, kind.code);
        BOOST_TEST((kind.status >= 400 && kind.status < 600), kind.code);
    }
}

BOOST_AUTO_TEST_CASE(http_codes_have_the_status_their_comment_names)
{
    const std::pair<http_errc, unsigned> expected[] = {
        {http_errc::bad_request, 400},
        {http_errc::origin_not_allowed, 403},
        {http_errc::not_found, 404},
        {http_errc::method_not_allowed, 405},
        {http_errc::not_acceptable, 406},
        {http_errc::request_timeout, 408},
        {http_errc::body_too_large, 413},
        {http_errc::uri_too_long, 414},
        {http_errc::unsupported_media_type, 415},
        {http_errc::expectation_failed, 417},
        {http_errc::headers_too_large, 431},
        {http_errc::too_many_connections, 503},
        {http_errc::server_busy, 503},
        {http_errc::http_version_not_supported, 505},
    };
    for (const auto& [code, status] : expected) BOOST_TEST(make_problem(code, "", "r").status == status);
}

BOOST_AUTO_TEST_CASE(a_problem_carries_the_facts_that_are_set_and_hides_the_internal_text)
{
    base::error error{base::errc::offset_mismatch, "the partition ends at 8", "/secret/path"};
    error.expected = 7;
    error.actual = 8;
    error.brokers = {1, 2};
    error.fields.push_back({"/records/0", "quote \" and \x01"});
    const auto answer = make_problem(error, "req-1", R"("topic":{"name":"t"})");
    const auto body = body_of(answer);
    BOOST_TEST(body.at("expected").as_int64() == 7);
    BOOST_TEST(body.at("actual").as_int64() == 8);
    BOOST_TEST(body.at("brokers").as_array().size() == 2u);
    BOOST_TEST(body.at("errors").at(0).at("detail").as_string() == "quote \" and \x01");
    BOOST_TEST(body.at("topic").at("name").as_string() == "t");
    BOOST_TEST(body.at("request_id").as_string() == "req-1");
    BOOST_TEST(body.at("outcome").as_string() == "none");
    BOOST_TEST(!body.contains("earliest"));
    BOOST_TEST(answer.body.find("secret") == std::string::npos);
    BOOST_TEST(has_header(answer, "Content-Type", "application/problem+json"));
}

BOOST_AUTO_TEST_CASE(what_a_client_sent_cannot_break_the_answer)
{
    const auto body = body_of(make_problem(base::invalid("a\xff\"", "not \xc3\xa9 but \xc3"), "r"));
    BOOST_TEST(body.at("errors").at(0).at("pointer").as_string() == "a?\"");
    BOOST_TEST(body.at("detail").as_string() == "not ?? but ?");
    BOOST_TEST(body_of(make_problem(base::invalid("\u00e9", "\u00e9"), "r")).at("detail").as_string() == "\u00e9");
}

BOOST_AUTO_TEST_CASE(overload_asks_to_come_back_and_a_failed_partition_does_not)
{
    for (const auto code : {base::errc::overloaded, base::errc::not_ready, base::errc::draining})
        BOOST_TEST(has_header(make_problem(base::error{code}, "r"), "Retry-After", "1"));
    BOOST_TEST(!has_header(make_problem(base::error{base::errc::partition_failed}, "r"), "Retry-After", "1"));
    BOOST_TEST(has_header(make_problem(http_errc::server_busy, "", "r"), "Retry-After", "1"));
}

BOOST_AUTO_TEST_CASE(an_unknown_outcome_is_said)
{
    base::error replication{base::errc::replication_failed};
    BOOST_TEST(body_of(make_problem(replication, "r"))["outcome"].as_string() == "none");
    replication.outcome_unknown = true;
    BOOST_TEST(body_of(make_problem(replication, "r"))["outcome"].as_string() == "unknown");
    BOOST_TEST(body_of(make_problem(base::error{base::errc::outcome_unknown}, "r"))["outcome"].as_string() == "unknown");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
