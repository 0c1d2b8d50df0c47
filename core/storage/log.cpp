#include "core/storage/log.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/storage/append_plan.hpp"
#include "core/storage/checkpoint_plan.hpp"
#include "core/storage/log_state.hpp"
#include "core/storage/read_plan.hpp"
#include "core/storage/recovery.hpp"

namespace pystream::storage {
namespace {

bool is_transient(base::errc code)
{
    return code == base::errc::disk_full || code == base::errc::too_many_open_files || code == base::errc::read_only;
}

void fail(log_state& state, const base::error& cause)
{
    if (state.failure) return;
    state.failure = cause;
    state.logger.write(base::severity::error, "log_failed", {{"path", state.directory}, {"reason", cause.internal}});
}

std::unique_ptr<read_plan> empty_plan(const log_state& state, base::offset limit)
{
    PYSTREAM_ASSERT(limit <= state.end);
    auto plan = std::make_unique<read_plan>();
    plan->files = &state.files;
    plan->directory = state.directory;
    plan->limit = limit;
    return plan;
}

segment_view view_of_active(const log_state& state, const index_entry* hint)
{
    const active_segment& active = state.active;
    const place begin = hint ? place{hint->position, hint->offset} : place{0, active.base};
    return {active.base, state.end, active.file, active.bytes, begin};
}

segment_view view_of_sealed(const log_state& state, std::size_t index)
{
    const base::offset end = index + 1 < state.sealed.size() ? state.sealed[index + 1].base : state.active.base;
    return {state.sealed[index].base, end, nullptr, state.sealed[index].bytes, {}};
}

std::optional<damage> damage_at(const log_state& state, base::offset offset)
{
    for (const damage& known : state.damages)
        if (known.from <= offset && offset < known.end) return known;
    return std::nullopt;
}

}  // namespace

log::log(std::unique_ptr<log_state> state) : state_(std::move(state)) {}
log::~log() = default;

base::result<std::unique_ptr<log>> log::open(io::file_system& files, std::string directory, log_options options,
                                             base::logger& logger)
{
    auto state = recover_log(files, std::move(directory), options, logger);
    if (!state) return state.error();
    return std::unique_ptr<log>{new log{std::move(*state)}};
}

base::offset log::start() const noexcept
{
    return state_->start;
}
base::offset log::end() const noexcept
{
    return state_->end;
}
base::offset log::recorded_high_watermark() const noexcept
{
    return state_->recorded_high_watermark;
}
base::offset log::recovery_point() const noexcept
{
    return state_->recovery_point;
}
std::optional<batch_extent> log::last_batch() const noexcept
{
    return state_->last_batch;
}
bool log::has_keys() const noexcept
{
    return state_->has_keys;
}
std::int64_t log::last_timestamp_ns() const noexcept
{
    return state_->last_batch ? state_->last_batch->max_timestamp_ns : 0;
}
const std::vector<damage>& log::damages() const noexcept
{
    return state_->damages;
}
const recovery_report& log::recovery() const noexcept
{
    return state_->report;
}
const std::optional<base::error>& log::failure() const noexcept
{
    return state_->failure;
}
void log::set_options(log_options options) noexcept
{
    state_->options = options;
}

std::uint64_t log::size_bytes() const noexcept
{
    std::uint64_t bytes = state_->active.bytes;
    for (const sealed_segment& segment : state_->sealed) bytes += segment.bytes;
    return bytes;
}

std::vector<segment_info> log::segments() const
{
    std::vector<segment_info> infos;
    infos.reserve(state_->sealed.size() + 1);
    for (const sealed_segment& segment : state_->sealed) infos.push_back({segment.base, segment.bytes, segment.index_entries});
    infos.push_back({state_->active.base, state_->active.bytes, state_->active.index.entries().size()});
    return infos;
}

append_job log::prepare_append(std::string bytes, std::vector<batch_extent> extents, std::int64_t now_ns)
{
    PYSTREAM_ASSERT(!state_->failure && !state_->append_is_out && !state_->checkpoint_is_out);
    auto plan = std::make_unique<append_plan>(plan_append(*state_, std::move(bytes), std::move(extents), now_ns));
    state_->append_is_out = true;
    return append_job{std::move(plan)};
}

base::result<std::shared_ptr<const std::string>> log::complete_append(append_job job, const base::result<void>& outcome)
{
    PYSTREAM_ASSERT(state_->append_is_out);
    state_->append_is_out = false;
    if (!outcome) {
        if (!is_transient(outcome.error().code)) fail(*state_, outcome.error());
        return outcome.error();
    }
    apply_append(*state_, *job.plan_);
    return std::move(job.plan_->bytes);
}

read_job log::prepare_read(base::offset from, base::offset limit, std::size_t bytes_max) const
{
    PYSTREAM_ASSERT(start() <= from && from < limit);
    auto plan = empty_plan(*state_, limit);
    plan->from = from;
    plan->bytes_max = std::max<std::size_t>(bytes_max, 1);
    plan->known_damage = damage_at(*state_, from);
    if (plan->known_damage) return read_job{std::move(plan)};

    const auto& sealed = state_->sealed;
    const auto behind = std::upper_bound(sealed.begin(), sealed.end(), from,
                                         [](base::offset at, const sealed_segment& segment) { return at < segment.base; });
    // The sizes only say how many segments are worth looking at.
    std::uint64_t bytes = 0;
    std::size_t i = static_cast<std::size_t>(behind - sealed.begin());
    if (from < state_->active.base) {
        PYSTREAM_ASSERT(i > 0);  // what is below the first segment is known damage
        --i;
    }
    for (; i < sealed.size() && sealed[i].base < limit && bytes < plan->bytes_max; ++i) {
        plan->segments.push_back(view_of_sealed(*state_, i));
        if (plan->segments.size() > 1 || from == sealed[i].base) bytes += sealed[i].bytes;
    }
    if (i == sealed.size() && state_->active.base < limit && bytes < plan->bytes_max)
        plan->segments.push_back(view_of_active(*state_, state_->active.index.at_or_below(from)));
    return read_job{std::move(plan)};
}

time_job log::prepare_time_lookup(std::int64_t timestamp_ns, base::offset limit) const
{
    auto plan = empty_plan(*state_, limit);
    plan->segments.reserve(state_->sealed.size() + 1);
    for (std::size_t i = 0; i < state_->sealed.size(); ++i) plan->segments.push_back(view_of_sealed(*state_, i));
    plan->segments.push_back(view_of_active(*state_, state_->active.index.before_time(timestamp_ns)));
    return time_job{std::move(plan), timestamp_ns};
}

void log::note_damage(const damage& found)
{
    if (damage_at(*state_, found.from)) return;
    const auto at = std::upper_bound(state_->damages.begin(), state_->damages.end(), found.from,
                                     [](base::offset from, const damage& known) { return from < known.from; });
    state_->damages.insert(at, found);
    state_->logger.write(base::severity::error, "log_damaged",
                         {{"path", found.path},
                          {"position", found.position},
                          {"offset", found.from.value()},
                          {"end", found.end.value()},
                          {"reason", found.reason}});
}

checkpoint_job log::prepare_checkpoint()
{
    PYSTREAM_ASSERT(!state_->failure && !state_->append_is_out && !state_->checkpoint_is_out);
    state_->checkpoint_is_out = true;
    return checkpoint_job{std::make_unique<checkpoint_plan>(plan_checkpoint(*state_))};
}

void log::complete_checkpoint(checkpoint_job job, const base::result<void>& outcome)
{
    PYSTREAM_ASSERT(state_->checkpoint_is_out);
    state_->checkpoint_is_out = false;
    if (outcome)
        state_->recovery_point = job.plan_->value.recovery_point.offset;
    else if (outcome.error().code == base::errc::io_failed)
        fail(*state_, outcome.error());
}

base::result<void> log::append_and_sync(std::string bytes, std::vector<batch_extent> extents, std::int64_t now_ns)
{
    append_job job = prepare_append(std::move(bytes), std::move(extents), now_ns);
    base::result<void> outcome = job.run();
    if (outcome) outcome = job.file_to_sync()->sync_data();
    const auto completed = complete_append(std::move(job), outcome);
    if (!completed) return completed.error();
    return {};
}

}  // namespace pystream::storage
