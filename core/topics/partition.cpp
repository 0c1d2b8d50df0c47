#include "core/topics/partition.hpp"

#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"

namespace pystream::topics {

using base::offset;

partition::partition(tail_cache& cache, position at) noexcept
    : next_(at.end),
      high_watermark_(at.high_watermark),
      last_timestamp_ns_(at.last_timestamp_ns),
      has_keys_(at.has_keys),
      tail_(cache)
{
}

partition::accepted partition::accept(const storage::record_set& records, std::span<const std::uint32_t> selection,
                                      base::leader_epoch epoch, std::int64_t now_ns, std::uint16_t attributes)
{
    storage::batch_stamp stamp;
    stamp.base_offset = next_;
    stamp.epoch = epoch;
    stamp.timestamp_ns = std::max(now_ns, last_timestamp_ns_);
    stamp.high_watermark = high_watermark_;
    stamp.attributes = attributes;
    // Room for all of it first: running out of memory must leave no bytes without their extent.
    if (pending_.extents.size() == pending_.extents.capacity()) pending_.extents.reserve(2 * pending_.extents.size() + 8);
    pending_.bytes.reserve(pending_.bytes.size() + storage::batch_bytes_upper_bound(records, selection));
    const storage::batch_header header = storage::append_batch(pending_.bytes, stamp, records, selection);
    const bool keyed = (header.attributes & storage::batch_attributes::has_keys) != 0;
    if (pending_.extents.empty()) pending_.base = header.base_offset;
    pending_.end = header.end();
    pending_.extents.push_back(
        {header.base_offset, header.end(), header.length_bytes, header.max_timestamp_ns, header.epoch, header.crc, keyed});
    next_ = header.end();
    last_timestamp_ns_ = stamp.timestamp_ns;
    has_keys_ = has_keys_ || keyed;
    return {header.base_offset, header.end(), stamp.timestamp_ns};
}

pending_batches partition::take_pending()
{
    return std::exchange(pending_, {});
}

void partition::roll_back(offset at)
{
    PYSTREAM_ASSERT(at >= high_watermark_ && at <= next_);
    pending_ = {};
    next_ = at;
}

void partition::raise_high_watermark(offset at)
{
    PYSTREAM_ASSERT(at >= high_watermark_ && at <= next_);
    high_watermark_ = at;
}

}  // namespace pystream::topics
