#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/storage/batch.hpp"
#include "core/storage/log.hpp"

namespace pystream::topics {

class tail_ring;

// The memory budget that all partitions' recent batches share. When it is used up the oldest bytes of any partition go
// first. Owner: the loop thread. Must outlive its rings.
class tail_cache {
public:
    explicit tail_cache(std::size_t bytes_max) noexcept : bytes_max_(bytes_max) {}
    std::size_t bytes() const noexcept { return bytes_; }

private:
    friend class tail_ring;
    void added(tail_ring& ring, std::size_t bytes);
    void removed(tail_ring& ring, std::size_t bytes);

    std::size_t bytes_max_;
    std::size_t bytes_ = 0;
    std::deque<tail_ring*> oldest_first_;  // one entry a chunk
};

// Recent batches of one partition, contiguous up to the end of the log: what caught-up consumers read.
class tail_ring {
public:
    explicit tail_ring(tail_cache& cache) noexcept : cache_(cache) {}
    ~tail_ring() { clear(); }
    tail_ring(const tail_ring&) = delete;
    tail_ring& operator=(const tail_ring&) = delete;

    // Consecutive batches that continue what was added before (else what was kept is dropped).
    void add(std::shared_ptr<const std::string> bytes, const std::vector<storage::batch_extent>& extents);
    void clear();

    // Whole batches from the one that holds `from`, up to `limit` and until bytes_max is reached, at least one. Empty when `from` is
    // not in memory. Precondition: from < limit.
    std::vector<storage::batch_run> read(base::offset from, base::offset limit, std::size_t bytes_max) const;

private:
    friend class tail_cache;
    struct batch_place {
        base::offset base;
        base::offset end;
        std::size_t position;
        std::size_t length_bytes;
    };
    struct chunk {
        std::shared_ptr<const std::string> bytes;
        std::vector<batch_place> batches;
    };
    std::size_t drop_oldest();

    tail_cache& cache_;
    std::deque<chunk> chunks_;
};

}  // namespace pystream::topics
