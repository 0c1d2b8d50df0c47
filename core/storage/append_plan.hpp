#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/storage/log.hpp"
#include "core/storage/log_state.hpp"

namespace pystream::storage {

// What goes into one segment. The first part continues the active segment (maybe with nothing), each further one begins a new segment.
struct append_part {
    base::offset base;               // of the segment
    std::shared_ptr<io::file> file;  // null until a new segment's file is made
    std::uint64_t position = 0;      // where `bytes` go
    std::string_view bytes;          // into append_plan::bytes
    std::size_t extent_count = 0;
    sparse_index index;  // of a segment that this append leaves behind, complete
    std::uint64_t end() const noexcept { return position + bytes.size(); }
};

struct append_plan {
    io::file_system* files = nullptr;
    std::string directory;
    std::shared_ptr<const std::string> bytes;
    std::vector<batch_extent> extents;
    std::vector<append_part> parts;  // never empty
};

append_plan plan_append(const log_state& state, std::string bytes, std::vector<batch_extent> extents, std::int64_t now_ns);
// Worker: what append_job::run promises.
base::result<void> run_append(append_plan& plan);
// The loop, after everything is durable: the state moves on.
void apply_append(log_state& state, append_plan& plan);

}  // namespace pystream::storage
