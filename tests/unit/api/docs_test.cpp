#include "tests/support/api_fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace pystream::api {
namespace {

namespace json = boost::json;
using namespace tests;

BOOST_FIXTURE_TEST_SUITE(docs_test, api_fixture)

BOOST_AUTO_TEST_CASE(the_document_and_the_viewer_are_served_from_the_binary)
{
    const auto served = get("/openapi.json");
    BOOST_TEST((json::parse(std::string{served.static_body}) == json::value(document())));
    BOOST_TEST(get("/openapi.json", {{"If-None-Match", header_of(served, "ETag")}}).status == 304u);
    BOOST_TEST(get("/").status == 200u);
    BOOST_TEST(code_of(get("/docs/none.js")) == "not_found");
    BOOST_TEST(code_of(get("/docs/%2e%2e%2fopenapi.json")) == "not_found");
    const auto page = get("/docs");
    if (page.status == 404) return;  // built without the viewer
    BOOST_TEST(header_of(page, "Content-Security-Policy").starts_with("default-src 'none'; script-src 'self'"));
    BOOST_TEST(page.static_body.find("http") == std::string_view::npos);
    const auto packed = get("/docs/swagger-ui.css", {{"Accept-Encoding", "gzip, br"}});
    BOOST_TEST(header_of(packed, "Content-Encoding") == "gzip");
    BOOST_TEST(header_of(get("/docs/swagger-ui.css"), "Content-Encoding") == "(none)");
    BOOST_TEST(header_of(get("/docs/swagger-ui.css"), "ETag") != header_of(packed, "ETag"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
