#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/ids.hpp"

// The sparse offset and time index of one segment: a hint where to begin, derived from the segment and never trusted.
// File format: docs/formats.md.

namespace pystream::storage {

struct index_entry {
    base::offset offset;            // of a batch
    std::uint64_t position = 0;     // of the same batch in the segment file
    std::int64_t timestamp_ns = 0;  // its max timestamp
    friend bool operator==(const index_entry&, const index_entry&) = default;
};

struct index_layout {
    static constexpr std::size_t magic = 0;           // u32 "PSIX"
    static constexpr std::size_t version = 4;         // u16, then u16 zero
    static constexpr std::size_t base_offset = 8;     // i64 of the segment
    static constexpr std::size_t segment_bytes = 16;  // u64 how much of the segment it covers
    static constexpr std::size_t entry_count = 24;    // u32
    static constexpr std::size_t crc = 28;            // u32 CRC-32C of the bytes before and behind this field
    static constexpr std::size_t header_bytes = 32;
    static constexpr std::size_t entry_bytes = 24;  // i64 offset, u64 position, i64 timestamp
    static constexpr std::uint32_t magic_value = 0x50534958;
    static constexpr std::uint16_t version_value = 1;
};

class sparse_index {
public:
    // Tells of the next batch; keeps an entry for the first one and then for one in every limits::index_interval_bytes.
    void add(const index_entry& batch);
    // Forgets the entries at `position` and behind it.
    void cut(std::uint64_t position);
    const std::vector<index_entry>& entries() const noexcept { return entries_; }
    // The last entry at or below `offset` / with a timestamp below `timestamp_ns`; null when there is none.
    const index_entry* at_or_below(base::offset offset) const noexcept;
    const index_entry* before_time(std::int64_t timestamp_ns) const noexcept;

    std::string encode(base::offset segment_base, std::uint64_t segment_bytes) const;
    // Of a whole index file; the error says in `internal` what does not fit.
    static base::result<sparse_index> decode(std::string_view file, base::offset segment_base, std::uint64_t segment_bytes);

private:
    std::vector<index_entry> entries_;
};

// The entry count that the header of an index file of `file_bytes` claims, checked against segment and size, not by checksum.
base::result<std::uint32_t> decode_index_header(std::string_view header, std::uint64_t file_bytes, base::offset segment_base,
                                                std::uint64_t segment_bytes);
index_entry decode_index_entry(const char* bytes) noexcept;

}  // namespace pystream::storage
