#include "core/storage/append_plan.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/storage/atomic_file.hpp"
#include "core/storage/segment_files.hpp"

namespace pystream::storage {
namespace {

constexpr std::int64_t ns_per_ms = 1'000'000;

bool rolls_by_age(const log_state& state, std::int64_t now_ns)
{
    const auto& entries = state.active.index.entries();
    if (state.options.segment_ms <= 0 || entries.empty()) return false;
    return (now_ns - entries.front().timestamp_ns) / ns_per_ms >= state.options.segment_ms;
}

void index_extents(sparse_index& index, std::span<const batch_extent> extents, std::uint64_t position)
{
    for (const batch_extent& extent : extents) {
        index.add({extent.base, position, extent.max_timestamp_ns});
        position += extent.length_bytes;
    }
}

// Cuts the extents into parts.
class part_cutter {
public:
    part_cutter(append_plan& plan, const log_state& state) : plan_(plan), segment_bytes_(state.options.segment_bytes)
    {
        plan.parts.push_back({state.active.base, state.active.file, state.active.bytes, {}, 0, {}});
    }

    void roll(base::offset base)
    {
        plan_.parts.push_back({base, nullptr, 0, std::string_view{*plan_.bytes}.substr(taken_, 0), 0, {}});
    }

    void take(const batch_extent& extent)
    {
        const std::uint64_t end = plan_.parts.back().end();
        if (end > 0 && end + extent.length_bytes > segment_bytes_) roll(extent.base);
        append_part& part = plan_.parts.back();
        part.bytes = std::string_view{*plan_.bytes}.substr(taken_ - part.bytes.size(), part.bytes.size() + extent.length_bytes);
        ++part.extent_count;
        taken_ += extent.length_bytes;
    }

    std::size_t taken() const noexcept { return taken_; }

private:
    append_plan& plan_;
    std::uint64_t segment_bytes_;
    std::size_t taken_ = 0;
};

void index_parts_left_behind(append_plan& plan, const log_state& state)
{
    std::span<const batch_extent> extents = plan.extents;
    for (std::size_t i = 0; i + 1 < plan.parts.size(); ++i) {
        append_part& part = plan.parts[i];
        if (i == 0) part.index = state.active.index;
        index_extents(part.index, extents.first(part.extent_count), part.position);
        extents = extents.subspan(part.extent_count);
    }
}

// A segment is complete: on the disk with its index before its successor exists, so that only the newest segment can be torn.
base::result<void> seal(const append_plan& plan, const append_part& part)
{
    if (auto synced = part.file->sync_data(); !synced) return synced;
    auto indexed = replace_file(*plan.files, index_path(plan.directory, part.base), part.index.encode(part.base, part.end()));
    if (!indexed && indexed.error().code == base::errc::io_failed) return indexed;
    return {};  // an index that found no room is rebuilt by the first read that misses it
}

base::result<void> begin_segment(append_plan& plan, append_part& part)
{
    auto file = plan.files->open(segment_path(plan.directory, part.base), io::open_mode::create_truncate);
    if (!file) return file.error();
    part.file = std::move(*file);
    return plan.files->sync_directory(plan.directory);
}

base::result<void> write_parts(append_plan& plan)
{
    for (std::size_t i = 0; i < plan.parts.size(); ++i) {
        append_part& part = plan.parts[i];
        if (i > 0) {
            if (auto sealed = seal(plan, plan.parts[i - 1]); !sealed) return sealed;
            if (auto begun = begin_segment(plan, part); !begun) return begun;
        }
        if (part.bytes.empty()) continue;
        if (auto written = part.file->write_at(part.position, part.bytes); !written) return written;
    }
    return {};
}

// Back to where the append began, durably: nothing of what is refused may come back after a crash. Successors go first: a segment
// that lacks bytes and has a successor would be damage.
base::result<void> cut_back(append_plan& plan)
{
    bool removed = false;
    for (std::size_t i = plan.parts.size(); i-- > 1;) {
        if (!plan.parts[i].file) continue;
        plan.parts[i].file.reset();
        if (auto gone = plan.files->remove(segment_path(plan.directory, plan.parts[i].base)); !gone) return gone;
        removed = true;
    }
    if (removed)
        if (auto synced = plan.files->sync_directory(plan.directory); !synced) return synced;
    append_part& first = plan.parts.front();
    const auto size = first.file->size();
    if (!size) return size.error();
    if (*size == first.position) return {};  // nothing arrived; on a read-only file system nothing can be cut either
    if (auto cut = first.file->truncate(first.position); !cut) return cut;
    return first.file->sync_data();
}

bool leaves_the_log_usable(base::errc code)
{
    return code == base::errc::disk_full || code == base::errc::too_many_open_files || code == base::errc::read_only;
}

}  // namespace

append_plan plan_append(const log_state& state, std::string bytes, std::vector<batch_extent> extents, std::int64_t now_ns)
{
    append_plan plan;
    plan.files = &state.files;
    plan.directory = state.directory;
    plan.bytes = std::make_shared<const std::string>(std::move(bytes));
    plan.extents = std::move(extents);
    part_cutter cutter{plan, state};
    base::offset next = state.end;
    if (rolls_by_age(state, now_ns)) cutter.roll(next);
    for (const batch_extent& extent : plan.extents) {
        PYSTREAM_ASSERT(extent.base == next && extent.end > extent.base);
        cutter.take(extent);
        next = extent.end;
    }
    PYSTREAM_ASSERT(cutter.taken() == plan.bytes->size() && cutter.taken() > 0);
    if (plan.parts.size() > 1) index_parts_left_behind(plan, state);
    return plan;
}

base::result<void> run_append(append_plan& plan)
{
    auto written = write_parts(plan);
    if (written) return written;
    if (leaves_the_log_usable(written.error().code)) {
        if (auto cut = cut_back(plan); cut) return written;
    }
    base::error error = written.error();
    error.code = base::errc::io_failed;
    return error;
}

void apply_append(log_state& state, append_plan& plan)
{
    std::span<const batch_extent> extents = plan.extents;
    for (std::size_t i = 0; i + 1 < plan.parts.size(); ++i) {
        append_part& part = plan.parts[i];
        state.sealed.push_back({part.base, part.end(), part.index.entries().size()});
        extents = extents.subspan(part.extent_count);
    }
    append_part& part = plan.parts.back();
    if (plan.parts.size() > 1) state.active = {part.base, part.file, 0, {}, {}};
    index_extents(state.active.index, extents, part.position);
    state.active.bytes = part.end();
    state.active.last_batch_position = part.end() - plan.extents.back().length_bytes;
    state.last_batch = plan.extents.back();
    state.end = plan.extents.back().end;
    state.has_keys =
        state.has_keys || std::any_of(plan.extents.begin(), plan.extents.end(), [](const auto& e) { return e.has_keys; });
}

}  // namespace pystream::storage
