#include "core/storage/active_scan.hpp"

#include <algorithm>

#include "core/base/limits.hpp"
#include "core/storage/log_state.hpp"

namespace pystream::storage {
namespace {

base::result<bool> is_zero(const io::file& file, std::uint64_t position, std::uint64_t end)
{
    std::string piece;
    while (position < end) {
        piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(base::limits::mebibyte, end - position)));
        const auto count = file.read_at(position, piece);
        if (!count) return count.error();
        if (*count == 0) break;
        if (piece.find_first_not_of('\0') < *count) return false;
        position += *count;
    }
    return true;
}

}  // namespace

void batch_tally::add(const scanned_batch& batch)
{
    index.add({batch.header.base_offset, batch.position, batch.header.max_timestamp_ns});
    last = extent_of(batch.header);
    last_position = batch.position;
    high_watermark = std::max(high_watermark, batch.header.high_watermark);
    has_keys = has_keys || (batch.header.attributes & batch_attributes::has_keys) != 0;
}

std::optional<place> active_scan::first_invalid() const
{
    if (!gaps.empty()) return gaps.front().from;
    if (end.position < file_bytes) return end;
    return std::nullopt;
}

base::result<active_scan> scan_active(const io::file& file, place begin, batch_tally known, std::uint64_t file_bytes)
{
    active_scan scan;
    scan.whole = std::move(known);
    scan.file_bytes = file_bytes;
    segment_walker walker{file, begin, file_bytes};
    for (;;) {
        const auto batch = walker.next();
        if (!batch) return batch.error();
        if (!*batch) break;
        if (scan.gaps.empty() && !walker.gaps().empty()) scan.all = scan.whole;
        scan.gaps = walker.gaps();
        (scan.gaps.empty() ? scan.whole : scan.all).add(**batch);
    }
    if (scan.gaps.empty()) scan.all = scan.whole;
    scan.end = walker.at();
    scan.fault = walker.fault();
    scan.stray_proof = walker.stray_proof();
    scan.bytes_read = walker.bytes_read();
    const auto zero = is_zero(file, scan.end.position, file_bytes);
    if (!zero) return zero.error();
    scan.zero_tail = scan.end.position < file_bytes && *zero;
    return scan;
}

verdict judge(const active_scan& scan, std::optional<base::offset> recovery_point)
{
    const auto invalid = scan.first_invalid();
    if (!recovery_point) {
        // Nothing says how far the acknowledged records went, so only what cannot hold any is cut.
        if (!invalid) return verdict::whole;
        return scan.gaps.empty() && scan.zero_tail ? verdict::torn_tail : verdict::damaged;
    }
    if ((invalid ? invalid->offset : scan.end.offset) < *recovery_point) return verdict::damaged;
    if (!invalid) return verdict::whole;
    // A batch records a watermark above the place: what stood there had been made durable everywhere before that batch was encoded.
    const bool acknowledged = scan.stray_proof || scan.all.high_watermark > invalid->offset;
    return acknowledged ? verdict::damaged : verdict::torn_tail;
}

}  // namespace pystream::storage
