#include "core/cluster/local_replica.hpp"

#include <boost/test/unit_test.hpp>

#include <deque>
#include <optional>

#include "tests/support/engine_fixture.hpp"
#include "tests/support/simulated_file_system.hpp"

namespace pystream::tests {
namespace {

using base::errc;
using base::error;
using base::offset;
using base::result;

// Jobs wait here until the test lets them go.
struct held_lane final : cluster::commit_lane {
    void append(storage::append_job job, append_done done) override { waiting.push_back({std::move(job), std::move(done)}); }
    void release()
    {
        auto next = std::move(waiting.front());
        waiting.pop_front();
        auto outcome = next.job.run();
        if (outcome) outcome = next.job.file_to_sync()->sync_data();
        next.done(std::move(next.job), std::move(outcome));
    }
    struct entry {
        storage::append_job job;
        append_done done;
    };
    std::deque<entry> waiting;
};

struct held_pool final : cluster::worker_pool {
    void run(std::function<void()> work, std::function<void()> done) override
    {
        waiting.push_back([work = std::move(work), done = std::move(done)] {
            work();
            done();
        });
    }
    void release_all()
    {
        while (!waiting.empty()) {
            auto next = std::move(waiting.front());
            waiting.pop_front();
            next();
        }
    }
    std::deque<std::function<void()>> waiting;
};

struct one_replica {
    simulated_file_system files;
    base::null_logger logger;
    held_lane lane;
    held_pool pool;
    topics::tail_cache cache{1 << 20};
    topics::partition memory{cache, {}};
    std::shared_ptr<cluster::local_replica> replica;
    std::optional<result<cluster::append_answer>> appended;
    std::optional<result<storage::read_outcome>> was_read;
    bool closed = false;

    one_replica()
    {
        BOOST_REQUIRE(files.create_directory("/p").has_value());
        auto log = storage::log::create(files, "/p/0", {}, logger);
        BOOST_REQUIRE(log.has_value());
        replica = std::make_shared<cluster::local_replica>(base::broker_id{1}, std::move(*log), lane, pool);
    }
    void append(base::leader_epoch epoch = base::leader_epoch{1})
    {
        memory.accept(records_of({{"", "v"}}), {}, epoch, 1);
        appended.reset();
        replica->append({epoch, std::nullopt, memory.take_pending(), 1},
                        [this](result<cluster::append_answer> answer) { appended = std::move(answer); });
    }
    void read()
    {
        was_read.reset();
        replica->read(offset{0}, offset{1}, 1000,
                      [this](result<storage::read_outcome> answer) { was_read = std::move(answer); });
    }
    void close()
    {
        replica->close([this](const result<void>&) { closed = true; });
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(local_replica_test, one_replica)

BOOST_AUTO_TEST_CASE(an_append_is_answered_when_it_is_durable)
{
    append();
    BOOST_TEST(!appended.has_value());
    lane.release();
    BOOST_REQUIRE((appended && appended->has_value()));
    BOOST_TEST((*appended)->durable_end.value() == 1);
    read();
    pool.release_all();
    BOOST_TEST((*was_read)->runs.size() == 1u);
}

BOOST_AUTO_TEST_CASE(an_old_epoch_and_a_gap_are_refused)
{
    append(base::leader_epoch{5});
    lane.release();
    append(base::leader_epoch{4});
    pool.release_all();
    BOOST_TEST((appended->error().code == errc::replication_failed));
    append(base::leader_epoch{5});  // offset 2: the refused one left a gap
    pool.release_all();
    BOOST_TEST((appended->error().code == errc::replication_failed));
    BOOST_TEST(replica->state().end.value() == 1);
}

// A deleted topic's files may go to another place, and its name to another topic, only when nobody is about to open them by path.
BOOST_AUTO_TEST_CASE(closing_waits_for_every_job_that_is_out_and_lets_none_begin)
{
    append();
    lane.release();
    append();
    read();
    replica->checkpoint([](const result<void>&) {});
    close();
    pool.release_all();
    BOOST_TEST(!closed);
    lane.release();
    BOOST_TEST(closed);
    BOOST_TEST(appended->has_value());

    append();
    read();
    pool.release_all();
    BOOST_TEST((appended->error().code == errc::topic_not_found));
    BOOST_TEST((was_read->error().code == errc::topic_not_found));
    BOOST_TEST(lane.waiting.empty());
}

BOOST_AUTO_TEST_CASE(closing_an_idle_replica_is_answered_at_once_but_not_from_inside)
{
    close();
    BOOST_TEST(!closed);
    pool.release_all();
    BOOST_TEST(closed);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pystream::tests
