#include "core/cluster/replicated_partition.hpp"

#include <boost/test/unit_test.hpp>

#include <deque>
#include <optional>
#include <vector>

#include "tests/support/engine_fixture.hpp"

namespace pystream::tests {
namespace {

using base::errc;
using base::error;
using base::offset;
using base::result;

// A replica whose answers the test gives.
class scripted_replica final : public cluster::replica {
public:
    struct asked {
        cluster::append_request request;
        done<cluster::append_answer> answer;
    };
    void append(cluster::append_request request, done<cluster::append_answer> answer) override
    {
        appends.push_back({std::move(request), std::move(answer)});
    }
    void read(offset, offset, std::size_t, done<storage::read_outcome>) override {}
    void find_time(std::int64_t, offset, done<std::optional<offset>>) override {}
    void checkpoint(done<void>) override {}
    void set_options(const storage::log_options&) override {}
    offset start() const override { return {}; }
    std::uint64_t size_bytes() const override { return 0; }
    void close(done<void>) override {}
    const std::optional<error>& failure() const override { return failed; }
    bool damaged() const override { return false; }
    cluster::replica_state state() const override { return {}; }

    void succeed()
    {
        asked next = take();
        const offset end = next.request.batches.end;
        next.answer(cluster::append_answer{end, std::make_shared<const std::string>(std::move(next.request.batches.bytes))});
    }
    void fail(errc code) { take().answer(error{code, "because"}); }

    std::deque<asked> appends;
    std::optional<error> failed;

private:
    asked take()
    {
        asked next = std::move(appends.front());
        appends.pop_front();
        return next;
    }
};

struct led_partition {
    std::shared_ptr<scripted_replica> replica = std::make_shared<scripted_replica>();
    topics::tail_cache cache{1 << 20};
    int raised = 0;
    int failures = 0;
    std::shared_ptr<cluster::replicated_partition> partition;
    std::vector<std::optional<result<void>>> outcomes;

    led_partition()
    {
        cluster::partition_row row;
        row.replicas = row.active = {base::broker_id{1}};
        row.leader = base::broker_id{1};
        row.epoch = base::leader_epoch{4};
        cluster::replicated_partition::events on;
        on.high_watermark_raised = [this] { ++raised; };
        on.append_failed = [this](const error&) { ++failures; };
        on.appended = [](std::uint64_t, std::uint64_t, std::uint64_t) {};
        partition = std::make_shared<cluster::replicated_partition>(row, replica, "", cache, topics::partition::position{}, on);
    }

    std::size_t append()
    {
        const std::size_t index = outcomes.size();
        outcomes.emplace_back();
        const auto taken = partition->append(records_of({{"", "v"}}), {}, 1, 0,
                                             [this, index](const result<void>& outcome) { outcomes[index] = outcome; });
        if (!taken) outcomes[index] = taken.error();
        return index;
    }
    bool well(std::size_t index) const { return outcomes[index] && outcomes[index]->has_value(); }
    error failure(std::size_t index) const { return outcomes[index]->error(); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(replicated_partition_test, led_partition)

BOOST_AUTO_TEST_CASE(nothing_is_acknowledged_or_visible_before_the_replica_has_it)
{
    append();
    BOOST_TEST(!outcomes[0].has_value());
    BOOST_TEST(partition->high_watermark().value() == 0);
    BOOST_TEST(partition->end().value() == 1);
    replica->succeed();
    BOOST_TEST(well(0));
    BOOST_TEST(partition->high_watermark().value() == 1);
    BOOST_TEST(raised == 1);
    BOOST_TEST(partition->tail().read(offset{0}, offset{1}, 1000).size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_arrives_while_an_append_is_out_forms_the_next_one)
{
    append();
    append();
    append();
    BOOST_REQUIRE(replica->appends.size() == 1u);
    BOOST_TEST(replica->appends.front().request.batches.extents.size() == 1u);
    replica->succeed();
    BOOST_REQUIRE(replica->appends.size() == 1u);
    BOOST_TEST(replica->appends.front().request.batches.extents.size() == 2u);
    BOOST_REQUIRE(replica->appends.front().request.previous.has_value());
    BOOST_TEST(replica->appends.front().request.previous->end.value() == 1);
    BOOST_TEST(well(0));
    BOOST_TEST(!outcomes[1].has_value());
    replica->succeed();
    BOOST_TEST((well(1) && well(2)));
}

BOOST_AUTO_TEST_CASE(when_nothing_was_stored_the_offsets_are_given_out_again)
{
    append();
    append();
    replica->fail(errc::disk_full);
    BOOST_TEST((failure(0).code == errc::disk_full));
    BOOST_TEST((failure(1).code == errc::disk_full));
    BOOST_TEST(!failure(0).outcome_unknown);
    BOOST_TEST(failures == 1);
    BOOST_TEST(partition->end().value() == 0);
    append();
    BOOST_TEST(replica->appends.front().request.batches.base.value() == 0);
    replica->succeed();
    BOOST_TEST(well(2));
}

BOOST_AUTO_TEST_CASE(after_a_failed_sync_the_outcome_is_unknown_and_no_more_is_taken)
{
    append();
    append();
    replica->fail(errc::io_failed);
    BOOST_TEST((failure(0).code == errc::partition_failed));
    BOOST_TEST(failure(0).outcome_unknown);
    BOOST_TEST((failure(1).code == errc::partition_failed));
    BOOST_TEST(!failure(1).outcome_unknown);
    append();
    BOOST_TEST((failure(2).code == errc::partition_failed));
    BOOST_TEST(replica->appends.empty());
    BOOST_TEST(!partition->read_refusal().has_value());
}

// A checkpoint's sync may fail when nothing is being written.
BOOST_AUTO_TEST_CASE(a_failure_of_the_replica_is_known_before_the_next_write)
{
    replica->failed = error{errc::io_failed, "", "fdatasync: EIO"};
    append();
    BOOST_TEST((failure(0).code == errc::partition_failed));
    BOOST_TEST(!failure(0).outcome_unknown);
    BOOST_TEST(replica->appends.empty());
    BOOST_TEST(!partition->problem().empty());
}

BOOST_AUTO_TEST_CASE(without_a_leader_nothing_is_served)
{
    cluster::replicated_partition::events on;
    cluster::partition_row row = partition->row();
    const auto orphan =
        std::make_shared<cluster::replicated_partition>(row, nullptr, "no disk", cache, topics::partition::position{}, on);
    BOOST_TEST((orphan->write_refusal()->code == errc::partition_unavailable));
    BOOST_TEST((orphan->read_refusal()->code == errc::partition_unavailable));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pystream::tests
