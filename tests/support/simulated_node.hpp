#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>

namespace pystream::tests {

enum class crash_keeps : std::uint8_t {
    only_durable,  // nothing else
    everything,    // the process ended and the machine goes on: what the page cache says is still there
    any_part,      // each unsynced page (or some 512-byte sectors of it), size and directory change by chance
};

// A file or directory of the simulated disk: what programs see, and what a power cut leaves.
struct simulated_node {
    bool is_directory = false;
    std::string current;
    std::string durable;
    std::set<std::size_t> dirty_pages;
    std::set<std::size_t> lost_pages;  // look clean and are not on the disk, since a sync failed
    bool size_is_dirty = false;
    std::map<std::string, std::shared_ptr<simulated_node>> entries;
    std::map<std::string, std::shared_ptr<simulated_node>> durable_entries;

    void write(std::uint64_t position, std::string_view bytes);
    // Before, the system may by chance have written back some of what is about to go.
    void truncate(std::uint64_t size, std::mt19937_64& random);
    void sync();
    // The pages look clean now and are not on the disk.
    void fail_sync()
    {
        lost_pages.merge(dirty_pages);
        dirty_pages.clear();
    }
    // The system takes memory back from clean pages; what is read then is what the disk has.
    void drop_lost_pages();
    // Some of what is dirty reaches the disk.
    void keep_some(std::mt19937_64& random);
    void crash(crash_keeps what, std::mt19937_64& random);
};

using node_ptr = std::shared_ptr<simulated_node>;

// A change of directory entries that happens whole or not at all.
struct entry_change {
    node_ptr directory;
    std::string name;
    node_ptr target;  // null: removed
};

void for_each_node(simulated_node& from, const std::function<void(simulated_node&)>& visit);

}  // namespace pystream::tests
