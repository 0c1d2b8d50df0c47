#include "core/storage/checkpoint_plan.hpp"

#include "core/storage/atomic_file.hpp"
#include "core/storage/segment_files.hpp"

namespace pystream::storage {

checkpoint_plan plan_checkpoint(const log_state& state)
{
    const active_segment& active = state.active;
    checkpoint value{state.start, active.base, {active.bytes, state.end}, active.last_batch_position, state.has_keys};
    return {&state.files, state.directory, active.file, active.index.encode(active.base, active.bytes), value};
}

// The recovery point is a promise about the segment, so it is written last.
base::result<void> run_checkpoint(checkpoint_plan& plan)
{
    if (auto synced = plan.file->sync_data(); !synced) return synced;
    auto indexed = replace_file(*plan.files, index_path(plan.directory, plan.value.segment_base), plan.index);
    if (!indexed) return indexed;
    return write_checkpoint(*plan.files, plan.directory, plan.value);
}

}  // namespace pystream::storage
