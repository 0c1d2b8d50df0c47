#include "core/groups/offset_records.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace pystream;
using namespace pystream::groups;

namespace {

std::string from_hex(std::string_view text)
{
    std::string out;
    std::string digits;
    for (const char c : text) {
        if (c == ' ') continue;
        digits += c;
        if (digits.size() < 2) continue;
        out += static_cast<char>(std::stoi(digits, nullptr, 16));
        digits.clear();
    }
    return out;
}

const base::topic_id topic = *base::topic_id::from_hex("000102030405060708090a0b0c0d0e0f");
const offset_key key{"g1", topic, base::partition_index{258}};

// The examples of docs/groups.md.
const std::string key_bytes = from_hex("01 0002 6731 000102030405060708090a0b0c0d0e0f 00000102");
const std::string value_bytes = from_hex("01 0000000000000012 0000019ace6f9400 ffffffff");
const std::string value_with_metadata = from_hex("01 0000000000000012 0000019ace6f9400 00000002 6869");
const committed value{base::offset{18}, std::nullopt, 1'764'400'010'240};

void refuses_key(const std::string& bytes)
{
    const auto decoded = decode_key(bytes);
    BOOST_REQUIRE(!decoded);
    BOOST_TEST((decoded.error().code == base::errc::corrupt_record));
    BOOST_TEST(!decoded.error().internal.empty());
}

void refuses_value(const std::string& bytes)
{
    const auto decoded = decode_value(bytes);
    BOOST_REQUIRE(!decoded);
    BOOST_TEST((decoded.error().code == base::errc::corrupt_record));
    BOOST_TEST(!decoded.error().internal.empty());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(offset_records)

BOOST_AUTO_TEST_CASE(bytes_are_those_of_the_documentation)
{
    BOOST_TEST(encode_key(key) == key_bytes);
    BOOST_TEST(encode_value(value) == value_bytes);
    committed noted = value;
    noted.metadata = "hi";
    BOOST_TEST(encode_value(noted) == value_with_metadata);
    BOOST_TEST((decode_key(key_bytes).value() == key));
    BOOST_TEST((decode_value(value_bytes).value() == value));
    BOOST_TEST((decode_value(value_with_metadata).value() == noted));
}

BOOST_AUTO_TEST_CASE(the_ends_of_the_ranges_come_back)
{
    for (const auto& group : {std::string{"g"}, std::string(249, 'x')})
        for (const int partition : {0, 9'999}) {
            const offset_key one{group, topic, base::partition_index{partition}};
            BOOST_TEST((decode_key(encode_key(one)).value() == one));
        }
    for (const auto& metadata :
         {std::optional<std::string>{}, std::optional{std::string{}}, std::optional{std::string(4096, '\0')}}) {
        const committed one{base::offset{base::json_integer_max}, metadata, 0};
        BOOST_TEST((decode_value(encode_value(one)).value() == one));
    }
}

BOOST_AUTO_TEST_CASE(cut_or_extended_bytes_are_corrupt)
{
    for (std::size_t length = 0; length < key_bytes.size(); ++length) refuses_key(key_bytes.substr(0, length));
    for (std::size_t length = 0; length < value_with_metadata.size(); ++length)
        refuses_value(value_with_metadata.substr(0, length));
    refuses_key(key_bytes + '\0');
    refuses_value(value_bytes + '\0');
    refuses_value(value_with_metadata + '\0');
}

BOOST_AUTO_TEST_CASE(other_versions_and_impossible_fields_are_corrupt)
{
    for (const char version : {'\0', '\2', '\xff'}) {
        refuses_key(version + key_bytes.substr(1));
        refuses_value(version + value_bytes.substr(1));
    }
    refuses_key(from_hex("01 0000 000102030405060708090a0b0c0d0e0f 00000000"));         // no group
    refuses_key(encode_key({std::string(250, 'x'), topic, base::partition_index{0}}));  // too long
    refuses_key(encode_key({"g", topic, base::partition_index{-1}}));
    refuses_key(encode_key({"g", topic, base::partition_index{10'000}}));
    refuses_value(encode_value({base::offset{-1}, std::nullopt, 0}));
    refuses_value(encode_value({base::offset{0}, std::nullopt, -1}));
    refuses_value(from_hex("01 0000000000000012 0000019ace6f9400 fffffffe"));
    refuses_value(from_hex("01 0000000000000012 0000019ace6f9400 7fffffff"));
}

BOOST_AUTO_TEST_CASE(groups_with_like_names_have_different_keys)  // C044
{
    BOOST_TEST(encode_key({"g", topic, base::partition_index{0}}) != encode_key({"G", topic, base::partition_index{0}}));
    BOOST_TEST(encode_key({"g", topic, base::partition_index{1}}) != encode_key({"g1", topic, base::partition_index{0}}));
}

BOOST_AUTO_TEST_SUITE_END()
