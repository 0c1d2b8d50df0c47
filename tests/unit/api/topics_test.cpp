#include "tests/support/api_fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace pystream::api {
namespace {

using namespace tests;

BOOST_FIXTURE_TEST_SUITE(topics_test, api_fixture)

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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
