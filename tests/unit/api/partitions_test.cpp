#include "tests/support/api_fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace pystream::api {
namespace {

using namespace tests;

BOOST_FIXTURE_TEST_SUITE(partitions_test, api_fixture)

BOOST_AUTO_TEST_CASE(c072_offsets_by_time)
{
    create("t");
    const auto at = [this](const std::string& time) { return body_of(get("/api/topics/t/partitions/0/offsets?at=" + time)); };
    BOOST_TEST(at("0").at("offset").as_int64() == 0);
    for (const std::int64_t ms : {10, 50, 20, 60}) {  // the wall clock may jump back; time in the log does not
        engine().clock().set_wall_ns(ms * 1'000'000);
        BOOST_REQUIRE(post("/api/topics/t/records", R"({"records":[{"value":1}]})").status == 201u);
    }
    BOOST_TEST(at("15").at("offset").as_int64() == 1);
    BOOST_TEST(at("15").at("timestamp").as_int64() == 50);
    BOOST_TEST(at("55").at("offset").as_int64() == 3);
    BOOST_TEST(at("61").at("offset").as_int64() == 4);
    BOOST_TEST(at("61").at("timestamp").is_null());
    BOOST_TEST(at("0").at("offset").as_int64() == 0);
    BOOST_TEST(at("1970-01-01T00:00:00.055Z").at("offset").as_int64() == 3);
    BOOST_TEST(at("earliest").at("offset").as_int64() == 0);
    BOOST_TEST(at("latest").at("offset").as_int64() == 4);
    BOOST_TEST(at("9007199254740991").at("offset").as_int64() == 4);
    BOOST_TEST(body_of(get("/api/topics/t/partitions/0/records?timestamp=55")).at("records").at(0).at("offset").as_int64() ==
               3);
    for (const auto bad : {"?at=-1", "?at=", "?at=first", ""})
        BOOST_TEST(code_of(get("/api/topics/t/partitions/0/offsets" + std::string{bad})) == "invalid_field");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
