#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/storage/batch.hpp"
#include "core/storage/log.hpp"
#include "core/topics/tail_cache.hpp"

namespace pystream::topics {

// Accepted batches that no replica has been given yet: encoded, contiguous, from `base` to `end`.
struct pending_batches {
    std::string bytes;
    std::vector<storage::batch_extent> extents;
    base::offset base;
    base::offset end;
};

// The leader's memory of one partition: it assigns offset and timestamp, encodes each batch once, and knows how far readers may see.
// No I/O and no waiting; whoever owns it moves the pending bytes to the replicas. Owner: the loop thread.
//
//   high_watermark() <= next_offset()
//   visible             accepted
class partition {
public:
    struct position {
        base::offset end;  // of the log
        base::offset high_watermark;
        std::int64_t last_timestamp_ns = 0;
        bool has_keys = false;
    };
    partition(tail_cache& cache, position at) noexcept;

    struct accepted {
        base::offset base;
        base::offset end;
        std::int64_t timestamp_ns = 0;
    };
    // Encodes records[selection...] as one batch at the end. Nothing is durable yet. The timestamp is `now_ns`, or the last one when the
    // clock went back.
    accepted accept(const storage::record_set& records, std::span<const std::uint32_t> selection, base::leader_epoch epoch,
                    std::int64_t now_ns, std::uint16_t attributes = 0);

    bool has_pending() const noexcept { return !pending_.extents.empty(); }
    // Hands over everything pending; what is accepted from now on forms the next lot.
    pending_batches take_pending();

    // Nothing at or above `at` was stored, and nothing of it will be: those offsets are given out again, pending batches are dropped.
    // Precondition: at >= high_watermark().
    void roll_back(base::offset at);

    // Every active replica has everything below `at` durably. Never goes back.
    void raise_high_watermark(base::offset at);

    base::offset next_offset() const noexcept { return next_; }
    base::offset high_watermark() const noexcept { return high_watermark_; }
    bool has_keys() const noexcept { return has_keys_; }
    tail_ring& tail() noexcept { return tail_; }
    const tail_ring& tail() const noexcept { return tail_; }

private:
    base::offset next_;
    base::offset high_watermark_;
    std::int64_t last_timestamp_ns_;
    bool has_keys_;
    pending_batches pending_;
    tail_ring tail_;
};

}  // namespace pystream::topics
