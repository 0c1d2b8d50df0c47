#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/ids.hpp"
#include "core/storage/record.hpp"

// Record batch, format version 2: the unit that is written, checksummed, replicated and fetched.
// Layout byte by byte with a worked example: docs/formats.md.

namespace pystream::storage {

// 128 bits derived from a producer's name; all zero: not from an idempotent producer.
using producer_key = std::array<unsigned char, 16>;

struct producer_stamp {
    producer_key producer{};
    std::int32_t epoch = -1;
    std::int64_t base_sequence = -1;
};

struct batch_attributes {
    static constexpr std::uint16_t compression_mask = 0x0007;  // 0 none, 1 zstd
    static constexpr std::uint16_t internal = 0x0008;          // written by the broker, not by a user
    static constexpr std::uint16_t has_keys = 0x0010;          // set by append_batch: at least one record has a key
};

// Where each field of the fixed header begins; all integers are big-endian.
struct batch_layout {
    static constexpr std::size_t magic = 0;               // u8  0x50
    static constexpr std::size_t version = 1;             // u8  2
    static constexpr std::size_t crc = 2;                 // u32 CRC-32C of every byte from `attributes` to the end of the batch
    static constexpr std::size_t attributes = 6;          // u16
    static constexpr std::size_t length = 8;              // u32 of the whole batch, header included
    static constexpr std::size_t record_count = 12;       // u32
    static constexpr std::size_t base_offset = 16;        // i64
    static constexpr std::size_t last_offset_delta = 24;  // u32
    static constexpr std::size_t epoch = 28;              // i32 leader epoch
    static constexpr std::size_t base_timestamp = 32;     // i64 ns since 1970
    static constexpr std::size_t max_timestamp = 40;      // i64 ns since 1970
    static constexpr std::size_t high_watermark = 48;     // i64 durable high watermark when it was encoded
    static constexpr std::size_t base_sequence = 56;      // i64, -1 none
    static constexpr std::size_t producer_epoch = 64;     // i32, -1 none
    static constexpr std::size_t producer = 68;           // 16 bytes, zero none
    static constexpr std::size_t header_bytes = 84;
    static constexpr std::uint8_t magic_value = 0x50;
    static constexpr std::uint8_t version_value = 2;
};

struct batch_header {
    std::uint32_t crc = 0;
    std::uint16_t attributes = 0;
    std::uint32_t length_bytes = 0;
    std::uint32_t record_count = 0;
    base::offset base_offset;
    std::uint32_t last_offset_delta = 0;
    base::leader_epoch epoch;
    std::int64_t base_timestamp_ns = 0;
    std::int64_t max_timestamp_ns = 0;
    base::offset high_watermark;
    producer_stamp producer;
    base::offset end() const noexcept { return base_offset + (std::int64_t{last_offset_delta} + 1); }
};

inline constexpr std::size_t record_bytes_min = 6;  // attributes, two deltas, three counts

// What the leader decides about a new batch.
struct batch_stamp {
    base::offset base_offset;
    base::leader_epoch epoch;
    std::int64_t timestamp_ns = 0;
    base::offset high_watermark;
    producer_stamp producer;
    std::uint16_t attributes = 0;
};

// Encodes records[selection...] (all of them when `selection` is empty) as one batch behind `out`.
// Precondition: at least one record, and the batch stays below limits::batch_bytes_max. Returns its header.
batch_header append_batch(std::string& out, const batch_stamp& stamp, const record_set& records,
                          std::span<const std::uint32_t> selection = {});

// The size append_batch would add, at the most.
std::size_t batch_bytes_upper_bound(const record_set& records, std::span<const std::uint32_t> selection = {}) noexcept;

// Reads the fixed header of the batch at the front of `bytes`. Checks magic, version, and that the fields make sense
// together (length within limits, count and delta, watermark not above the base offset); not the CRC, not the rest.
// The error is corrupt_record with a reason in `internal`.
base::result<batch_header> decode_header(std::string_view bytes);

// The same, and the whole batch is there, its CRC holds and the records end exactly at its length.
base::result<batch_header> verify_batch(std::string_view bytes);

struct decoded_record {
    base::offset offset;
    std::int64_t timestamp_ns = 0;
    bool key_is_text = true;
    value_kind kind = value_kind::bytes;
    std::optional<std::string_view> key;
    std::optional<std::string_view> value;
    std::span<const header_view> headers;  // valid until the cursor's next call
};

// Walks the records of one verified batch. Views point into `batch`, which must outlive the cursor.
class record_cursor {
public:
    // Precondition: `batch` starts with a batch that verify_batch accepted.
    explicit record_cursor(std::string_view batch);
    // False at the end; an error where the walk does not fit (never after verify_batch).
    base::result<bool> next(decoded_record& record);

private:
    batch_header header_;
    std::string_view rest_;
    std::uint32_t left_;
    std::vector<header_view> headers_;
};

// Consecutive whole batches as they stand in the log, kept alive by whoever holds it.
struct batch_run {
    std::shared_ptr<const std::string> owner;
    std::string_view bytes;  // into *owner; verified
    base::offset base;       // of the first batch
    base::offset end;        // behind the last batch
};

}  // namespace pystream::storage
