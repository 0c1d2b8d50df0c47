#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/storage/log.hpp"
#include "core/storage/place.hpp"

namespace pystream::storage {

// One segment as a read sees it.
struct segment_view {
    base::offset base;
    base::offset end;                // the base of the next segment, or the log end
    std::shared_ptr<io::file> file;  // the active segment's; null: open the file for this read
    std::uint64_t bytes = 0;         // active: up to the log end; sealed: its whole size
    place hint;                      // active: where to begin, from the index in memory
};

struct read_plan {
    io::file_system* files = nullptr;
    std::string directory;
    std::vector<segment_view> segments;  // contiguous
    base::offset from;
    base::offset limit;
    std::size_t bytes_max = 0;
    std::optional<damage> known_damage;  // stands at `from`
};

base::result<read_outcome> run_read(const read_plan& plan);
base::result<std::optional<base::offset>> run_time_lookup(const read_plan& plan, std::int64_t timestamp_ns);

}  // namespace pystream::storage
