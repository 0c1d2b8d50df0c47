#include "api/record_encoder.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include "api/record_decoder.hpp"
#include "tests/support/schema_check.hpp"

namespace pystream::api {
namespace {

namespace json = boost::json;

constexpr std::int64_t second_ns = 1'000'000'000;

struct batch_of {
    std::string_view body;  // NDJSON
    std::int64_t base = 0;
};

// A fetch of batches as they would stand in the log, one run each.
engine::fetch_result fetched(std::initializer_list<batch_of> batches, std::int64_t first = 0)
{
    engine::fetch_result found{base::partition_index{2}, base::offset{first}, {}, base::offset{0}, base::offset{0}};
    for (const auto& [body, base] : batches) {
        auto bytes = std::make_shared<std::string>();
        storage::batch_stamp stamp;
        stamp.base_offset = base::offset{base};
        stamp.timestamp_ns = 1764400000 * second_ns;
        const auto header = storage::append_batch(*bytes, stamp, decode_ndjson_records(body).value());
        found.runs.push_back({bytes, *bytes, header.base_offset, header.end()});
        found.high_watermark = header.end();
    }
    return found;
}

page_options options(std::size_t records = 500, std::uint64_t bytes = 1 << 20, bool base64 = false)
{
    return {.records_max = records, .bytes_max = bytes, .base64 = base64, .ndjson = false};
}

json::object encode(const engine::fetch_result& from, const page_options& with)
{
    const auto page = encode_page("t", from, with).value();
    const auto value = json::parse(page.body).as_object();
    BOOST_TEST(value.at("next_offset").as_int64() == page.next.value());
    tests::schema_check check;
    for (const auto& wrong : check.check(value, tests::schema("records"))) BOOST_ERROR(wrong);
    return value;
}

BOOST_AUTO_TEST_SUITE(record_encoder_test)

BOOST_AUTO_TEST_CASE(the_example_of_the_documentation)
{
    const auto page =
        encode_page("t", fetched({{R"({"key":"user-1","value":{"n":1},"headers":[["h","v"]]})", 17}}, 17), options()).value();
    BOOST_TEST(page.body == R"({"topic":"t","partition":2,"records":[{"offset":17,"timestamp":1764400000000,"key":"user-1",)"
                            R"("value":{"n":1},"headers":[["h","v"]]}],"start":0,"high_watermark":18,"next_offset":18})");
}

// C061: out the way it came in.
BOOST_AUTO_TEST_CASE(c061_round_trip_of_every_kind)
{
    for (const std::string record :
         {R"("key":null,"value":"")", R"("key":null,"value":"null")", R"("key":null,"value":0)", R"("key":null,"value":false)",
          R"("key":null,"value":{})", R"("key":null,"value":[])", R"("key":"k","value":null)", R"("key":"","value":1)",
          R"("key":"null","value":1.10)", R"("key":null,"value":1e400)", R"("key":null,"value":"\u0001\"\\")",
          R"("key":null,"value":{"a":18446744073709551616,"a":2})", R"("key_base64":"AP8=","value_base64":"//79")",
          R"("key":"k","value_base64":"")", "\"key\":\"\u00e9\",\"value\":\"\U0001F600\""}) {
        const auto page = encode_page("t", fetched({{"{" + record + "}", 0}}), options()).value();
        BOOST_TEST(page.body.find(',' + record + '}') != std::string::npos, page.body);
        BOOST_TEST(page.body.find("headers") == std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(base64_is_one_shape_for_all)
{
    const auto value =
        encode(fetched({{"{\"key\":\"k\",\"value\":\"v\"}\n{\"value\":1}\n{\"key_base64\":\"/w==\",\"value\":null}", 0}}),
               options(500, 1 << 20, true));
    const auto& records = value.at("records").as_array();
    for (const auto& record : records) BOOST_TEST(record.as_object().size() == 5u);
    BOOST_TEST(records[0].at("key_base64").as_string() == "aw==");
    BOOST_TEST(records[0].at("value_base64").as_string() == "dg==");
    BOOST_TEST(records[1].at("key_base64").is_null());
    BOOST_TEST(records[1].at("value_base64").as_string() == "MQ==");
    BOOST_TEST(records[2].at("value_base64").is_null());
}

BOOST_AUTO_TEST_CASE(every_field_of_the_schema_is_written)
{
    tests::schema_check check;
    const auto from = fetched(
        {{"{\"key\":\"k\",\"value\":1,\"headers\":[[\"a\",\"b\"]]}\n{\"key_base64\":\"/w==\",\"value_base64\":\"/w==\"}", 0}});
    const auto page = json::parse(encode_page("t", from, options()).value().body);
    BOOST_TEST(check.check(page, tests::schema("records")).empty());
    BOOST_TEST(check.unseen(tests::schema("records")).empty());
    for (const auto& record : page.at("records").as_array()) BOOST_TEST(check.check(record, tests::schema("record")).empty());
    BOOST_TEST(check.unseen(tests::schema("record")).empty());
}

BOOST_AUTO_TEST_CASE(a_page_begins_at_the_first_offset_and_ends_at_its_limits)
{
    const auto from = [](std::int64_t first) {
        return fetched({{"{\"value\":0}\n{\"value\":1}\n{\"value\":2}", 0}, {"{\"value\":3}\n{\"value\":4}", 3}}, first);
    };
    const auto offsets = [](const json::object& page) {
        std::vector<std::int64_t> found;
        for (const auto& record : page.at("records").as_array()) found.push_back(record.at("offset").as_int64());
        return found;
    };
    BOOST_CHECK((offsets(encode(from(0), options())) == std::vector<std::int64_t>{0, 1, 2, 3, 4}));
    BOOST_CHECK((offsets(encode(from(2), options())) == std::vector<std::int64_t>{2, 3, 4}));
    BOOST_CHECK((offsets(encode(from(3), options())) == std::vector<std::int64_t>{3, 4}));
    const auto two = encode(from(1), options(2));
    BOOST_CHECK((offsets(two) == std::vector<std::int64_t>{1, 2}));
    BOOST_TEST(two.at("next_offset").as_int64() == 3);
    const auto crossing = encode(from(1), options(3));
    BOOST_CHECK((offsets(crossing) == std::vector<std::int64_t>{1, 2, 3}));
    BOOST_TEST(crossing.at("next_offset").as_int64() == 4);
}

BOOST_AUTO_TEST_CASE(max_bytes_counts_payload_and_one_record_always_comes)
{
    const auto from = fetched({{"{\"value\":\"aaaa\"}\n{\"value\":\"bbbb\"}\n{\"value\":\"cccc\"}", 0}});
    BOOST_TEST(encode(from, options(500, 1)).at("records").as_array().size() == 1u);
    BOOST_TEST(encode(from, options(500, 7)).at("records").as_array().size() == 1u);
    BOOST_TEST(encode(from, options(500, 8)).at("records").as_array().size() == 2u);
    BOOST_TEST(encode(from, options(500, 12)).at("records").as_array().size() == 3u);
}

// C020: at the end nothing comes and the next offset stays.
BOOST_AUTO_TEST_CASE(c020_an_empty_page_stays_where_it_is)
{
    engine::fetch_result nothing{base::partition_index{0}, base::offset{10}, {}, base::offset{0}, base::offset{10}};
    const auto value = encode(nothing, options());
    BOOST_TEST(value.at("records").as_array().empty());
    BOOST_TEST(value.at("next_offset").as_int64() == 10);
}

BOOST_AUTO_TEST_CASE(ndjson_is_one_record_a_line)
{
    auto with = options();
    with.ndjson = true;
    const auto page = encode_page("t", fetched({{"{\"value\":1}\n{\"key\":\"k\",\"value\":\"a\\nb\"}", 5}}, 5), with).value();
    BOOST_TEST(page.body ==
               "{\"offset\":5,\"timestamp\":1764400000000,\"key\":null,\"value\":1}\n"
               "{\"offset\":6,\"timestamp\":1764400000000,\"key\":\"k\",\"value\":\"a\\nb\"}\n");
    BOOST_TEST(page.next.value() == 7);
}

// Text that is not UTF-8 cannot be stored through the API; should it turn up, the page stays valid JSON.
BOOST_AUTO_TEST_CASE(text_that_is_not_utf8_goes_out_as_base64)
{
    storage::record_set records;
    storage::record_view record;
    record.key = "\xff";
    record.value = "\xfe";
    record.kind = storage::value_kind::text;
    records.add(record);
    auto bytes = std::make_shared<std::string>();
    const auto header = storage::append_batch(*bytes, {}, records);
    const engine::fetch_result from{
        base::partition_index{0}, {}, {{bytes, *bytes, header.base_offset, header.end()}}, {}, base::offset{1}};
    const auto value = encode(from, options());
    BOOST_TEST(value.at("records").at(0).at("key_base64").as_string() == "/w==");
    BOOST_TEST(value.at("records").at(0).at("value_base64").as_string() == "/g==");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
