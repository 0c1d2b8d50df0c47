#include "api/service.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "core/io/posix_file_system.hpp"
#include "tests/support/engine_fixture.hpp"
#include "tests/support/schema_check.hpp"
#include "tests/support/temporary_directory.hpp"

// The whole API below HTTP framing, over an engine on the real disk.

namespace pystream::api {
namespace {

namespace json = boost::json;

struct no_counters final : counters_source {
    server_counters server() const override { return {}; }
};

struct call {
    method verb = method::get;
    std::string target;
    std::string body;
    std::vector<header> headers;
};

class api_fixture {
public:
    api_fixture()
    {
        engine::engine_options options;
        options.data_dir = directory_.path() + "/data";
        engine_ = std::make_unique<tests::engine_fixture>(*files_, options);
        BOOST_REQUIRE(engine_->run(engine_->engine().start()).has_value());
        remake({});
    }
    ~api_fixture() { engine_->run(engine_->engine().stop()); }

    void remake(api_options options) { service_ = make_service(engine_->engine(), counters_, std::move(options)); }

    response run(call what)
    {
        request incoming{what.verb, std::move(what.target), std::move(what.headers), std::move(what.body), "req-1"};
        return engine_->run(service_->handle(std::move(incoming)));
    }
    response get(std::string target, std::vector<header> headers = {})
    {
        return run({method::get, std::move(target), {}, std::move(headers)});
    }
    response post(std::string target, std::string body, std::string type = "application/json", std::vector<header> headers = {})
    {
        headers.push_back({"Content-Type", std::move(type)});
        return run({method::post, std::move(target), std::move(body), std::move(headers)});
    }
    void create(const std::string& name, int partitions = 1)
    {
        const auto body = R"({"name":")" + name + R"(","partitions":)" + std::to_string(partitions) + "}";
        BOOST_REQUIRE(post("/api/topics", body).status == 201u);
    }
    service& api() { return *service_; }
    tests::engine_fixture& engine() { return *engine_; }

private:
    tests::temporary_directory directory_;
    std::unique_ptr<io::file_system> files_ = io::make_posix_file_system();
    std::unique_ptr<tests::engine_fixture> engine_;
    no_counters counters_;
    std::unique_ptr<service> service_;
};

std::string header_of(const response& answer, std::string_view name)
{
    for (const auto& [known, value] : answer.headers)
        if (known == name) return value;
    return "(none)";
}

json::object body_of(const response& answer)
{
    return json::parse(answer.body).as_object();
}

// The code of a problem; checks that it is a whole one.
std::string code_of(const response& answer)
{
    if (answer.status < 400) return std::to_string(answer.status);
    BOOST_TEST(header_of(answer, "Content-Type") == "application/problem+json");
    tests::schema_check check;
    const auto body = body_of(answer);
    for (const auto& wrong : check.check(body, tests::schema("problem"))) BOOST_ERROR(wrong);
    BOOST_TEST(body.at("status").as_int64() == answer.status);
    return std::string{body.at("code").as_string()};
}

std::string pointer_of(const response& answer)
{
    return std::string{body_of(answer).at("errors").at(0).at("pointer").as_string()};
}

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

// C066
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

BOOST_AUTO_TEST_CASE(topics_from_creation_to_deletion)
{
    const auto made =
        post("/api/topics", R"({"name":"orders","partitions":2,"config":{"segment_bytes":65536,"segment_ms":null}})");
    BOOST_TEST(made.status == 201u);
    BOOST_TEST(header_of(made, "Location") == "/api/topics/orders");
    BOOST_TEST(body_of(made).at("config").at("segment_bytes").as_int64() == 65536);
    BOOST_TEST(!body_of(made).at("config").as_object().contains("segment_ms"));
    const auto again = post("/api/topics", R"({"name":"orders"})");
    BOOST_TEST(code_of(again) == "topic_exists");
    BOOST_TEST(body_of(again).at("topic").at("partitions").as_int64() == 2);
    const auto changed = run({method::patch,
                              "/api/topics/orders",
                              R"({"partitions":3,"config":{"segment_bytes":null,"max_record_bytes":100}})",
                              {{"Content-Type", "application/json"}}});
    BOOST_TEST(changed.status == 200u);
    BOOST_TEST(body_of(changed).at("config").as_object().size() == 1u);
    BOOST_TEST(body_of(changed).at("partitions").as_int64() == 3);
    BOOST_TEST(get("/api/topics/orders").body == changed.body);
    BOOST_TEST(run({method::del, "/api/topics/orders", "", {}}).status == 204u);
    BOOST_TEST(code_of(get("/api/topics/orders")) == "topic_not_found");
    BOOST_TEST(code_of(run({method::del, "/api/topics/orders", "", {}})) == "topic_not_found");
}

BOOST_AUTO_TEST_CASE(bad_topics_name_the_field_and_change_nothing)
{
    const std::pair<std::string_view, std::string_view> bad[] = {
        {R"({})", "/name"},
        {R"({"name":1})", "/name"},
        {R"({"name":""})", "/name"},
        {R"({"name":".."})", "/name"},
        {R"({"name":"a b"})", "/name"},
        {R"({"name":"t","name":"t"})", "/name"},
        {R"({"name":"t","partition":1})", "/partition"},
        {R"({"name":"t","partitions":0})", "/partitions"},
        {R"({"name":"t","partitions":1.0})", "/partitions"},
        {R"({"name":"t","partitions":"1"})", "/partitions"},
        {R"({"name":"t","partitions":null})", "/partitions"},
        {R"({"name":"t","partitions":10001})", "/partitions"},
        {R"({"name":"t","partitions":18446744073709551617})", "/partitions"},
        {R"({"name":"t","replication_factor":2})", "/replication_factor"},
        {R"({"name":"t","config":[]})", "/config"},
        {R"({"name":"t","config":{"x":1}})", "/config/x"},
        {R"({"name":"t","config":{"segment_bytes":1}})", "/config/segment_bytes"},
        {R"({"name":"t","config":{"segment_bytes":"65536"}})", "/config/segment_bytes"},
        {R"({"name":"t","config":{"retention_ms":1}})", "/config/retention_ms"},
        {R"({"name":"t","config":{"cleanup_policy":"compact"}})", "/config/cleanup_policy"},
        {R"([])", ""},
        {R"(null)", ""},
    };
    for (const auto& [body, pointer] : bad) {
        const auto answer = post("/api/topics", std::string{body});
        BOOST_TEST(answer.status == 422u, body);
        BOOST_TEST(pointer_of(answer) == pointer, body);
    }
    for (const auto body : {"", "{", "{\"name\":\"t\"} x", "{\"name\":\"\xff\"}"})
        BOOST_TEST(code_of(post("/api/topics", body)) == "malformed", body);
    BOOST_TEST(code_of(post("/api/topics", R"({"name":"__t"})")) == "internal_topic");
    BOOST_TEST(body_of(get("/api/topics?prefix=t")).at("items").as_array().empty());
}

// C080: names that differ are different topics.
BOOST_AUTO_TEST_CASE(c080_similar_names_stay_apart)
{
    for (const auto name : {"a.b", "a_b", "Orders", "orders", "t-1", "t"}) create(name);
    const auto page = body_of(get("/api/topics?limit=4"));
    BOOST_TEST(page.at("items").as_array().size() == 4u);
    const auto next = std::string{page.at("next").as_string()};
    const auto rest = body_of(get("/api/topics?limit=4&after=" + next));
    BOOST_TEST(page.at("items").as_array().size() + rest.at("items").as_array().size() == 7u);  // and the internal one
    BOOST_TEST(rest.at("next").is_null());
}

// C083: asking about a topic never creates it.
BOOST_AUTO_TEST_CASE(c083_unknown_topics_stay_unknown)
{
    const std::string records = R"({"records":[{"value":1}]})";
    for (const auto path : {"/api/topics/t", "/api/topics/t/partitions", "/api/topics/t/partitions/0",
                            "/api/topics/t/partitions/0/records", "/api/topics/t/partitions/0/records/0",
                            "/api/topics/t/partitions/0/offsets?at=latest", "/api/groups/g/offsets?topic=t"})
        BOOST_TEST(code_of(get(path)) == "topic_not_found", path);
    BOOST_TEST(code_of(post("/api/topics/t/records", records)) == "topic_not_found");
    BOOST_TEST(code_of(post("/api/groups/g/offsets", R"({"offsets":[{"topic":"t","partition":0,"offset":0}]})")) ==
               "topic_not_found");
    BOOST_TEST(body_of(get("/api/topics?prefix=t")).at("items").as_array().empty());
    BOOST_TEST(body_of(get("/api/groups")).at("items").as_array().empty());
}

BOOST_AUTO_TEST_CASE(records_go_in_and_come_out)
{
    create("t");
    const auto made = post("/api/topics/t/partitions/0/records",
                           R"({"records":[{"key":"user-1","value":{"n":1.10},"headers":[["h","v"]]},{"value":"two"}]})");
    BOOST_TEST(
        made.body ==
        R"({"results":[{"partition":0,"offset":0,"timestamp":1764400000000,"leader":1,"epoch":1},)"
        R"({"partition":0,"offset":1,"timestamp":1764400000000,"leader":1,"epoch":1}],"durability":"sync","duplicate":false})");
    const auto read = get("/api/topics/t/partitions/0/records?offset=0");
    BOOST_TEST(
        read.body ==
        R"({"topic":"t","partition":0,"records":[{"offset":0,"timestamp":1764400000000,"key":"user-1","value":{"n":1.10},)"
        R"("headers":[["h","v"]]},{"offset":1,"timestamp":1764400000000,"key":null,"value":"two"}],)"
        R"("start":0,"high_watermark":2,"next_offset":2})");
    BOOST_TEST(header_of(read, "Stream-Next-Offset") == "2");
    const auto lines = get("/api/topics/t/partitions/0/records?max_records=1", {{"Accept", "application/x-ndjson"}});
    BOOST_TEST(header_of(lines, "Content-Type") == "application/x-ndjson");
    BOOST_TEST(header_of(lines, "Stream-Next-Offset") == "1");
    BOOST_TEST(std::ranges::count(lines.body, '\n') == 1);
    const auto ndjson = post("/api/topics/t/records", "{\"value\":3}\n{\"value\":4}\n", "application/x-ndjson");
    BOOST_TEST(body_of(ndjson).at("results").as_array().size() == 2u);
}

// Large bodies and pages are worked on by the pool; the answers are the same.
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

// C020: at the end is empty, beyond it is an error with both ends.
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

// C072: lookups by time.
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

BOOST_AUTO_TEST_CASE(expected_offset_lets_one_writer_win)
{
    create("t");
    const std::string path = "/api/topics/t/partitions/0/records?expected_offset=";
    BOOST_TEST(post(path + "0", R"({"records":[{"value":1}]})").status == 201u);
    const auto late = post(path + "0", R"({"records":[{"value":2}]})");
    BOOST_TEST(late.status == 412u);
    BOOST_TEST(body_of(late).at("expected").as_int64() == 0);
    BOOST_TEST(body_of(late).at("actual").as_int64() == 1);
    BOOST_TEST(code_of(post("/api/topics/t/records?expected_offset=1", R"({"records":[{"value":2}]})")) == "unknown_field");
}

BOOST_AUTO_TEST_CASE(raw_bodies_are_one_record)
{
    create("t");
    const std::string path = "/api/topics/t/records";
    const std::string bytes("\0\xff{", 3);
    BOOST_TEST(post(path, bytes, "application/octet-stream",
                    {{"Record-Key", "k"}, {"Record-Header-Trace", " a1 "}, {"record-header-trace", "a2"}})
                   .status == 201u);
    BOOST_TEST(post(path + "?key=a%20b", "hello \u00e9", "text/plain").status == 201u);
    BOOST_TEST(post(path + "?key_base64=%2FwA%3D", "", "image/png").status == 201u);
    BOOST_TEST(post(path, "\xff", "text/plain").status == 201u);
    BOOST_TEST(post(path, "x", "text/plain; charset=latin1").status == 201u);
    const auto records = body_of(get("/api/topics/t/partitions/0/records")).at("records").as_array();
    BOOST_TEST(json::serialize(records.at(0).at("headers")) ==
               R"([["content-type","application/octet-stream"],["trace","a1"],["trace","a2"]])");
    BOOST_TEST(records.at(0).at("value_base64").as_string() == "AP97");
    BOOST_TEST(records.at(0).at("key").as_string() == "k");
    BOOST_TEST(records.at(1).at("value").as_string() == "hello \u00e9");
    BOOST_TEST(records.at(1).at("key").as_string() == "a b");
    BOOST_TEST(records.at(2).at("key_base64").as_string() == "/wA=");
    BOOST_TEST(records.at(2).at("value_base64").as_string() == "");
    BOOST_TEST(records.at(3).at("value_base64").as_string() == "/w==");
    BOOST_TEST(records.at(4).at("value_base64").as_string() == "eA==");
    for (const auto bad : {"?key=%FF", "?key_base64=YQ", "?key=a&key_base64=YQ=="})
        BOOST_TEST(code_of(post(path + bad, "x", "text/plain")) == "invalid_field", bad);
    BOOST_TEST(code_of(post(path + "?key=a", "x", "text/plain", {{"Record-Key", "b"}})) == "invalid_field");
    BOOST_TEST(code_of(post(path, "x", "text/plain", {{"Record-Key", "\xff"}})) == "invalid_field");
    BOOST_TEST(code_of(post(path, "x", "text/plain", {{"Record-Header-A", "\xff"}})) == "invalid_field");
    BOOST_TEST(code_of(post(path, "x", "text/plain", {{"Record-Header-Content-Type", "a/b"}})) == "invalid_field");
}

// Nothing that was said is ignored in silence.
BOOST_AUTO_TEST_CASE(what_a_body_makes_meaningless_is_refused)
{
    create("t");
    const std::string records = R"({"records":[{"value":1}]})";
    BOOST_TEST(code_of(post("/api/topics/t/records?key=a", records)) == "invalid_field");
    BOOST_TEST(code_of(post("/api/topics/t/records", records, "application/json", {{"Record-Key", "a"}})) == "invalid_field");
    BOOST_TEST(code_of(post("/api/topics/t/records", records, "application/json", {{"Producer-Id", "p"}})) == "unknown_field");
    BOOST_TEST(code_of(post("/api/topics/t/records", "x", "text/plain", {{"producer-seq", "1"}})) == "unknown_field");
}

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

// C024, C026, C044: lag, going back, and whose progress it is.
BOOST_AUTO_TEST_CASE(c024_c026_c044_committed_offsets)
{
    create("t", 2);
    BOOST_REQUIRE(post("/api/topics/t/partitions/0/records", R"({"records":[{"value":1},{"value":2},{"value":3}]})").status ==
                  201u);
    const auto commit = [this](std::string group, std::string offset, std::string more = "") {
        return post("/api/groups/" + group + "/offsets",
                    R"({"offsets":[{"topic":"t","partition":0,"offset":)" + offset + "}]" + more + "}");
    };
    const auto never = body_of(get("/api/groups/g/offsets?topic=t")).at("offsets").as_array();
    BOOST_TEST(never.size() == 2u);
    BOOST_TEST(never.at(0).at("offset").is_null());
    BOOST_TEST(never.at(0).at("lag").as_int64() == 3);
    BOOST_TEST(body_of(commit("g", "2")).at("offsets").at(0).at("lag").as_int64() == 1);
    BOOST_TEST(code_of(commit("g", "1")) == "offset_regression");
    BOOST_TEST(code_of(commit("g", "4")) == "invalid_field");
    BOOST_TEST(code_of(commit("g", "-1")) == "invalid_field");
    BOOST_TEST(body_of(commit("g", "1", R"(,"reset":true)")).at("offsets").at(0).at("offset").as_int64() == 1);
    BOOST_TEST(body_of(commit("g", "3")).at("offsets").at(0).at("lag").as_int64() == 0);
    BOOST_TEST(commit("G", "0").status == 200u);
    BOOST_TEST(body_of(get("/api/groups")).at("items").as_array().size() == 2u);
    BOOST_TEST(body_of(get("/api/groups/g")).at("offsets").at(0).at("offset").as_int64() == 3);
    BOOST_TEST(body_of(get("/api/groups/G")).at("offsets").at(0).at("offset").as_int64() == 0);
    BOOST_TEST(code_of(get("/api/groups/g%2F1")) == "invalid_field");
    BOOST_TEST(run({method::del, "/api/groups/g", "", {}}).status == 204u);
    BOOST_TEST(code_of(get("/api/groups/g")) == "group_not_found");
    BOOST_TEST(code_of(run({method::del, "/api/groups/g", "", {}})) == "group_not_found");
}

BOOST_AUTO_TEST_CASE(bad_commits_name_the_field)
{
    create("t");
    const std::pair<std::string_view, std::string_view> bad[] = {
        {R"({})", "/offsets"},
        {R"({"offsets":[]})", "/offsets"},
        {R"({"offsets":{}})", "/offsets"},
        {R"({"offsets":[1]})", "/offsets/0"},
        {R"({"offsets":[{"partition":0,"offset":0}]})", "/offsets/0/topic"},
        {R"({"offsets":[{"topic":"t","offset":0}]})", "/offsets/0/partition"},
        {R"({"offsets":[{"topic":"t","partition":0}]})", "/offsets/0/offset"},
        {R"({"offsets":[{"topic":"t","partition":0,"offset":0.0}]})", "/offsets/0/offset"},
        {R"({"offsets":[{"topic":"t","partition":0,"offset":0,"metadata":1}]})", "/offsets/0/metadata"},
        {R"({"offsets":[{"topic":"t","partition":0,"offset":0,"x":1}]})", "/offsets/0/x"},
        {R"({"offsets":[{"topic":"t","partition":0,"offset":0}],"reset":1})", "/reset"},
        {R"({"offsets":[{"topic":"t","partition":0,"offset":0}],"member_id":"m-1"})", "/member_id"},
        {R"({"offsets":[{"topic":"t","partition":0,"offset":0}],"generation":4})", "/generation"},
    };
    for (const auto& [body, pointer] : bad) {
        const auto answer = post("/api/groups/g/offsets", std::string{body});
        BOOST_TEST(answer.status == 422u, body);
        BOOST_TEST(pointer_of(answer) == pointer, body);
    }
    BOOST_TEST(body_of(get("/api/groups")).at("items").as_array().empty());
}

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

BOOST_AUTO_TEST_CASE(the_document_and_the_viewer_are_served_from_the_binary)
{
    const auto served = get("/openapi.json");
    BOOST_TEST((json::parse(std::string{served.static_body}) == json::value(tests::document())));
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
