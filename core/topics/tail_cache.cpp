#include "core/topics/tail_cache.hpp"

#include <algorithm>

#include "core/base/assert.hpp"

namespace pystream::topics {

using base::offset;

void tail_cache::added(tail_ring& ring, std::size_t bytes)
{
    oldest_first_.push_back(&ring);
    bytes_ += bytes;
    while (bytes_ > bytes_max_) {
        tail_ring* oldest = oldest_first_.front();
        oldest_first_.pop_front();
        bytes_ -= oldest->drop_oldest();
    }
}

void tail_cache::removed(tail_ring& ring, std::size_t bytes)
{
    std::erase(oldest_first_, &ring);
    bytes_ -= bytes;
}

void tail_ring::add(std::shared_ptr<const std::string> bytes, const std::vector<storage::batch_extent>& extents)
{
    PYSTREAM_ASSERT(!extents.empty());
    if (!chunks_.empty() && chunks_.back().batches.back().end != extents.front().base) clear();
    chunk added{std::move(bytes), {}};
    added.batches.reserve(extents.size());
    std::size_t position = 0;
    for (const auto& extent : extents) {
        added.batches.push_back({extent.base, extent.end, position, extent.length_bytes});
        position += extent.length_bytes;
    }
    PYSTREAM_ASSERT(position == added.bytes->size());
    chunks_.push_back(std::move(added));
    cache_.added(*this, position);
}

void tail_ring::clear()
{
    if (chunks_.empty()) return;
    std::size_t bytes = 0;
    for (const auto& each : chunks_) bytes += each.bytes->size();
    chunks_.clear();
    cache_.removed(*this, bytes);
}

std::size_t tail_ring::drop_oldest()
{
    const std::size_t bytes = chunks_.front().bytes->size();
    chunks_.pop_front();
    return bytes;
}

std::vector<storage::batch_run> tail_ring::read(offset from, offset limit, std::size_t bytes_max) const
{
    std::vector<storage::batch_run> runs;
    const auto ends_after = [](offset at, const auto& each) { return at < each.end; };
    auto chunk_at = std::upper_bound(chunks_.begin(), chunks_.end(), from,
                                     [](offset at, const chunk& each) { return at < each.batches.back().end; });
    if (chunk_at == chunks_.end() || from < chunk_at->batches.front().base) return runs;
    std::size_t taken = 0;
    for (; chunk_at != chunks_.end() && taken < bytes_max; ++chunk_at) {
        const auto& batches = chunk_at->batches;
        const auto first = std::upper_bound(batches.begin(), batches.end(), from, ends_after);
        auto last = first;
        for (; last != batches.end() && last->end <= limit && taken < bytes_max; ++last) taken += last->length_bytes;
        if (last == first) break;
        const std::size_t size = std::prev(last)->position + std::prev(last)->length_bytes - first->position;
        runs.push_back({chunk_at->bytes, std::string_view{*chunk_at->bytes}.substr(first->position, size), first->base,
                        std::prev(last)->end});
        if (last != batches.end()) break;
        from = runs.back().end;
    }
    return runs;
}

}  // namespace pystream::topics
