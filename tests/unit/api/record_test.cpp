#include "tests/support/api_fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace pystream::api {
namespace {

using namespace tests;

BOOST_FIXTURE_TEST_SUITE(record_test, api_fixture)

BOOST_AUTO_TEST_CASE(one_value_raw)
{
    create("t");
    const std::string path = "/api/topics/t/partitions/0/records";
    BOOST_REQUIRE(post(path + "?key=k", "<b>hi</b>", "text/html").status == 201u);
    BOOST_REQUIRE(
        post(path,
             R"({"records":[{"key":"\u00e9","value":{"n": 1.10}},{"key":"k","value":null},{"value":"s"},{"value_base64":""},)"
             R"({"value":"x","headers":[["content-type","a/b\r\nX-Evil: 1"]]}]})")
            .status == 201u);
    const auto html = get(path + "/0");
    BOOST_TEST(html.body == "<b>hi</b>");
    BOOST_TEST(header_of(html, "Content-Type") == "text/html");
    BOOST_TEST(header_of(html, "Record-Key") == "k");
    BOOST_TEST(header_of(html, "Content-Security-Policy") == "sandbox; default-src 'none'");
    const auto etag = header_of(html, "ETag");
    BOOST_TEST(etag.size() == 2 + 32 + 4u);
    for (const auto& match : {etag, "W/" + etag, "\"x\", " + etag, std::string{"*"}}) {
        const auto cached = get(path + "/0", {{"If-None-Match", match}});
        BOOST_TEST(cached.status == 304u);
        BOOST_TEST(cached.body.empty());
    }
    BOOST_TEST(get(path + "/0", {{"If-None-Match", "\"x\""}}).status == 200u);
    const auto as_json = get(path + "/1");
    BOOST_TEST(as_json.body == R"({"n":1.10})");
    BOOST_TEST(header_of(as_json, "Content-Type") == "application/json");
    BOOST_TEST(header_of(as_json, "Record-Key-Base64") == "w6k=");
    const auto tombstone = get(path + "/2");
    BOOST_TEST(tombstone.status == 204u);
    BOOST_TEST(header_of(tombstone, "Record-Tombstone") == "true");
    BOOST_TEST(header_of(get(path + "/3"), "Content-Type") == "text/plain; charset=utf-8");
    BOOST_TEST(get(path + "/4").status == 200u);
    BOOST_TEST(header_of(get(path + "/4"), "Content-Type") == "application/octet-stream");
    BOOST_TEST(header_of(get(path + "/5"), "Content-Type") == "text/plain; charset=utf-8");
    BOOST_TEST(code_of(get(path + "/6")) == "offset_out_of_range");
    BOOST_TEST(code_of(get(path + "/7")) == "offset_out_of_range");
    BOOST_TEST(code_of(get(path + "/-1")) == "invalid_field");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
