#include "core/storage/read_plan.hpp"
#include "core/storage/segment_source.hpp"
#include "core/storage/segment_walker.hpp"

namespace pystream::storage {
namespace {

// Timestamps never go back within a partition, so the answer is in the last segment that begins before the time, or right behind it.
class time_search {
public:
    time_search(const read_plan& plan, std::int64_t timestamp_ns) : plan_(plan), timestamp_ns_(timestamp_ns) {}

    base::result<std::optional<base::offset>> run()
    {
        const auto first = first_segment();
        if (!first) return first.error();
        for (std::size_t i = *first; i < plan_.segments.size(); ++i) {
            const auto answer = search(plan_.segments[i]);
            if (!answer || *answer) return answer;
        }
        return below_limit(damaged_from_);
    }

private:
    base::result<std::size_t> first_segment() const
    {
        std::size_t first = 0;
        std::size_t low = 1;
        std::size_t high = plan_.segments.size();
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            const auto before = begins_before(plan_.segments[middle]);
            if (!before) return before.error();
            if (*before) {
                first = middle;
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return first;
    }

    // False also for a segment that is empty, missing or damaged: then the search begins earlier.
    base::result<bool> begins_before(const segment_view& view) const
    {
        const auto source = segment_source::open(plan_, view);
        if (!source) return source.error();
        if (!*source) return false;
        char bytes[batch_layout::header_bytes];
        const auto count = (*source)->file().read_at(0, bytes);
        if (!count) return count.error();
        const auto header = decode_header({bytes, *count});
        return header && header->base_offset == view.base && header->max_timestamp_ns < timestamp_ns_;
    }

    base::result<std::optional<base::offset>> search(const segment_view& view)
    {
        auto source = segment_source::open(plan_, view);
        if (!source) return source.error();
        if (!*source) {
            if (!damaged_from_) damaged_from_ = view.base;
            return std::optional<base::offset>{};
        }
        const auto begin = (*source)->place_before_time(timestamp_ns_);
        if (!begin) return begin.error();
        segment_walker walker{(*source)->file(), *begin, (*source)->bytes()};
        for (std::size_t gaps = 0;; gaps = walker.gaps().size()) {
            const auto batch = walker.next();
            if (!batch) return batch.error();
            if (!*batch) break;
            if (walker.gaps().size() > gaps && !damaged_from_) damaged_from_ = walker.gaps().back().from.offset;
            if ((*batch)->header.max_timestamp_ns < timestamp_ns_)
                damaged_from_.reset();
            else if (const auto answer = damaged_from_ ? damaged_from_ : first_record((*batch)->bytes))
                return below_limit(answer);
        }
        if (walker.at().offset < view.end && !damaged_from_) damaged_from_ = walker.at().offset;
        return std::optional<base::offset>{};
    }

    std::optional<base::offset> first_record(std::string_view batch) const
    {
        record_cursor cursor{batch};
        decoded_record record;
        for (;;) {
            const auto more = cursor.next(record);
            if (!more || !*more) return std::nullopt;
            if (record.timestamp_ns >= timestamp_ns_) return record.offset;
        }
    }

    std::optional<base::offset> below_limit(std::optional<base::offset> answer) const
    {
        return answer && *answer < plan_.limit ? answer : std::nullopt;
    }

    const read_plan& plan_;
    std::int64_t timestamp_ns_;
    // Unreadable offsets since the last batch that was too early: the answer may be the first of them, and reading there says why.
    std::optional<base::offset> damaged_from_;
};

}  // namespace

base::result<std::optional<base::offset>> run_time_lookup(const read_plan& plan, std::int64_t timestamp_ns)
{
    return time_search{plan, timestamp_ns}.run();
}

}  // namespace pystream::storage
