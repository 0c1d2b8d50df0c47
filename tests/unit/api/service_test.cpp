#include "tests/support/api_fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace pystream::api {
namespace {

using namespace tests;

BOOST_FIXTURE_TEST_SUITE(service_test, api_fixture)

BOOST_AUTO_TEST_CASE(paths_and_methods_that_do_not_exist)
{
    BOOST_TEST(code_of(get("/nothing")) == "not_found");
    BOOST_TEST(code_of(get("/api/topics/")) == "not_found");
    const auto wrong = run({method::put, "/api/topics", "", {}});
    BOOST_TEST(code_of(wrong) == "method_not_allowed");
    BOOST_TEST(header_of(wrong, "Allow") == "GET, HEAD, POST, OPTIONS");
    const auto options = run({method::options, "/api/topics", "", {}});
    BOOST_TEST(options.status == 204u);
    BOOST_TEST(header_of(options, "Allow") == "GET, HEAD, POST, OPTIONS");
    BOOST_TEST(code_of(run({method::options, "/nothing", "", {}})) == "not_found");
    BOOST_TEST(run({method::head, "/api/topics", "", {}}).status == 200u);
    BOOST_TEST(code_of(get("/api/topics?x=1")) == "unknown_field");
    BOOST_TEST(code_of(get("/api/topics?limit=%")) == "malformed");
    for (const auto limit : {"0", "1001", "-1", "x", "1.0"})
        BOOST_TEST(code_of(get("/api/topics?limit=" + std::string{limit})) == "invalid_field");
}

BOOST_AUTO_TEST_CASE(c066_content_types_and_accept)
{
    create("t");
    const std::string record = R"({"records":[{"value":1}]})";
    for (const auto type : {"application/json", "application/json; charset=utf-8", "APPLICATION/JSON ;charset=\"UTF-8\""})
        BOOST_TEST(post("/api/topics/t/records", record, type).status == 201u, type);
    for (const auto type : {"application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                            "application/json; charset=latin1", "nonsense", ""})
        BOOST_TEST(code_of(post("/api/topics/t/records", record, type)) == "unsupported_media_type", type);
    const auto missing = run({method::post, "/api/topics/t/records", record, {}});
    BOOST_TEST(code_of(missing) == "unsupported_media_type");
    const auto detail = std::string{body_of(missing).at("detail").as_string()};
    BOOST_TEST(detail.find("--json") != std::string::npos);
    BOOST_TEST(detail.find("application/octet-stream") != std::string::npos);
    BOOST_TEST(code_of(post("/api/topics", R"({"name":"u"})", "text/plain")) == "unsupported_media_type");
    BOOST_TEST(code_of(post("/api/topics/t/records", record, "application/json", {{"Content-Encoding", "gzip"}})) ==
               "unsupported_media_type");
    BOOST_TEST(post("/api/topics/t/records", record, "application/json", {{"Content-Encoding", "identity"}}).status == 201u);
    BOOST_TEST(code_of(get("/api/topics/t", {{"Accept", "text/html"}})) == "not_acceptable");
    BOOST_TEST(code_of(get("/api/topics/t/partitions/0/records", {{"Accept", "text/event-stream"}})) == "not_acceptable");
}

BOOST_AUTO_TEST_CASE(what_a_request_may_carry_and_what_is_never_refused)
{
    for (const auto path : {"/api/health", "/api/health/live", "/api/health/ready", "/metrics", "/metrics?x"})
        BOOST_TEST(api().exempt_from_load(method::get, path), path);
    for (const auto path : {"/api/topics", "/docs", "/api/healthy", ""})
        BOOST_TEST(!api().exempt_from_load(method::get, path), path);
    BOOST_TEST(!api().exempt_from_load(method::post, "/metrics"));
    BOOST_TEST(api().body_bytes_max(method::post, "/api/topics/t/records?key=a") == api_options{}.body_bytes_max);
    BOOST_TEST(api().body_bytes_max(method::post, "/api/topics") == 1u << 20);
    BOOST_TEST(api().body_bytes_max(method::get, "/api/topics") == 0u);
    BOOST_TEST(api().body_bytes_max(method::post, "/nothing") > 0u);
}

BOOST_AUTO_TEST_CASE(pages_of_other_sites_read_only_when_allowed_and_never_write)
{
    create("t");
    const header foreign{"Origin", "https://evil.example"};
    const header host{"Host", "127.0.0.1:8000"};
    const std::string records = R"({"records":[{"value":1}]})";
    const auto write = [&](std::vector<header> headers) {
        return post("/api/topics/t/records", records, "application/json", std::move(headers));
    };
    BOOST_TEST(code_of(write({foreign, host})) == "origin_not_allowed");
    BOOST_TEST(code_of(write({{"Sec-Fetch-Site", "cross-site"}})) == "origin_not_allowed");
    BOOST_TEST(code_of(write({{"Origin", "null"}, host})) == "origin_not_allowed");
    BOOST_TEST(write({{"Origin", "http://127.0.0.1:8000"}, host}).status == 201u);
    BOOST_TEST(write({{"Sec-Fetch-Site", "same-origin"}, foreign}).status == 201u);
    BOOST_TEST(write({host}).status == 201u);
    BOOST_TEST(header_of(get("/api/topics", {foreign}), "Access-Control-Allow-Origin") == "(none)");
    api_options listed;
    listed.cors_origins = {"https://app.example"};
    remake(listed);
    const header friendly{"Origin", "https://app.example"};
    BOOST_TEST(write({friendly, {"Sec-Fetch-Site", "cross-site"}}).status == 201u);
    BOOST_TEST(code_of(write({foreign})) == "origin_not_allowed");
    const auto read = get("/api/topics", {friendly});
    BOOST_TEST(header_of(read, "Access-Control-Allow-Origin") == "https://app.example");
    BOOST_TEST(header_of(read, "Vary") == "Origin");
    BOOST_TEST(header_of(get("/api/topics", {foreign}), "Access-Control-Allow-Origin") == "(none)");
    const auto preflight = run({method::options,
                                "/api/topics/t/records",
                                "",
                                {friendly,
                                 {"Access-Control-Request-Method", "POST"},
                                 {"Access-Control-Request-Headers", "content-type, record-header-x"}}});
    BOOST_TEST(preflight.status == 204u);
    BOOST_TEST(header_of(preflight, "Access-Control-Allow-Methods") == "POST, OPTIONS");
    BOOST_TEST(header_of(preflight, "Access-Control-Allow-Headers") == "content-type, record-header-x");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
