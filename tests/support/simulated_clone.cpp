#include "tests/support/simulated_file_system.hpp"

namespace pystream::tests {
namespace {

using copies = std::map<const simulated_node*, node_ptr>;

// One copy of each node, however many entries lead to it.
node_ptr copy_of(const node_ptr& original, copies& made)
{
    if (!original) return nullptr;
    node_ptr& copy = made[original.get()];
    if (copy) return copy;
    copy = std::make_shared<simulated_node>(*original);
    const node_ptr result = copy;
    for (auto& [name, child] : result->entries) child = copy_of(child, made);
    for (auto& [name, child] : result->durable_entries) child = copy_of(child, made);
    return result;
}

}  // namespace

void simulated_file_system::set_fault_policy(fault_policy policy)
{
    const std::lock_guard guard{mutex_};
    policy_ = std::move(policy);
}

void simulated_file_system::set_change_listener(std::function<void()> listener)
{
    const std::lock_guard guard{mutex_};
    listener_ = std::move(listener);
}

void simulated_file_system::tell_listener()
{
    if (listener_) listener_();
}

std::unique_ptr<simulated_file_system> simulated_file_system::clone(std::uint64_t seed) const
{
    const std::lock_guard guard{mutex_};
    auto made = std::make_unique<simulated_file_system>(seed);
    copies nodes;
    made->root_ = copy_of(root_, nodes);
    for (const change_group& group : pending_) {
        change_group copy;
        for (const entry_change& change : group)
            copy.push_back({copy_of(change.directory, nodes), change.name, copy_of(change.target, nodes)});
        made->pending_.push_back(std::move(copy));
    }
    made->supports_sync_all_files_ = supports_sync_all_files_;
    return made;
}

}  // namespace pystream::tests
