#include "tests/support/api_fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace pystream::api {
namespace {

using namespace tests;

BOOST_FIXTURE_TEST_SUITE(health_test, api_fixture)

BOOST_AUTO_TEST_CASE(health_is_exactly_two_fields_when_all_is_well)
{
    BOOST_TEST(get("/api/health").body == R"({"status":"ok","service":"pystream"})");
    api_options named;
    named.service_name = "my \"log\"";
    remake(named);
    BOOST_TEST(body_of(get("/api/health")).at("service").as_string() == "my \"log\"");
    BOOST_TEST(get("/api/health/ready").status == 200u);
    engine().engine().begin_drain();
    const auto draining = get("/api/health");
    BOOST_TEST(draining.status == 503u);
    BOOST_TEST(code_of(draining) == "draining");
    BOOST_TEST(code_of(get("/api/health/ready")) == "draining");
    BOOST_TEST(get("/api/health/live").status == 200u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
