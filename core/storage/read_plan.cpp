#include "core/storage/read_plan.hpp"

#include "core/storage/segment_files.hpp"
#include "core/storage/segment_reader.hpp"
#include "core/storage/segment_source.hpp"

namespace pystream::storage {
namespace {

damage missing_segment(const read_plan& plan, const segment_view& view)
{
    return {view.base, view.end, segment_path(plan.directory, view.base), 0, "the segment file is missing"};
}

// Adds what `view` holds of the plan to `outcome`. False when the read ends there.
base::result<bool> read_one(const read_plan& plan, const segment_view& view, base::offset from, std::size_t bytes_max,
                            read_outcome& outcome)
{
    auto source = segment_source::open(plan, view);
    if (!source) return source.error();
    if (!*source) {
        outcome.damaged = missing_segment(plan, view);
        return false;
    }
    const auto begin = (*source)->place_of(from);
    if (!begin) return begin.error();
    auto slice = read_segment((*source)->file(),
                              {*begin, (*source)->bytes(), from, std::min(plan.limit, view.end), view.end, bytes_max});
    if (!slice) return slice.error();
    outcome.bytes_read += slice->bytes_read;
    if (slice->run) outcome.runs.push_back(std::move(*slice->run));
    outcome.damaged = std::move(slice->damaged);
    return !outcome.damaged && !outcome.runs.empty() && outcome.runs.back().end == view.end;
}

}  // namespace

base::result<read_outcome> run_read(const read_plan& plan)
{
    read_outcome outcome;
    if (plan.known_damage) {
        outcome.damaged = plan.known_damage;
        return outcome;
    }
    base::offset from = plan.from;
    std::size_t bytes_left = plan.bytes_max;
    for (const segment_view& view : plan.segments) {
        const auto more = read_one(plan, view, from, bytes_left, outcome);
        if (!more) {
            if (outcome.runs.empty()) return more.error();
            return outcome;  // the next read meets the error at its first batch
        }
        if (!*more) break;
        const batch_run& run = outcome.runs.back();
        from = run.end;
        if (from >= plan.limit || run.bytes.size() >= bytes_left) break;
        bytes_left -= run.bytes.size();
    }
    return outcome;
}

}  // namespace pystream::storage
