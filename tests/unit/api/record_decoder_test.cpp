#include "api/record_decoder.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "core/base/bytes.hpp"
#include "core/base/limits.hpp"
#include "core/storage/batch.hpp"

namespace pystream::api {
namespace {

using base::errc;

// A record as a reader of the log sees it.
struct stored {
    std::optional<std::string> key;
    bool key_is_text = true;
    std::optional<std::string> value;
    storage::value_kind kind = storage::value_kind::bytes;
    std::vector<std::pair<std::string, std::string>> headers;
};

std::optional<std::string> copy(std::optional<std::string_view> text)
{
    return text ? std::optional<std::string>{*text} : std::nullopt;
}

std::vector<stored> all(const storage::record_set& records)
{
    std::string batch;
    storage::append_batch(batch, {}, records);
    storage::record_cursor cursor{batch};
    storage::decoded_record record;
    std::vector<stored> found;
    while (cursor.next(record).value()) {
        found.push_back({copy(record.key), record.key_is_text, copy(record.value), record.kind, {}});
        for (const auto& header : record.headers) found.back().headers.emplace_back(header.name, header.value);
    }
    return found;
}

std::vector<stored> from_json(std::string_view body)
{
    const auto records = decode_json_records(body);
    if (!records) BOOST_FAIL(records.error().detail);
    return all(*records);
}

stored one(std::string_view record)
{
    return from_json(std::string{R"({"records":[)"}.append(record) + "]}").at(0);
}

std::string value_of(std::string_view json)
{
    return one(std::string{R"({"key":"k","value":)"}.append(json) + "}").value.value();
}

base::error json_error(std::string_view body)
{
    const auto records = decode_json_records(body);
    BOOST_REQUIRE_MESSAGE(records.has_error(), body);
    return records.error();
}

void refuses(std::string_view record, std::string_view pointer, errc code = errc::invalid_field)
{
    BOOST_TEST_CONTEXT(record)
    {
        const auto failed = json_error(std::string{R"({"records":[{"value":1},)"}.append(record) + "]}");
        BOOST_TEST(base::to_string(failed.code) == base::to_string(code));
        BOOST_REQUIRE(!failed.fields.empty());
        BOOST_TEST(failed.fields.front().pointer == pointer);
    }
}

BOOST_AUTO_TEST_SUITE(record_decoder_test)

BOOST_AUTO_TEST_CASE(the_example_of_the_documentation)
{
    const auto record = one(R"({"key":"user-1","value":{"n":1},"headers":[["h","v"],["h","w"]]})");
    BOOST_TEST(record.key.value() == "user-1");
    BOOST_TEST(record.key_is_text);
    BOOST_TEST(record.value.value() == R"({"n":1})");
    BOOST_CHECK(record.kind == storage::value_kind::json);
    BOOST_CHECK((record.headers == std::vector<std::pair<std::string, std::string>>{{"h", "v"}, {"h", "w"}}));
}

BOOST_AUTO_TEST_CASE(numbers_keep_their_digits)
{
    for (const auto number : {"0", "-0", "1.0", "1.10", "1e400", "-1E-400", "18446744073709551616",
                              "0.1000000000000000055511151231257827", "123456789012345678901234567890", "1E+2", "5e-324"}) {
        BOOST_TEST(value_of(number) == number);
        BOOST_TEST(value_of("[" + std::string{number} + "]") == "[" + std::string{number} + "]");
        BOOST_TEST(value_of("{\"a\": " + std::string{number} + " }") == "{\"a\":" + std::string{number} + "}");
    }
    const std::string long_number(5000, '7');
    BOOST_TEST(value_of(long_number) == long_number);
}

BOOST_AUTO_TEST_CASE(only_white_space_is_lost_from_a_json_value)
{
    BOOST_TEST(value_of(" { \"b\" : [ 1 , true , null , \"x\" , { } , [ ] ] ,\n\t\"a\" : { \"c\" : false } } ") ==
               R"({"b":[1,true,null,"x",{},[]],"a":{"c":false}})");
    BOOST_TEST(value_of(R"({"a":1,"a":2})") == R"({"a":1,"a":2})");
    BOOST_TEST(value_of(R"([[],[[]],{"a":{"b":{}}}])") == R"([[],[[]],{"a":{"b":{}}}])");
    BOOST_TEST(value_of(R"({"q\"\\\/\b\f\n\r\t\u0001\u00e9":"\ud83d\ude00"})") ==
               "{\"q\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\u00e9\":\"\U0001F600\"}");
    BOOST_TEST(value_of(R"(["a\nb\tc","\u0041\u0042"])") == R"(["a\nb\tc","AB"])");
    BOOST_TEST(value_of("true") == "true");
    BOOST_TEST(value_of("false") == "false");
}

// C061: every kind of value and key comes out as it went in.
BOOST_AUTO_TEST_CASE(c061_kinds_of_values_and_keys_differ)
{
    BOOST_TEST(!one(R"({"key":"k","value":null})").value.has_value());
    BOOST_TEST(one(R"({"value":""})").value.value().empty());
    BOOST_CHECK(one(R"({"value":""})").kind == storage::value_kind::text);
    BOOST_TEST(one(R"({"value":"null"})").value.value() == "null");
    BOOST_CHECK(one(R"({"value":"null"})").kind == storage::value_kind::text);
    BOOST_CHECK(one(R"({"value":"0"})").kind == storage::value_kind::text);
    for (const auto json : {"0", "false", "{}", "[]"}) {
        BOOST_TEST(value_of(json) == json);
        BOOST_CHECK(one(R"({"value":)" + std::string{json} + "}").kind == storage::value_kind::json);
    }
    BOOST_TEST(!one(R"({"value":1})").key.has_value());
    BOOST_TEST(!one(R"({"key":null,"value":1})").key.has_value());
    BOOST_TEST(one(R"({"key":"","value":1})").key.value().empty());
    BOOST_TEST(one(R"({"key":"null","value":1})").key.value() == "null");
    BOOST_TEST(one(R"({"value":"a\u0000b"})").value.value() == std::string("a\0b", 3));
    BOOST_TEST(one(R"({"value":"\u00e9"})").value.value() == "\u00e9");
}

BOOST_AUTO_TEST_CASE(base64_carries_bytes)
{
    const auto record = one(R"({"key_base64":"AP8=","value_base64":"//79"})");
    BOOST_TEST(record.key.value() == std::string("\0\xff", 2));
    BOOST_TEST(!record.key_is_text);
    BOOST_TEST(record.value.value() == "\xff\xfe\xfd");
    BOOST_CHECK(record.kind == storage::value_kind::bytes);
    BOOST_TEST(one(R"({"value_base64":""})").value.value().empty());
    BOOST_TEST(!one(R"({"key_base64":null,"value_base64":"YQ=="})").key.has_value());
    BOOST_TEST(!one(R"({"key_base64":"YQ==","value_base64":null})").value.has_value());
}

BOOST_AUTO_TEST_CASE(many_records_keep_their_order_and_share_nothing)
{
    const auto records = from_json(R"({"records":[{"key":"a","value":{"x":1},"headers":[["h","1"]]},{"value":"two"},)"
                                   R"({"key":"c","value":null},{"headers":[],"value":[4]}]})");
    BOOST_TEST(records.size() == 4u);
    BOOST_TEST(!records[1].key.has_value());
    BOOST_TEST(records[1].headers.empty());
    BOOST_TEST(records[1].value.value() == "two");
    BOOST_TEST(!records[2].value.has_value());
    BOOST_TEST(records[3].value.value() == "[4]");
}

// C060: what is wrong is named with index and field, and nothing is taken.
BOOST_AUTO_TEST_CASE(c060_bad_records_are_named)
{
    refuses(R"({"vlaue":1,"value":1})", "/records/1/vlaue", errc::unknown_field);
    refuses(R"({"a/b~":1,"value":1})", "/records/1/a~1b~0", errc::unknown_field);
    refuses(R"({"key":"k"})", "/records/1/value");
    refuses(R"({})", "/records/1/value");
    refuses(R"({"value":null})", "/records/1/value");
    refuses(R"({"key":null,"value":null})", "/records/1/value");
    refuses(R"({"value_base64":null})", "/records/1/value_base64");
    refuses(R"({"value":1,"value_base64":"YQ=="})", "/records/1/value_base64");
    refuses(R"({"key":"a","key_base64":"YQ==","value":1})", "/records/1/key_base64");
    refuses(R"({"value":1,"value":2})", "/records/1/value");
    refuses(R"({"key":"a","key":"b","value":2})", "/records/1/key");
    for (const auto key : {"1", "true", "{}", "[]", "[[{}]]"})
        refuses(R"({"key":)" + std::string{key} + R"(,"value":1})", "/records/1/key");
    for (const auto value : {"1", "true", "{}", "[]", "\"YQ=\"", "\"YR==\"", "\"Y Q==\"", "\"YQ==YQ==\"", "\"-_-_\""})
        refuses(R"({"value_base64":)" + std::string{value} + "}", "/records/1/value_base64");
    for (const auto headers : {"1", "null", "{}", "\"h\""})
        refuses(R"({"value":1,"headers":)" + std::string{headers} + "}", "/records/1/headers");
    refuses(R"({"value":1,"headers":[["a","b"],"c"]})", "/records/1/headers/1");
    refuses(R"({"value":1,"headers":[["a","b"],{"c":1}]})", "/records/1/headers/1");
    refuses(R"({"value":1,"headers":[["a"]]})", "/records/1/headers/0");
    refuses(R"({"value":1,"headers":[[]]})", "/records/1/headers/0");
    refuses(R"({"value":1,"headers":[["a","b","c"]]})", "/records/1/headers/0");
    refuses(R"({"value":1,"headers":[["a",1]]})", "/records/1/headers/0/1");
    refuses(R"({"value":1,"headers":[["a",null]]})", "/records/1/headers/0/1");
    refuses(R"({"value":1,"headers":[["a",["b"]]]})", "/records/1/headers/0/1");
    refuses(R"({"value":1,"headers":[["","b"]]})", "/records/1/headers/0/0");
    for (const auto record : {"1", "\"x\"", "null", "true", "[]", "[{\"value\":1}]"}) refuses(record, "/records/1");
}

BOOST_AUTO_TEST_CASE(c060_bad_envelopes_are_named)
{
    for (const auto body : {"null", "[]", "1", "\"x\"", "[{\"records\":[]}]"})
        BOOST_TEST(json_error(body).fields.front().pointer.empty());
    for (const auto body : {"{}", R"({"records":[]})", R"({"records":null})", R"({"records":{}})", R"({"records":"x"})",
                            R"({"records":[{"value":1}],"records":[{"value":2}]})"})
        BOOST_TEST(json_error(body).fields.front().pointer == "/records", body);
    BOOST_TEST(json_error(R"({"record":[{"value":1}]})").fields.front().pointer == "/record");
    BOOST_TEST(json_error(R"({"records":[{"value":1}],"x":{"value":[{}]}})").fields.front().pointer == "/x");
}

BOOST_AUTO_TEST_CASE(several_places_are_named_at_once_and_no_more_than_ten)
{
    const auto two = json_error(R"({"records":[{"value":1},{"vlaue":1},{"key":3,"value":1}]})");
    BOOST_REQUIRE(two.fields.size() == 3u);
    BOOST_TEST(two.fields[0].pointer == "/records/1/vlaue");
    BOOST_TEST(two.fields[1].pointer == "/records/1/value");
    BOOST_TEST(two.fields[2].pointer == "/records/2/key");
    std::string many = R"({"records":[{})";
    for (int i = 0; i < 100; ++i) many += ",{}";
    BOOST_TEST(json_error(many + "]}").fields.size() == 10u);
}

BOOST_AUTO_TEST_CASE(what_is_not_json_is_malformed_with_its_place)
{
    for (const auto body : {"", " ", "{", R"({"records":[{"value":1}])", R"({"records":[{"value":01}]})",
                            R"({"records":[{"value":1}]} x)", R"({"records":[{"value":1,}]})", R"({"records":[{"value":NaN}]})",
                            R"({"records":[{"value":'x'}]})", R"({"records":[{"value":"\ud800"}]})",
                            "{\"records\":[{\"value\":\"\xff\"}]}", "{\"records\":[{\"value\":\"\xc0\xaf\"}]}",
                            "{\"records\":[{\"value\":\"a\nb\"}]}", "\xef\xbb\xbf{\"records\":[{\"value\":1}]}",
                            R"({"records":[{"value":1}]}{"records":[{"value":1}]})", R"(/*c*/{"records":[{"value":1}]})"})
        BOOST_TEST((json_error(body).code == errc::malformed), body);
    const auto placed = json_error("{\"records\":[\n  {\"value\":1},\n  {\"value\":tru}\n]}");
    BOOST_TEST(placed.detail.find("line 3, column 1") != std::string::npos, placed.detail);
    // Broken JSON behind a bad field is broken JSON.
    BOOST_TEST((json_error(R"({"records":[{"vlaue":1},)").code == errc::malformed));
}

BOOST_AUTO_TEST_CASE(a_value_nests_as_deep_as_the_limit)
{
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    BOOST_TEST(value_of(nested(base::limits::json_depth_max)) == nested(base::limits::json_depth_max));
    const auto too_deep = R"({"value":)" + nested(base::limits::json_depth_max + 1) + "}";
    BOOST_TEST((json_error(R"({"records":[)" + too_deep + "]}").code == errc::malformed));
    BOOST_TEST((decode_ndjson_records(too_deep).error().code == errc::malformed));
    BOOST_TEST(decode_ndjson_records(R"({"value":)" + nested(base::limits::json_depth_max) + "}").has_value());
    BOOST_TEST((json_error(R"({"records":[)" + std::string(1'000'000, '[')).code == errc::malformed));
}

BOOST_AUTO_TEST_CASE(limits_of_records_and_headers)
{
    std::string headers = R"(["a","b"])";
    for (std::size_t i = 1; i < base::limits::record_headers_max; ++i) headers += R"(,["a","b"])";
    BOOST_TEST(one(R"({"value":1,"headers":[)" + headers + "]}").headers.size() == base::limits::record_headers_max);
    refuses(R"({"value":1,"headers":[)" + headers + R"(,["a","b"]]})", "/records/1/headers");
    std::string records = "{\"value\":0}\n";
    std::string body;
    for (std::size_t i = 0; i < base::limits::records_per_request_max; ++i) body += records;
    BOOST_TEST(decode_ndjson_records(body).value().size() == base::limits::records_per_request_max);
    BOOST_TEST((decode_ndjson_records(body + records).error().code == errc::invalid_field));
}

BOOST_AUTO_TEST_CASE(ndjson_is_one_record_a_line)
{
    const auto records =
        decode_ndjson_records("{\"value\":1}\r\n\n  \t\n{\"key\":\"k\",\"value\":\"x\"}\n{\"value_base64\":\"YQ==\"}");
    BOOST_REQUIRE(records.has_value());
    const auto found = all(*records);
    BOOST_REQUIRE(found.size() == 3u);
    BOOST_TEST(found[0].value.value() == "1");
    BOOST_TEST(found[1].key.value() == "k");
    BOOST_TEST(found[2].value.value() == "a");
}

BOOST_AUTO_TEST_CASE(ndjson_errors_name_the_line)
{
    const auto missing = decode_ndjson_records("{\"value\":1}\n\n{\"key\":\"k\"}\n");
    BOOST_TEST(missing.error().fields.front().pointer == "/lines/3/value");
    BOOST_TEST(decode_ndjson_records("[1]\n").error().fields.front().pointer == "/lines/1");
    BOOST_TEST(decode_ndjson_records("1\n").error().fields.front().pointer == "/lines/1");
    BOOST_TEST((decode_ndjson_records("").error().code == errc::invalid_field));
    BOOST_TEST((decode_ndjson_records("\n \n").error().code == errc::invalid_field));
    const auto broken = decode_ndjson_records("{\"value\":1}\n{\"value\":}\n");
    BOOST_TEST((broken.error().code == errc::malformed));
    BOOST_TEST(broken.error().detail.find("line 2, column 1") != std::string::npos, broken.error().detail);
    BOOST_TEST((decode_ndjson_records("{\"value\":\n1}\n").error().code == errc::malformed));
    BOOST_TEST((decode_ndjson_records("{\"value\":1}{\"value\":2}\n").error().code == errc::malformed));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
