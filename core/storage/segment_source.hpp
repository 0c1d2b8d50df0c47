#pragma once

#include <optional>

#include "core/storage/read_plan.hpp"
#include "core/storage/sparse_index.hpp"

namespace pystream::storage {

// A segment opened for one read: its file, and where in it to begin.
class segment_source {
public:
    // nullopt: the segment's file is missing.
    static base::result<std::optional<segment_source>> open(const read_plan& plan, const segment_view& view);

    const io::file& file() const noexcept { return *file_; }
    std::uint64_t bytes() const noexcept { return bytes_; }
    // A place at or below `offset` / before the first batch with a timestamp at or above `timestamp_ns`. What the index file
    // says is checked against the batch it lands on; an index that is missing or wrong is rebuilt from this segment and written again.
    base::result<place> place_of(base::offset offset);
    base::result<place> place_before_time(std::int64_t timestamp_ns);

private:
    segment_source(const read_plan& plan, const segment_view& view, std::shared_ptr<io::file> file, std::uint64_t bytes)
        : plan_(&plan), view_(&view), file_(std::move(file)), bytes_(bytes)
    {
    }
    template <class IsBefore>
    base::result<place> locate(IsBefore is_before);
    base::result<bool> holds(const index_entry& entry) const;
    base::result<sparse_index> rebuild() const;

    const read_plan* plan_;
    const segment_view* view_;
    std::shared_ptr<io::file> file_;
    std::uint64_t bytes_;
};

// Reads the whole of `file` up to `bytes` and indexes the valid batches in it.
base::result<sparse_index> index_segment(const io::file& file, base::offset base, std::uint64_t bytes);

}  // namespace pystream::storage
