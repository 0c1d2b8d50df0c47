#include "core/storage/batch.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <random>

#include "core/base/bytes.hpp"
#include "core/base/crc32c.hpp"

using namespace pystream;
using namespace pystream::storage;

namespace {

batch_stamp stamp_at(std::int64_t base)
{
    batch_stamp stamp;
    stamp.base_offset = base::offset{base};
    stamp.epoch = base::leader_epoch{1};
    stamp.timestamp_ns = 42;
    stamp.high_watermark = base::offset{base};
    return stamp;
}

std::string sample_batch()
{
    record_set records;
    const header_view headers[] = {{"name", "value"}, {"name", ""}};
    records.add({.key = "key", .value = "value", .kind = value_kind::text, .headers = headers});
    records.add({.value = "second"});
    records.add({.key = "tombstone"});
    std::string out;
    append_batch(out, stamp_at(10), records);
    return out;
}

// Makes the checksum right again, so that only the check behind it can object.
void seal(std::string& batch)
{
    base::store_big_endian(batch.data() + batch_layout::crc,
                           base::crc32c(std::string_view{batch}.substr(batch_layout::attributes)));
}

template <class Integer>
std::string with_field(std::size_t position, Integer value)
{
    std::string batch = sample_batch();
    base::store_big_endian(batch.data() + position, value);
    seal(batch);
    return batch;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(batch_test)

BOOST_AUTO_TEST_CASE(any_changed_byte_is_noticed)
{
    const std::string batch = sample_batch();
    BOOST_REQUIRE(verify_batch(batch));
    for (std::size_t at = 0; at < batch.size(); ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            std::string changed = batch;
            changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
            BOOST_TEST(!verify_batch(changed), "byte " << at << " bit " << bit);
        }
    }
}

BOOST_AUTO_TEST_CASE(any_cut_is_noticed_and_what_follows_is_nobodys_business)
{
    const std::string batch = sample_batch();
    for (std::size_t size = 0; size < batch.size(); ++size) BOOST_TEST(!verify_batch(std::string_view{batch}.substr(0, size)));
    BOOST_TEST(verify_batch(batch + "more").has_value());
}

BOOST_AUTO_TEST_CASE(headers_that_make_no_sense_are_refused_even_with_a_valid_checksum)
{
    using layout = batch_layout;
    const auto refused = [](const std::string& batch) { return !decode_header(batch) && !verify_batch(batch); };
    BOOST_TEST(refused(with_field<std::uint8_t>(layout::magic, 0x51)));
    BOOST_TEST(refused(with_field<std::uint8_t>(layout::version, 3)));
    BOOST_TEST(refused(with_field<std::uint16_t>(layout::attributes, 1)));
    BOOST_TEST(refused(with_field<std::uint16_t>(layout::attributes, 0x20)));
    BOOST_TEST(refused(with_field<std::uint32_t>(layout::length, 83)));
    BOOST_TEST(refused(with_field<std::uint32_t>(layout::length, 0x7fffffff)));
    BOOST_TEST(refused(with_field<std::uint32_t>(layout::record_count, 4)));
    BOOST_TEST(refused(with_field<std::uint32_t>(layout::last_offset_delta, 1)));
    BOOST_TEST(refused(with_field<std::uint32_t>(layout::last_offset_delta, 0x80000000)));
    BOOST_TEST(refused(with_field<std::int64_t>(layout::base_offset, -1)));
    BOOST_TEST(refused(with_field<std::int64_t>(layout::base_offset, base::json_integer_max)));
    BOOST_TEST(refused(with_field<std::int32_t>(layout::epoch, -1)));
    BOOST_TEST(refused(with_field<std::int64_t>(layout::max_timestamp, 41)));
    BOOST_TEST(refused(with_field<std::int64_t>(layout::high_watermark, 11)));
    BOOST_TEST(refused(with_field<std::int64_t>(layout::high_watermark, -1)));
    BOOST_TEST(refused(with_field<std::int32_t>(layout::producer_epoch, -2)));
    BOOST_TEST(refused(with_field<std::int64_t>(layout::base_sequence, -2)));
    BOOST_TEST(!refused(with_field<std::int64_t>(layout::high_watermark, 9)));
    BOOST_TEST(!refused(with_field<std::int64_t>(layout::base_timestamp, std::numeric_limits<std::int64_t>::min())));
}

BOOST_AUTO_TEST_CASE(records_must_end_exactly_at_the_length)
{
    std::string longer = sample_batch() + '\0';
    base::store_big_endian(longer.data() + batch_layout::length, static_cast<std::uint32_t>(longer.size()));
    seal(longer);
    BOOST_TEST(decode_header(longer).has_value());
    BOOST_TEST(!verify_batch(longer));
    std::string shorter = sample_batch();
    shorter.pop_back();
    base::store_big_endian(shorter.data() + batch_layout::length, static_cast<std::uint32_t>(shorter.size()));
    seal(shorter);
    BOOST_TEST(!verify_batch(shorter));
}

// Bytes of any content with a valid checksum are refused or can be walked to their end.
BOOST_AUTO_TEST_CASE(record_bytes_of_any_content_are_walked_or_refused)
{
    std::mt19937_64 random{7};
    int accepted = 0;
    for (int i = 0; i < 30'000; ++i) {
        std::string batch = sample_batch();
        const std::size_t body = batch.size() - batch_layout::header_bytes;
        for (std::size_t k = 0; k < 1 + random() % 3; ++k)
            batch[batch_layout::header_bytes + random() % body] = static_cast<char>(random());
        seal(batch);
        if (!verify_batch(batch)) continue;
        ++accepted;
        record_cursor cursor{batch};
        decoded_record record;
        int count = 0;
        for (;;) {
            const auto more = cursor.next(record);
            BOOST_REQUIRE(more);
            if (!*more) break;
            ++count;
        }
        BOOST_REQUIRE(count == 3);
    }
    BOOST_TEST(accepted > 100);
}

BOOST_AUTO_TEST_CASE(a_selection_encodes_those_records_in_that_order)
{
    record_set records;
    for (const char* value : {"a", "b", "c", "d"}) records.add({.value = value});
    const std::uint32_t selection[] = {3, 1};
    std::string out = "before";
    const batch_header header = append_batch(out, stamp_at(5), records, selection);
    BOOST_TEST(header.record_count == 2);
    BOOST_TEST(header.end().value() == 7);
    BOOST_TEST(header.length_bytes == out.size() - 6);
    record_cursor cursor{std::string_view{out}.substr(6)};
    decoded_record record;
    BOOST_REQUIRE(*cursor.next(record));
    BOOST_TEST(*record.value == "d");
    BOOST_TEST(record.offset.value() == 5);
    BOOST_REQUIRE(*cursor.next(record));
    BOOST_TEST(*record.value == "b");
    BOOST_TEST(!*cursor.next(record));
}

BOOST_AUTO_TEST_CASE(the_upper_bound_holds_and_is_near)
{
    for (const std::size_t count : {1U, 63U, 64U, 65U, 8191U, 8193U, 20000U}) {
        record_set records;
        for (std::size_t i = 0; i < count; ++i) records.add({.key = "k", .value = "value"});
        std::string out;
        const batch_header header = append_batch(out, stamp_at(0), records);
        BOOST_TEST(header.length_bytes <= batch_bytes_upper_bound(records));
        BOOST_TEST(batch_bytes_upper_bound(records) <= header.length_bytes + 12 * count);
        BOOST_TEST(verify_batch(out).has_value());
        std::vector<std::uint32_t> half;
        for (std::uint32_t i = 0; i < count; i += 2) half.push_back(i);
        out.clear();
        BOOST_TEST(append_batch(out, stamp_at(0), records, half).length_bytes <= batch_bytes_upper_bound(records, half));
    }
}

BOOST_AUTO_TEST_CASE(keys_can_be_asked_for_before_encoding)
{
    record_set records;
    const std::string long_key(300, 'k');
    records.add({.value = "no key"});
    records.add({.key = "", .value = "empty key"});
    records.add({.key = long_key});
    BOOST_TEST(!records.key(0).has_value());
    BOOST_TEST(records.key(1).value() == "");
    BOOST_TEST(records.key(2).value() == long_key);
    BOOST_TEST(records.size() == 3);
    records.clear();
    BOOST_TEST(records.empty());
}

BOOST_AUTO_TEST_SUITE_END()
