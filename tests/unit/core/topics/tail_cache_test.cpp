#include "core/topics/tail_cache.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

namespace pystream::tests {
namespace {

using base::offset;
using topics::tail_cache;
using topics::tail_ring;

// A chunk of batches with `records` records each, ten bytes a batch, from `base` on.
struct made_chunk {
    std::shared_ptr<const std::string> bytes;
    std::vector<storage::batch_extent> extents;
};

made_chunk chunk(std::int64_t base, std::size_t batches, std::int64_t records = 1)
{
    made_chunk made;
    std::string bytes;
    for (std::size_t i = 0; i < batches; ++i) {
        storage::batch_extent extent;
        extent.base = offset{base + static_cast<std::int64_t>(i) * records};
        extent.end = extent.base + records;
        extent.length_bytes = 10;
        made.extents.push_back(extent);
        bytes += std::string(10, static_cast<char>('a' + extent.base.value() % 26));
    }
    made.bytes = std::make_shared<const std::string>(std::move(bytes));
    return made;
}

void add(tail_ring& ring, std::int64_t base, std::size_t batches, std::int64_t records = 1)
{
    const auto made = chunk(base, batches, records);
    ring.add(made.bytes, made.extents);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tail_cache_test)

BOOST_AUTO_TEST_CASE(reads_from_the_batch_that_holds_the_offset_across_chunks_up_to_the_limit)
{
    tail_cache cache(1000);
    tail_ring ring(cache);
    add(ring, 0, 3, 2);  // 0-1, 2-3, 4-5
    add(ring, 6, 2, 2);  // 6-7, 8-9
    const auto runs = ring.read(offset{3}, offset{8}, 1000);
    BOOST_REQUIRE(runs.size() == 2u);
    BOOST_TEST(runs[0].base.value() == 2);
    BOOST_TEST(runs[0].end.value() == 6);
    BOOST_TEST(runs[0].bytes.size() == 20u);
    BOOST_TEST(runs[0].bytes.front() == 'c');
    BOOST_TEST(runs[1].end.value() == 8);
    BOOST_TEST(runs[1].bytes.size() == 10u);
}

BOOST_AUTO_TEST_CASE(a_batch_that_reaches_above_the_limit_is_not_shown)
{
    tail_cache cache(1000);
    tail_ring ring(cache);
    add(ring, 0, 2, 5);
    BOOST_TEST(ring.read(offset{0}, offset{9}, 1000).front().end.value() == 5);
    BOOST_TEST(ring.read(offset{6}, offset{9}, 1000).empty());
}

BOOST_AUTO_TEST_CASE(stops_at_the_byte_bound_but_gives_one_batch_at_least)
{
    tail_cache cache(1000);
    tail_ring ring(cache);
    add(ring, 0, 10);
    BOOST_TEST(ring.read(offset{0}, offset{10}, 1).front().end.value() == 1);
    BOOST_TEST(ring.read(offset{0}, offset{10}, 25).front().end.value() == 3);
}

BOOST_AUTO_TEST_CASE(the_oldest_bytes_of_any_partition_make_room)
{
    tail_cache cache(100);
    tail_ring first(cache);
    tail_ring second(cache);
    add(first, 0, 6);
    add(second, 0, 4);
    BOOST_TEST(cache.bytes() == 100u);
    add(second, 4, 1);
    BOOST_TEST(cache.bytes() == 50u);
    BOOST_TEST(first.read(offset{0}, offset{6}, 1000).empty());
    BOOST_TEST(second.read(offset{0}, offset{5}, 1000).size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_chunk_larger_than_the_whole_budget_is_not_kept)
{
    tail_cache cache(50);
    tail_ring ring(cache);
    add(ring, 0, 6);
    BOOST_TEST(cache.bytes() == 0u);
    BOOST_TEST(ring.read(offset{0}, offset{6}, 1000).empty());
}

BOOST_AUTO_TEST_CASE(what_does_not_continue_starts_anew)
{
    tail_cache cache(1000);
    tail_ring ring(cache);
    add(ring, 0, 2);
    add(ring, 5, 2);
    BOOST_TEST(ring.read(offset{1}, offset{7}, 1000).empty());
    BOOST_TEST(ring.read(offset{5}, offset{7}, 1000).size() == 1u);
    BOOST_TEST(cache.bytes() == 20u);
}

BOOST_AUTO_TEST_CASE(what_a_reader_holds_outlives_its_eviction)
{
    tail_cache cache(20);
    std::vector<storage::batch_run> held;
    {
        tail_ring ring(cache);
        add(ring, 0, 2);
        held = ring.read(offset{0}, offset{2}, 1000);
    }
    BOOST_TEST(cache.bytes() == 0u);
    BOOST_TEST(held.front().bytes == std::string(10, 'a') + std::string(10, 'b'));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pystream::tests
