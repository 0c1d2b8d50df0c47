#include "core/storage/sparse_index.hpp"

#include <algorithm>

#include "core/base/bytes.hpp"
#include "core/base/crc32c.hpp"
#include "core/base/limits.hpp"

namespace pystream::storage {
namespace {

using layout = index_layout;

base::error wrong(std::string_view reason)
{
    return {base::errc::corrupt_metadata, {}, std::string{reason}};
}

// The checksum stands inside the bytes it covers: it is taken over them with its own field as zero.
std::uint32_t checksum(std::string file)
{
    base::store_big_endian<std::uint32_t>(file.data() + layout::crc, 0);
    return base::crc32c(file);
}

const index_entry* before(const std::vector<index_entry>& entries, std::vector<index_entry>::const_iterator at)
{
    return at == entries.begin() ? nullptr : &*std::prev(at);
}

}  // namespace

void sparse_index::add(const index_entry& batch)
{
    if (entries_.empty() || batch.position - entries_.back().position >= base::limits::index_interval_bytes)
        entries_.push_back(batch);
}

void sparse_index::cut(std::uint64_t position)
{
    while (!entries_.empty() && entries_.back().position >= position) entries_.pop_back();
}

const index_entry* sparse_index::at_or_below(base::offset offset) const noexcept
{
    return before(entries_, std::partition_point(entries_.begin(), entries_.end(),
                                                 [&](const index_entry& entry) { return entry.offset <= offset; }));
}

const index_entry* sparse_index::before_time(std::int64_t timestamp_ns) const noexcept
{
    return before(entries_, std::partition_point(entries_.begin(), entries_.end(),
                                                 [&](const index_entry& entry) { return entry.timestamp_ns < timestamp_ns; }));
}

std::string sparse_index::encode(base::offset segment_base, std::uint64_t segment_bytes) const
{
    std::string file;
    file.reserve(layout::header_bytes + entries_.size() * layout::entry_bytes);
    base::append_big_endian(file, layout::magic_value);
    base::append_big_endian(file, layout::version_value);
    base::append_big_endian<std::uint16_t>(file, 0);
    base::append_big_endian(file, segment_base.value());
    base::append_big_endian(file, segment_bytes);
    base::append_big_endian(file, static_cast<std::uint32_t>(entries_.size()));
    base::append_big_endian<std::uint32_t>(file, 0);
    for (const index_entry& entry : entries_) {
        base::append_big_endian(file, entry.offset.value());
        base::append_big_endian(file, entry.position);
        base::append_big_endian(file, entry.timestamp_ns);
    }
    base::store_big_endian(file.data() + layout::crc, base::crc32c(file));
    return file;
}

base::result<sparse_index> sparse_index::decode(std::string_view file, base::offset segment_base, std::uint64_t segment_bytes)
{
    const auto count = decode_index_header(file.substr(0, layout::header_bytes), file.size(), segment_base, segment_bytes);
    if (!count) return count.error();
    if (checksum(std::string{file}) != base::load_big_endian<std::uint32_t>(file.data() + layout::crc))
        return wrong("checksum mismatch");
    sparse_index index;
    index.entries_.reserve(*count);
    for (std::uint32_t i = 0; i < *count; ++i)
        index.entries_.push_back(decode_index_entry(file.data() + layout::header_bytes + i * layout::entry_bytes));
    return index;
}

base::result<std::uint32_t> decode_index_header(std::string_view header, std::uint64_t file_bytes, base::offset segment_base,
                                                std::uint64_t segment_bytes)
{
    if (header.size() < layout::header_bytes) return wrong("shorter than its header");
    const char* const bytes = header.data();
    if (base::load_big_endian<std::uint32_t>(bytes + layout::magic) != layout::magic_value) return wrong("no index magic");
    if (base::load_big_endian<std::uint16_t>(bytes + layout::version) != layout::version_value) return wrong("unknown version");
    if (base::load_big_endian<std::int64_t>(bytes + layout::base_offset) != segment_base.value())
        return wrong("of another segment");
    if (base::load_big_endian<std::uint64_t>(bytes + layout::segment_bytes) != segment_bytes) return wrong("of another size");
    const auto count = base::load_big_endian<std::uint32_t>(bytes + layout::entry_count);
    if (file_bytes != layout::header_bytes + std::uint64_t{count} * layout::entry_bytes) return wrong("not as long as it says");
    return count;
}

index_entry decode_index_entry(const char* bytes) noexcept
{
    return {base::offset{base::load_big_endian<std::int64_t>(bytes)}, base::load_big_endian<std::uint64_t>(bytes + 8),
            base::load_big_endian<std::int64_t>(bytes + 16)};
}

}  // namespace pystream::storage
