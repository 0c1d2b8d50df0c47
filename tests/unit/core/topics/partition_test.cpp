#include "core/topics/partition.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/engine_fixture.hpp"

namespace pystream::tests {
namespace {

using base::leader_epoch;
using base::offset;

struct one_partition {
    topics::tail_cache cache{1 << 20};
    topics::partition partition{cache, {offset{7}, offset{7}, 1000, false}};

    topics::partition::accepted accept(std::int64_t now_ns, std::string_view key = {})
    {
        return partition.accept(records_of({{key, "v"}, {"", "w"}}), {}, leader_epoch{3}, now_ns);
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(partition_test, one_partition)

BOOST_AUTO_TEST_CASE(offsets_go_on_at_the_log_end_and_batches_carry_what_the_leader_knows)
{
    const auto first = accept(2000);
    BOOST_TEST(first.base.value() == 7);
    BOOST_TEST(first.end.value() == 9);
    accept(3000);
    const auto pending = partition.take_pending();
    BOOST_TEST(pending.base.value() == 7);
    BOOST_TEST(pending.end.value() == 11);
    BOOST_REQUIRE(pending.extents.size() == 2u);
    const auto header = storage::verify_batch(pending.bytes);
    BOOST_REQUIRE(header.has_value());
    BOOST_TEST(header->epoch.value() == 3);
    BOOST_TEST(header->high_watermark.value() == 7);
    BOOST_TEST(header->base_timestamp_ns == 2000);
    BOOST_TEST(!partition.has_pending());
}

BOOST_AUTO_TEST_CASE(timestamps_never_go_back)
{
    BOOST_TEST(accept(500).timestamp_ns == 1000);
    BOOST_TEST(accept(2000).timestamp_ns == 2000);
    BOOST_TEST(accept(1500).timestamp_ns == 2000);
}

BOOST_AUTO_TEST_CASE(what_was_not_stored_gives_its_offsets_back)
{
    accept(2000);
    (void)partition.take_pending();
    accept(2000);
    partition.roll_back(offset{7});
    BOOST_TEST(!partition.has_pending());
    BOOST_TEST(accept(2000).base.value() == 7);
}

BOOST_AUTO_TEST_CASE(keys_are_remembered)
{
    accept(2000);
    BOOST_TEST(!partition.has_keys());
    accept(2000, "k");
    BOOST_TEST(partition.has_keys());
    const auto pending = partition.take_pending();
    BOOST_TEST(!pending.extents[0].has_keys);
    BOOST_TEST(pending.extents[1].has_keys);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pystream::tests
