#include "tests/support/api_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace pystream::api {
namespace {

namespace json = boost::json;
using namespace tests;

BOOST_FIXTURE_TEST_SUITE(produce_test, api_fixture)

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

BOOST_AUTO_TEST_CASE(every_record_header_of_a_raw_body_means_something)
{
    create("t");
    const auto write = [this](std::vector<header> headers) {
        return post("/api/topics/t/records", "x", "text/plain", std::move(headers));
    };
    const auto twice = write({{"Record-Key", "a"}, {"record-key", "b"}});
    BOOST_TEST(code_of(twice) == "invalid_field");
    BOOST_TEST(pointer_of(twice) == "record-key");
    for (const auto name : {"Record-Foo", "record-keys", "Record-Key-Base64", "Record-Header", "Record-"}) {
        const auto answer = write({{"Record-Key", "a"}, {name, "b"}});
        BOOST_TEST(code_of(answer) == "unknown_field", name);
        BOOST_TEST(pointer_of(answer) == name);
        const std::string detail{body_of(answer).at("detail").as_string()};
        BOOST_TEST(detail.find("Record-Key and Record-Header-NAME") != std::string::npos, detail);
    }
    BOOST_TEST(write({{"record-key", "a"}, {"Recorded", "b"}}).status == 201u);
    BOOST_TEST(body_of(get("/api/topics/t/partitions/0/records")).at("records").as_array().size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_a_body_makes_meaningless_is_refused)
{
    create("t");
    const std::string records = R"({"records":[{"value":1}]})";
    BOOST_TEST(code_of(post("/api/topics/t/records?key=a", records)) == "invalid_field");
    BOOST_TEST(code_of(post("/api/topics/t/records", records, "application/json", {{"Record-Key", "a"}})) == "invalid_field");
    BOOST_TEST(code_of(post("/api/topics/t/records", records, "application/json", {{"Producer-Id", "p"}})) == "unknown_field");
    BOOST_TEST(code_of(post("/api/topics/t/records", "x", "text/plain", {{"producer-seq", "1"}})) == "unknown_field");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
