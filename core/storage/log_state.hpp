#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/storage/log.hpp"
#include "core/storage/sparse_index.hpp"

namespace pystream::storage {

// A segment that is never written again. Its files are opened for each read and closed, so that descriptors do not grow with history.
struct sealed_segment {
    base::offset base;
    std::uint64_t bytes = 0;
    std::uint64_t index_entries = 0;
};

// The newest segment, the only one that is written.
struct active_segment {
    base::offset base;
    std::shared_ptr<io::file> file;  // null only in a log that failed to open it
    std::uint64_t bytes = 0;         // up to the log end
    sparse_index index;
    std::optional<std::uint64_t> last_batch_position;
};

// What a log is made of. Owned by one log; the loop's.
struct log_state {
    log_state(io::file_system& f, std::string d, log_options o, base::logger& l)
        : files(f), directory(std::move(d)), options(o), logger(l)
    {
    }

    io::file_system& files;
    std::string directory;
    log_options options;
    base::logger& logger;

    std::vector<sealed_segment> sealed;  // oldest first
    active_segment active;
    base::offset start;
    base::offset end;
    base::offset recovery_point;
    base::offset recorded_high_watermark;
    std::optional<batch_extent> last_batch;
    bool has_keys = false;
    std::vector<damage> damages;  // by `from`
    recovery_report report;
    std::optional<base::error> failure;
    bool append_is_out = false;
    bool checkpoint_is_out = false;
};

}  // namespace pystream::storage
