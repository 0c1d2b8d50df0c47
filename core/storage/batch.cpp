#include "core/storage/batch.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/base/bytes.hpp"
#include "core/base/crc32c.hpp"
#include "core/base/limits.hpp"

namespace pystream::storage {
namespace {

using layout = batch_layout;

constexpr std::size_t record_prefix_bytes = 12;  // attributes, a zero timestamp delta, the longest offset delta

base::error corrupt(std::string_view reason)
{
    return {base::errc::corrupt_record, {}, std::string{reason}};
}

void store_header(char* to, const batch_header& header)
{
    to[layout::magic] = static_cast<char>(layout::magic_value);
    to[layout::version] = static_cast<char>(layout::version_value);
    base::store_big_endian(to + layout::attributes, header.attributes);
    base::store_big_endian(to + layout::length, header.length_bytes);
    base::store_big_endian(to + layout::record_count, header.record_count);
    base::store_big_endian(to + layout::base_offset, header.base_offset.value());
    base::store_big_endian(to + layout::last_offset_delta, header.last_offset_delta);
    base::store_big_endian(to + layout::epoch, header.epoch.value());
    base::store_big_endian(to + layout::base_timestamp, header.base_timestamp_ns);
    base::store_big_endian(to + layout::max_timestamp, header.max_timestamp_ns);
    base::store_big_endian(to + layout::high_watermark, header.high_watermark.value());
    base::store_big_endian(to + layout::base_sequence, header.producer.base_sequence);
    base::store_big_endian(to + layout::producer_epoch, header.producer.epoch);
    std::memcpy(to + layout::producer, header.producer.producer.data(), header.producer.producer.size());
}

batch_header load_header(const char* from)
{
    batch_header header;
    header.crc = base::load_big_endian<std::uint32_t>(from + layout::crc);
    header.attributes = base::load_big_endian<std::uint16_t>(from + layout::attributes);
    header.length_bytes = base::load_big_endian<std::uint32_t>(from + layout::length);
    header.record_count = base::load_big_endian<std::uint32_t>(from + layout::record_count);
    header.base_offset = base::offset{base::load_big_endian<std::int64_t>(from + layout::base_offset)};
    header.last_offset_delta = base::load_big_endian<std::uint32_t>(from + layout::last_offset_delta);
    header.epoch = base::leader_epoch{base::load_big_endian<std::int32_t>(from + layout::epoch)};
    header.base_timestamp_ns = base::load_big_endian<std::int64_t>(from + layout::base_timestamp);
    header.max_timestamp_ns = base::load_big_endian<std::int64_t>(from + layout::max_timestamp);
    header.high_watermark = base::offset{base::load_big_endian<std::int64_t>(from + layout::high_watermark)};
    header.producer.base_sequence = base::load_big_endian<std::int64_t>(from + layout::base_sequence);
    header.producer.epoch = base::load_big_endian<std::int32_t>(from + layout::producer_epoch);
    std::memcpy(header.producer.producer.data(), from + layout::producer, header.producer.producer.size());
    return header;
}

// What is wrong with the fields taken together; empty when nothing is.
std::string_view header_fault(const batch_header& header)
{
    if (header.attributes != (header.attributes & (batch_attributes::internal | batch_attributes::has_keys)))
        return "unknown attributes";
    if (header.length_bytes < layout::header_bytes || header.length_bytes > base::limits::batch_bytes_max)
        return "impossible length";
    if (header.last_offset_delta > 0x7fffffff) return "impossible last offset delta";
    if (header.record_count > header.last_offset_delta + 1) return "more records than offsets";
    if (header.record_count > (header.length_bytes - layout::header_bytes) / record_bytes_min) return "more records than bytes";
    const std::int64_t first = header.base_offset.value();
    if (first < 0 || first > base::json_integer_max - header.last_offset_delta) return "impossible base offset";
    if (header.high_watermark < base::offset{0} || header.high_watermark > header.base_offset)
        return "impossible high watermark";
    if (header.epoch < base::leader_epoch{0}) return "impossible epoch";
    if (header.max_timestamp_ns < header.base_timestamp_ns) return "timestamps out of order";
    if (header.producer.epoch < -1 || header.producer.base_sequence < -1) return "impossible producer stamp";
    return {};
}

// One record as it stands in the batch, its headers still encoded.
struct raw_record {
    std::uint8_t attributes = 0;
    std::int64_t timestamp_delta = 0;
    std::int64_t offset_delta = 0;
    std::optional<std::string_view> key;
    std::optional<std::string_view> value;
    std::int64_t header_count = 0;
};

bool take_sized(std::string_view& in, std::string_view& bytes)
{
    std::int64_t size = 0;
    if (!base::read_varint(in, size) || size < 0 || static_cast<std::uint64_t>(size) > in.size()) return false;
    bytes = in.substr(0, static_cast<std::size_t>(size));
    in.remove_prefix(bytes.size());
    return true;
}

bool take_nullable(std::string_view& in, std::optional<std::string_view>& bytes)
{
    constexpr char null_size = 1;  // zigzag(-1)
    if (!in.empty() && in.front() == null_size) {
        in.remove_prefix(1);
        bytes.reset();
        return true;
    }
    std::string_view taken;
    if (!take_sized(in, taken)) return false;
    bytes = taken;
    return true;
}

bool take_record(std::string_view& in, raw_record& record)
{
    if (in.empty()) return false;
    record.attributes = static_cast<std::uint8_t>(in.front());
    in.remove_prefix(1);
    constexpr std::uint8_t known = record_attributes::kind_mask | record_attributes::key_is_text;
    const bool kind_known = (record.attributes & record_attributes::kind_mask) <= static_cast<std::uint8_t>(value_kind::json);
    return kind_known && (record.attributes & ~known) == 0 && base::read_varint(in, record.timestamp_delta) &&
           base::read_varint(in, record.offset_delta) && take_nullable(in, record.key) && take_nullable(in, record.value) &&
           base::read_varint(in, record.header_count) && record.header_count >= 0;
}

bool take_header(std::string_view& in, header_view& header)
{
    return take_sized(in, header.name) && take_sized(in, header.value);
}

bool walk_fits(const batch_header& header, std::string_view records)
{
    raw_record record;
    std::int64_t previous_delta = -1;
    // Unsigned, because a header may span more than half of all timestamps; it is never negative (header_fault).
    const auto timestamp_span =
        static_cast<std::uint64_t>(header.max_timestamp_ns) - static_cast<std::uint64_t>(header.base_timestamp_ns);
    for (std::uint32_t i = 0; i < header.record_count; ++i) {
        if (!take_record(records, record)) return false;
        if (record.offset_delta <= previous_delta || record.offset_delta > header.last_offset_delta) return false;
        if (record.timestamp_delta < 0 || static_cast<std::uint64_t>(record.timestamp_delta) > timestamp_span) return false;
        previous_delta = record.offset_delta;
        header_view skipped;
        for (std::int64_t left = record.header_count; left > 0; --left)
            if (!take_header(records, skipped)) return false;
    }
    return records.empty();
}

void append_record(std::string& out, const record_set& records, std::size_t index, std::uint32_t delta)
{
    char prefix[record_prefix_bytes];
    std::size_t size = 0;
    prefix[size++] = static_cast<char>(records.attributes(index));
    prefix[size++] = 0;  // every record of a new batch has the batch's timestamp
    std::uint64_t bits = base::zigzag(delta);
    for (; bits >= 0x80; bits >>= 7) prefix[size++] = static_cast<char>(bits | 0x80);
    prefix[size++] = static_cast<char>(bits);
    out.append(prefix, size);
    out.append(records.body(index));
}

bool any_keys(const record_set& records, std::span<const std::uint32_t> selection)
{
    if (selection.empty()) return records.keyed() > 0;
    return std::any_of(selection.begin(), selection.end(), [&](std::uint32_t index) { return records.key(index).has_value(); });
}

}  // namespace

batch_header append_batch(std::string& out, const batch_stamp& stamp, const record_set& records,
                          std::span<const std::uint32_t> selection)
{
    const std::size_t count = selection.empty() ? records.size() : selection.size();
    PYSTREAM_ASSERT(count > 0);
    const std::size_t begin = out.size();
    out.reserve(begin + batch_bytes_upper_bound(records, selection));
    out.append(layout::header_bytes, '\0');
    for (std::size_t i = 0; i < count; ++i)
        append_record(out, records, selection.empty() ? i : selection[i], static_cast<std::uint32_t>(i));
    PYSTREAM_ASSERT(out.size() - begin <= base::limits::batch_bytes_max);

    batch_header header;
    header.attributes = stamp.attributes;
    if (any_keys(records, selection)) header.attributes |= batch_attributes::has_keys;
    header.length_bytes = static_cast<std::uint32_t>(out.size() - begin);
    header.record_count = static_cast<std::uint32_t>(count);
    header.base_offset = stamp.base_offset;
    header.last_offset_delta = static_cast<std::uint32_t>(count - 1);
    header.epoch = stamp.epoch;
    header.base_timestamp_ns = stamp.timestamp_ns;
    header.max_timestamp_ns = stamp.timestamp_ns;
    header.high_watermark = stamp.high_watermark;
    header.producer = stamp.producer;
    PYSTREAM_ASSERT(header_fault(header).empty());
    store_header(out.data() + begin, header);
    header.crc = base::crc32c(std::string_view{out}.substr(begin + layout::attributes));
    base::store_big_endian(out.data() + begin + layout::crc, header.crc);
    return header;
}

std::size_t batch_bytes_upper_bound(const record_set& records, std::span<const std::uint32_t> selection) noexcept
{
    if (selection.empty()) return layout::header_bytes + records.size() * record_prefix_bytes + records.body_bytes();
    std::size_t bytes = layout::header_bytes + selection.size() * record_prefix_bytes;
    for (const std::uint32_t index : selection) bytes += records.body(index).size();
    return bytes;
}

base::result<batch_header> decode_header(std::string_view bytes)
{
    if (bytes.size() < layout::header_bytes) return corrupt("the batch header is cut short");
    if (static_cast<std::uint8_t>(bytes[layout::magic]) != layout::magic_value) return corrupt("no batch magic");
    if (static_cast<std::uint8_t>(bytes[layout::version]) != layout::version_value) return corrupt("unknown batch version");
    const batch_header header = load_header(bytes.data());
    if (const std::string_view fault = header_fault(header); !fault.empty()) return corrupt(fault);
    return header;
}

base::result<batch_header> verify_batch(std::string_view bytes)
{
    auto header = decode_header(bytes);
    if (!header) return header;
    if (bytes.size() < header->length_bytes) return corrupt("the batch is cut short");
    bytes = bytes.substr(0, header->length_bytes);
    if (base::crc32c(bytes.substr(layout::attributes)) != header->crc) return corrupt("checksum mismatch");
    if (!walk_fits(*header, bytes.substr(layout::header_bytes))) return corrupt("the records do not fit the batch");
    return header;
}

record_cursor::record_cursor(std::string_view batch) : header_(load_header(batch.data())), left_(header_.record_count)
{
    PYSTREAM_ASSERT(batch.size() >= header_.length_bytes && header_.length_bytes >= layout::header_bytes);
    rest_ = batch.substr(layout::header_bytes, header_.length_bytes - layout::header_bytes);
}

base::result<bool> record_cursor::next(decoded_record& record)
{
    if (left_ == 0) return false;
    raw_record raw;
    if (!take_record(rest_, raw)) return corrupt("a record does not fit the batch");
    headers_.clear();
    header_view header;
    for (std::int64_t left = raw.header_count; left > 0; --left) {
        if (!take_header(rest_, header)) return corrupt("a record header does not fit the batch");
        headers_.push_back(header);
    }
    --left_;
    record.offset = header_.base_offset + raw.offset_delta;
    record.timestamp_ns = header_.base_timestamp_ns + raw.timestamp_delta;
    record.key_is_text = (raw.attributes & record_attributes::key_is_text) != 0;
    record.kind = static_cast<value_kind>(raw.attributes & record_attributes::kind_mask);
    record.key = raw.key;
    record.value = raw.value;
    record.headers = headers_;
    return true;
}

}  // namespace pystream::storage
