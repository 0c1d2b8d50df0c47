#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <future>

#include "tests/support/api_fixture.hpp"
#include "tests/support/simulated_file_system.hpp"

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
    const auto server = run({method::options, "*", "", {}});
    BOOST_TEST(server.status == 204u);
    BOOST_TEST(header_of(server, "Allow") == "GET, HEAD, POST, PATCH, DELETE, OPTIONS");
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
    const auto admitted = [this](method verb, std::string target) {
        request incoming{verb, std::move(target), {}, {}, {}};
        return api().admit(incoming);
    };
    for (const auto path : {"/api/health", "/api/health/live", "/api/health/ready", "/metrics", "/metrics?x"})
        BOOST_TEST(admitted(method::get, path).exempt_from_load, path);
    for (const auto path : {"/api/topics", "/docs", "/api/healthy", ""})
        BOOST_TEST(!admitted(method::get, path).exempt_from_load, path);
    BOOST_TEST(!admitted(method::post, "/metrics").exempt_from_load);
    BOOST_TEST(admitted(method::post, "/api/topics/t/records?key=a").body_bytes_max == api_options{}.body_bytes_max);
    BOOST_TEST(admitted(method::post, "/api/topics").body_bytes_max == 1u << 20);
    BOOST_TEST(admitted(method::get, "/api/topics").body_bytes_max == 0u);
    BOOST_TEST(admitted(method::post, "/nothing").body_bytes_max > 0u);
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
    BOOST_TEST(write({{"Sec-Fetch-Site", "same-origin"}, foreign, host}).status == 201u);  // behind a proxy
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

BOOST_AUTO_TEST_CASE(a_name_that_was_pointed_at_this_server_does_not_make_its_pages_ours)
{
    const auto create_from = [this](const std::string& host, std::vector<header> more = {}) {
        static int made = 0;
        more.push_back({"Host", host});
        more.push_back({"Origin", "http://" + host});
        return post("/api/topics", R"({"name":"t)" + std::to_string(++made) + R"("})", "application/json", std::move(more));
    };
    for (const auto own : {"localhost", "LocalHost:8000", "127.0.0.1:8000", "192.0.2.7", "[::1]:8000", "[2001:db8::7]"})
        BOOST_TEST(create_from(own).status == 201u, own);
    for (const auto lent :
         {"evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example", "1.2.3", ""}) {
        BOOST_TEST(code_of(create_from(lent)) == "origin_not_allowed", lent);
        BOOST_TEST(code_of(create_from(lent, {{"Sec-Fetch-Site", "same-origin"}})) == "origin_not_allowed", lent);
    }
    api_options listed;
    listed.cors_origins = {"http://streams.example"};
    remake(listed);
    BOOST_TEST(create_from("streams.example").status == 201u);
    BOOST_TEST(code_of(create_from("evil.example")) == "origin_not_allowed");
}

struct failing_random final : base::random_source {
    void fill(std::span<unsigned char> bytes) override
    {
        if (broken) throw std::bad_alloc{};
        std::ranges::fill(bytes, static_cast<unsigned char>(7));
    }
    bool broken = false;
};

struct failing_counters final : counters_source {
    server_counters server() const override { throw std::bad_alloc{}; }
};

BOOST_AUTO_TEST_CASE(a_write_that_fails_by_surprise_may_have_happened)
{
    boost::asio::io_context loop;
    simulated_file_system files;
    failing_random random;
    base::system_clock clock;
    base::null_logger logger;
    engine::engine core{loop.get_executor(), files, clock, random, logger, {}};
    const failing_counters counters;
    const auto tested = make_service(core, counters, {});
    const auto answer_to = [&](method verb, std::string target, std::string body) {
        request incoming{verb, std::move(target), {{"Content-Type", "application/json"}}, std::move(body), "r"};
        tested->admit(incoming);
        auto answer = boost::asio::co_spawn(loop, tested->handle(std::move(incoming)), boost::asio::use_future);
        while (answer.wait_for(std::chrono::seconds{0}) != std::future_status::ready) loop.run_one();
        return answer.get();
    };
    auto started = boost::asio::co_spawn(loop, core.start(), boost::asio::use_future);
    while (started.wait_for(std::chrono::seconds{0}) != std::future_status::ready) loop.run_one();
    BOOST_REQUIRE(started.get().has_value());
    random.broken = true;
    const auto written = answer_to(method::post, "/api/topics", R"({"name":"t"})");
    BOOST_TEST(code_of(written) == "internal");
    BOOST_TEST(body_of(written).at("outcome").as_string() == "unknown");
    const auto read = answer_to(method::get, "/metrics", "");
    BOOST_TEST(code_of(read) == "internal");
    BOOST_TEST(body_of(read).at("outcome").as_string() == "none");
    random.broken = false;
    auto stopped = boost::asio::co_spawn(loop, core.stop(), boost::asio::use_future);
    while (stopped.wait_for(std::chrono::seconds{0}) != std::future_status::ready) loop.run_one();
    loop.run();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
