// The formats on disk, byte for byte as docs/formats.md has them; the files are made by tests/golden/make_batches.py.
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <sstream>

#include "core/storage/batch.hpp"
#include "core/storage/checkpoint.hpp"
#include "core/storage/sparse_index.hpp"

using namespace pystream;
using namespace pystream::storage;

namespace {

std::string golden(const std::string& name)
{
    std::ifstream file{std::string{PYSTREAM_SOURCE_DIR} + "/tests/golden/" + name, std::ios::binary};
    std::ostringstream content;
    content << file.rdbuf();
    BOOST_REQUIRE_MESSAGE(!content.str().empty(), name);
    return content.str();
}

std::vector<std::string> golden_batches()
{
    const std::string file = golden("batches.bin");
    std::vector<std::string> batches;
    for (std::string_view rest = file; !rest.empty();) {
        const auto header = verify_batch(rest);
        BOOST_REQUIRE_MESSAGE(header, (header ? "" : header.error().internal));
        batches.emplace_back(rest.substr(0, header->length_bytes));
        rest.remove_prefix(header->length_bytes);
    }
    return batches;
}

struct read_record {
    std::int64_t offset;
    std::int64_t timestamp_ns;
    bool key_is_text;
    value_kind kind;
    std::optional<std::string> key;
    std::optional<std::string> value;
    std::vector<std::pair<std::string, std::string>> headers;
};

std::vector<read_record> read_records(std::string_view batch)
{
    std::vector<read_record> out;
    record_cursor cursor{batch};
    decoded_record record;
    for (auto more = cursor.next(record); more && *more; more = cursor.next(record)) {
        read_record& read = out.emplace_back();
        read.offset = record.offset.value();
        read.timestamp_ns = record.timestamp_ns;
        read.key_is_text = record.key_is_text;
        read.kind = record.kind;
        if (record.key) read.key = std::string{*record.key};
        if (record.value) read.value = std::string{*record.value};
        for (const header_view& header : record.headers) read.headers.emplace_back(header.name, header.value);
    }
    return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(golden_test)

BOOST_AUTO_TEST_CASE(batches_are_encoded_byte_for_byte)
{
    const std::vector<std::string> expected = golden_batches();
    BOOST_REQUIRE(expected.size() == 5);

    record_set records;
    const header_view one[] = {{"h", "v"}};
    records.add({.key = "user-1", .value = R"({"n":1})", .kind = value_kind::json, .headers = one});
    std::string out;
    append_batch(out, {base::offset{0}, base::leader_epoch{1}, 1764400000000000000, base::offset{0}, {}, 0}, records);
    BOOST_TEST(out == expected[0]);

    records.clear();
    std::string all_bytes(256, '\0');
    for (std::size_t i = 0; i < 256; ++i) all_bytes[i] = static_cast<char>(i);
    const header_view three[] = {{"a", "1"}, {"a", "2"}, {"b", ""}};
    records.add({.value = ""});
    records.add({.key = "", .value = "text", .kind = value_kind::text});
    records.add({.key = "gone"});
    records.add({.key = std::string_view{"\x00\xff", 2}, .key_is_text = false, .value = all_bytes, .headers = three});
    out.clear();
    append_batch(out, {base::offset{1}, base::leader_epoch{3}, 1764400000000000001, base::offset{1}, {}, 0}, records);
    BOOST_TEST(out == expected[1]);

    records.clear();
    const std::string value(70, 'x');
    for (int i = 0; i < 70; ++i) records.add({.value = value});
    producer_stamp producer{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 7, 123456789012};
    out.clear();
    append_batch(out,
                 {base::offset{5}, base::leader_epoch{2147483647}, 1764400000000000002, base::offset{4}, producer,
                  batch_attributes::internal},
                 records);
    BOOST_TEST(out == expected[2]);
}

BOOST_AUTO_TEST_CASE(batches_are_decoded_as_they_were_made)
{
    const std::vector<std::string> batches = golden_batches();
    const auto third = decode_header(batches[2]);
    BOOST_TEST(third->producer.epoch == 7);
    BOOST_TEST(third->producer.base_sequence == 123456789012);
    BOOST_TEST(third->producer.producer[15] == 16);
    BOOST_TEST(third->attributes == batch_attributes::internal);
    BOOST_TEST(third->high_watermark.value() == 4);
    BOOST_TEST(third->epoch.value() == 2147483647);
    BOOST_TEST(third->end().value() == 75);

    const auto records = read_records(batches[1]);
    BOOST_REQUIRE(records.size() == 4);
    BOOST_TEST(!records[0].key.has_value());
    BOOST_TEST(records[0].value.value().empty());
    BOOST_TEST(records[1].key.value().empty());
    BOOST_TEST((records[1].kind == value_kind::text));
    BOOST_TEST(!records[2].value.has_value());
    BOOST_TEST(records[3].offset == 4);
    BOOST_TEST(!records[3].key_is_text);
    BOOST_TEST(records[3].value.value().size() == 256);
    BOOST_REQUIRE(records[3].headers.size() == 3);
    BOOST_TEST(records[3].headers[1].first == "a");
    BOOST_TEST(records[3].headers[1].second == "2");

    const auto compacted = read_records(batches[3]);
    BOOST_REQUIRE(compacted.size() == 2);
    BOOST_TEST(compacted[0].offset == 76);
    BOOST_TEST(compacted[1].offset == 84);
    BOOST_TEST(compacted[1].timestamp_ns == 1764400000000000013);
    BOOST_TEST(decode_header(batches[3])->end().value() == 85);
    BOOST_TEST(read_records(batches[4]).empty());
    BOOST_TEST(decode_header(batches[4])->end().value() == 90);
}

BOOST_AUTO_TEST_CASE(the_checkpoint_is_byte_for_byte)
{
    const checkpoint value{base::offset{3}, base::offset{100}, {8192, base::offset{250}}, 8000, true};
    BOOST_TEST(encode_checkpoint(value) == golden("checkpoint.bin"));
    const auto read = decode_checkpoint(golden("checkpoint.bin"));
    BOOST_REQUIRE(read);
    BOOST_TEST((*read == value));
}

BOOST_AUTO_TEST_CASE(the_index_is_byte_for_byte)
{
    sparse_index index;
    index.add({base::offset{100}, 0, 10});
    index.add({base::offset{120}, 10000, 15});  // too near to the one before
    index.add({base::offset{140}, 20000, 20});
    index.add({base::offset{200}, 40000, 20});
    BOOST_TEST(index.encode(base::offset{100}, 50000) == golden("segment.index"));
    const auto read = sparse_index::decode(golden("segment.index"), base::offset{100}, 50000);
    BOOST_REQUIRE(read);
    BOOST_TEST((read->entries() == index.entries()));
}

BOOST_AUTO_TEST_SUITE_END()
