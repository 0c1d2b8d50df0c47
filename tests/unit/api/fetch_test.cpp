#include "tests/support/api_fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace pystream::api {
namespace {

using namespace tests;

BOOST_FIXTURE_TEST_SUITE(fetch_test, api_fixture)

BOOST_AUTO_TEST_CASE(large_pages_take_the_same_form)
{
    create("t");
    std::string body;
    for (int i = 0; i < 3000; ++i) body += "{\"value\":\"" + std::string(100, 'x') + "\"}\n";
    const auto small = post("/api/topics/t/records", "{\"value\":1}\n", "application/x-ndjson");
    BOOST_TEST(body.size() > 256u * 1024);
    BOOST_TEST(body_of(post("/api/topics/t/records", body, "application/x-ndjson")).at("results").as_array().size() == 3000u);
    BOOST_TEST(code_of(post("/api/topics/t/records", body + "{", "application/x-ndjson")) == "malformed");
    const auto page = body_of(get("/api/topics/t/partitions/0/records?max_records=10000"));
    BOOST_TEST(page.at("records").as_array().size() == 3001u);
    BOOST_TEST(page.at("next_offset").as_int64() == 3001);
}

BOOST_AUTO_TEST_CASE(c020_the_end_and_beyond)
{
    create("t");
    const std::string records = "/api/topics/t/partitions/0/records";
    BOOST_TEST(body_of(get(records + "?offset=0")).at("records").as_array().empty());
    BOOST_REQUIRE(post(records, R"({"records":[{"value":1},{"value":2}]})").status == 201u);
    const auto end = body_of(get(records + "?offset=2"));
    BOOST_TEST(end.at("records").as_array().empty());
    BOOST_TEST(end.at("next_offset").as_int64() == 2);
    BOOST_TEST(body_of(get(records + "?from=latest")).at("next_offset").as_int64() == 2);
    const auto beyond = get(records + "?offset=3");
    BOOST_TEST(code_of(beyond) == "offset_out_of_range");
    BOOST_TEST(beyond.status == 416u);
    BOOST_TEST(body_of(beyond).at("earliest").as_int64() == 0);
    BOOST_TEST(body_of(beyond).at("latest").as_int64() == 2);
    BOOST_TEST(get(records + "?offset=3&past_end=wait&wait_ms=1").status == 200u);
    BOOST_TEST(code_of(get("/api/topics/t/partitions/1/records")) == "partition_not_found");
}

BOOST_AUTO_TEST_CASE(fetch_parameters_are_checked)
{
    create("t");
    for (const auto bad : {"offset=-1", "offset=01", "offset=9007199254740992", "offset=", "from=first",
                           "from=", "timestamp=now", "timestamp=-1", "max_records=0", "max_records=10001", "max_bytes=0",
                           "max_bytes=16777217", "wait_ms=60001", "wait_ms=-1", "past_end=", "values=json",
                           "offset=0&from=earliest", "offset=0&timestamp=0", "from=latest&timestamp=0"})
        BOOST_TEST(code_of(get("/api/topics/t/partitions/0/records?" + std::string{bad})) == "invalid_field", bad);
    for (const auto bad : {"offsets=1", "offset=0&offset=0", "limit=1"})
        BOOST_TEST(code_of(get("/api/topics/t/partitions/0/records?" + std::string{bad})) == "unknown_field", bad);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
