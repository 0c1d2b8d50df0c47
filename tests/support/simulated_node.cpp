#include "tests/support/simulated_node.hpp"

#include <algorithm>

namespace pystream::tests {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t sector_bytes = 512;

}  // namespace

void simulated_node::write(std::uint64_t position, std::string_view bytes)
{
    if (bytes.empty()) return;
    const auto begin = static_cast<std::size_t>(position);
    const std::size_t end = begin + bytes.size();
    const std::size_t first_page =
        std::min(begin, current.size()) / page_bytes;  // a hole that the write makes is dirty as well
    for (std::size_t page = first_page; page <= (end - 1) / page_bytes; ++page) {
        dirty_pages.insert(page);
        lost_pages.erase(page);
    }
    if (current.size() < end) {
        current.resize(end);
        size_is_dirty = true;
    }
    current.replace(begin, bytes.size(), bytes);
}

void simulated_node::truncate(std::uint64_t size, std::mt19937_64& random)
{
    if (random() % 2 == 0) keep_some(random);
    const std::size_t last_page = static_cast<std::size_t>(size) / page_bytes;
    current.resize(static_cast<std::size_t>(size));
    dirty_pages.erase(dirty_pages.upper_bound(last_page), dirty_pages.end());
    dirty_pages.insert(last_page);
    size_is_dirty = true;
}

void simulated_node::sync()
{
    durable.resize(current.size());
    for (const std::size_t page : dirty_pages) {
        const std::size_t begin = page * page_bytes;
        if (begin >= current.size()) continue;
        const std::size_t bytes = std::min(page_bytes, current.size() - begin);
        durable.replace(begin, bytes, current, begin, bytes);
    }
    dirty_pages.clear();
    size_is_dirty = false;
}

void simulated_node::crash(crash_keeps what, std::mt19937_64& random)
{
    if (what == crash_keeps::any_part && (size_is_dirty || !dirty_pages.empty())) keep_some(random);
    current = durable;
    entries = durable_entries;
    dirty_pages.clear();
    lost_pages.clear();
    size_is_dirty = false;
}

void simulated_node::drop_lost_pages()
{
    for (const std::size_t page : lost_pages) {
        const std::size_t begin = page * page_bytes;
        if (begin >= current.size()) continue;
        const std::size_t count = std::min(page_bytes, current.size() - begin);
        std::string on_disk = durable.size() > begin ? durable.substr(begin, count) : std::string{};
        on_disk.resize(count);
        current.replace(begin, count, on_disk);
    }
    lost_pages.clear();
}

void simulated_node::keep_some(std::mt19937_64& random)
{
    if (size_is_dirty) {
        const std::size_t low = std::min(current.size(), durable.size());
        const std::size_t high = std::max(current.size(), durable.size());
        const std::size_t between = low + random() % (high - low + 1);
        const std::size_t sizes[] = {current.size(), durable.size(), between};
        durable.resize(sizes[random() % 3]);
    }
    for (const std::size_t page : dirty_pages) {
        const std::size_t begin = page * page_bytes;
        const std::size_t end = std::min({begin + page_bytes, durable.size(), current.size()});
        const bool whole = random() % 2 == 0;
        for (std::size_t at = begin; at < end; at += sector_bytes) {
            const std::size_t bytes = std::min(sector_bytes, end - at);
            if (whole || random() % 4 == 0) durable.replace(at, bytes, current, at, bytes);
        }
    }
}

void for_each_node(simulated_node& from, const std::function<void(simulated_node&)>& visit)
{
    visit(from);
    for (const auto& [name, child] : from.entries) for_each_node(*child, visit);
}

}  // namespace pystream::tests
