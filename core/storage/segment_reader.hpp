#pragma once

#include <optional>

#include "core/storage/log.hpp"
#include "core/storage/place.hpp"

namespace pystream::storage {

struct segment_request {
    place begin;  // a batch at or below `from`, or the beginning of the segment
    std::uint64_t segment_bytes = 0;
    base::offset from;
    base::offset limit;        // no batch at or above it is wanted
    base::offset segment_end;  // the offset behind the segment's last batch, if nothing is missing
    std::size_t bytes_max = 0;
};

struct segment_slice {
    std::optional<batch_run> run;   // begins with the batch that holds `from`
    std::optional<damage> damaged;  // stands at `from` or right behind the run
    std::uint64_t bytes_read = 0;
};

// Reads verified batches of one segment: whole ones, at least one, at most bytes_max if it is more than one.
base::result<segment_slice> read_segment(const io::file& file, const segment_request& request);

}  // namespace pystream::storage
