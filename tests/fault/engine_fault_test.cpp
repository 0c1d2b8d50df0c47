// The whole engine on a disk that fails, fills up and loses power.

#include <boost/test/unit_test.hpp>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/support/engine_fixture.hpp"
#include "tests/support/simulated_file_system.hpp"

namespace pystream::tests {
namespace {

using base::errc;
using base::offset;
using base::partition_index;

struct unkind_disk {
    simulated_file_system files;

    static engine::engine_options options()
    {
        engine::engine_options made;
        made.data_dir = "/data";
        made.worker_threads = 2;
        return made;
    }
    std::unique_ptr<engine_fixture> start()
    {
        auto made = std::make_unique<engine_fixture>(files, options());
        const auto started = made->run(made->engine().start());
        BOOST_REQUIRE_MESSAGE(started.has_value(), (started ? "" : started.error().detail + started.error().internal));
        return made;
    }
    // As after a power cut: the process is gone without stop().
    std::unique_ptr<engine_fixture> restart(std::unique_ptr<engine_fixture> old, crash_keeps keeps)
    {
        old.reset();
        files.crash(keeps);
        return start();
    }
};

base::result<engine::topic_description> create(engine_fixture& on, std::string name, std::int32_t partitions)
{
    engine::create_topic_request request;
    request.name = std::move(name);
    request.partitions = partitions;
    return on.run(on.engine().create_topic(std::move(request)));
}

base::result<engine::produce_result> produce(engine_fixture& on, int partition, std::string_view value)
{
    engine::produce_request request;
    request.topic = "t";
    request.partition = partition_index{partition};
    request.records = records_of({{"", value}});
    return on.run(on.engine().produce(std::move(request)));
}

std::vector<std::string> values(engine_fixture& on, const std::string& topic, int partition)
{
    engine::fetch_request request;
    request.topic = topic;
    request.partition = partition_index{partition};
    request.bytes_max = 1 << 30;
    const auto fetched = on.run(on.engine().fetch(request));
    BOOST_REQUIRE(fetched.has_value());
    std::vector<std::string> found;
    for (const auto& run : fetched->runs) {
        std::string_view rest = run.bytes;
        while (!rest.empty()) {
            const auto header = storage::decode_header(rest);
            storage::record_cursor cursor(rest);
            storage::decoded_record record;
            while (*cursor.next(record)) found.emplace_back(*record.value);
            rest.remove_prefix(header->length_bytes);
        }
    }
    return found;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(engine_fault_test)

BOOST_FIXTURE_TEST_CASE(a_full_disk_refuses_the_record_and_takes_it_when_there_is_room, unkind_disk)
{
    auto on = start();
    BOOST_REQUIRE(create(*on, "t", 1).has_value());
    BOOST_REQUIRE(produce(*on, 0, "a").has_value());
    files.fail(call::write, 1, errc::disk_full, "partition-000000/0");
    const auto refused = produce(*on, 0, "b");
    BOOST_REQUIRE(refused.has_error());
    BOOST_TEST((refused.error().code == errc::disk_full));
    BOOST_TEST(!refused.error().outcome_unknown);
    BOOST_TEST(on->engine().health().reasons.size() == 1u);
    const auto taken = produce(*on, 0, "c");
    BOOST_REQUIRE(taken.has_value());
    BOOST_TEST(taken->results[0].at.value() == 1);
    BOOST_TEST(on->engine().health().reasons.empty());
    on = restart(std::move(on), crash_keeps::only_durable);
    BOOST_TEST(values(*on, "t", 0) == (std::vector<std::string>{"a", "c"}), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_failed_sync_is_final_until_the_log_is_opened_again, unkind_disk)
{
    auto on = start();
    BOOST_REQUIRE(create(*on, "t", 2).has_value());
    BOOST_REQUIRE(produce(*on, 0, "a").has_value());
    files.fail(call::sync, 1, errc::io_failed, "partition-000000/0");
    const auto failed = produce(*on, 0, "b");
    BOOST_REQUIRE(failed.has_error());
    BOOST_TEST((failed.error().code == errc::partition_failed));
    BOOST_TEST(failed.error().outcome_unknown);
    const auto refused = produce(*on, 0, "c");
    BOOST_TEST((refused.error().code == errc::partition_failed));
    BOOST_TEST(!refused.error().outcome_unknown);
    BOOST_TEST(values(*on, "t", 0) == (std::vector<std::string>{"a"}), boost::test_tools::per_element());
    BOOST_TEST(produce(*on, 1, "elsewhere").has_value());
    BOOST_TEST(!on->engine().health().reasons.empty());
    on = restart(std::move(on), crash_keeps::only_durable);
    BOOST_TEST(values(*on, "t", 0) == (std::vector<std::string>{"a"}), boost::test_tools::per_element());
    BOOST_TEST(produce(*on, 0, "d").has_value());
}

BOOST_FIXTURE_TEST_CASE(what_is_pending_behind_a_failed_append_goes_with_it, unkind_disk)
{
    auto on = start();
    BOOST_REQUIRE(create(*on, "t", 1).has_value());
    files.fail(call::write, 1, errc::disk_full, "partition-000000/0");
    std::vector<std::shared_ptr<engine_fixture::outcome<base::result<engine::produce_result>>>> all;
    for (int i = 0; i < 3; ++i) {
        engine::produce_request request;
        request.topic = "t";
        request.partition = partition_index{0};
        request.records = records_of({{"", "x"}});
        all.push_back(on->start(on->engine().produce(std::move(request))));
        on->step();
    }
    for (const auto& each : all)
        while (!each->done) on->step();
    BOOST_TEST(all[0]->value->has_error());
    const auto end = on->engine().describe_partition("t", partition_index{0})->end.value();
    std::int64_t stored = 0;
    for (const auto& each : all) stored += each->value->has_value() ? 1 : 0;
    BOOST_TEST(end == stored);
}

// C018
BOOST_FIXTURE_TEST_CASE(a_commit_that_could_not_be_stored_leaves_the_old_value_and_can_be_repeated, unkind_disk)
{
    auto on = start();
    BOOST_REQUIRE(create(*on, "t", 1).has_value());
    BOOST_REQUIRE(produce(*on, 0, "a").has_value());
    BOOST_REQUIRE(produce(*on, 0, "b").has_value());
    const auto commit = [&](std::int64_t at) {
        return on->run(on->engine().commit_offsets({"g", {{"t", partition_index{0}, offset{at}, {}}}, false}));
    };
    const auto committed = [&] { return on->engine().committed_offsets("g", {"t"})->front().at; };
    BOOST_REQUIRE(commit(1).has_value());
    files.fail(call::write, 1, errc::disk_full, "__offsets");
    BOOST_TEST((commit(2).error().code == errc::disk_full));
    BOOST_TEST(committed()->value() == 1);
    BOOST_TEST(commit(2).has_value());
    on = restart(std::move(on), crash_keeps::only_durable);
    BOOST_TEST(committed()->value() == 2);
}

BOOST_FIXTURE_TEST_CASE(a_creation_that_failed_leaves_nothing_behind, unkind_disk)
{
    auto on = start();
    files.fail(call::rename, 1, errc::disk_full, "cluster.meta");
    const auto failed = create(*on, "t", 2);
    BOOST_REQUIRE(failed.has_error());
    BOOST_TEST((failed.error().code == errc::disk_full));
    BOOST_TEST((on->engine().describe_topic("t").error().code == errc::topic_not_found));
    BOOST_TEST(!*files.exists("/data/broker-000001/topics/t"));
    BOOST_TEST(create(*on, "t", 2).has_value());
    on = restart(std::move(on), crash_keeps::only_durable);
    BOOST_TEST(on->engine().describe_topic("t").has_value());
}

BOOST_FIXTURE_TEST_CASE(an_unknown_outcome_of_a_metadata_save_is_said_and_stops_further_changes, unkind_disk)
{
    auto on = start();
    const std::size_t before = files.count(call::sync_directory);
    BOOST_REQUIRE(create(*on, "first", 1).has_value());
    // The last one is that of the directory in which cluster.meta has just been renamed.
    files.fail(call::sync_directory, files.count(call::sync_directory) - before, errc::io_failed);
    const auto unknown = create(*on, "second", 1);
    BOOST_REQUIRE(unknown.has_error());
    BOOST_TEST((unknown.error().code == errc::outcome_unknown));
    files.clear_faults();
    BOOST_TEST(create(*on, "later", 1).has_error());
    BOOST_TEST(!on->engine().health().reasons.empty());
    on = restart(std::move(on), crash_keeps::any_part);
    BOOST_TEST(create(*on, "later", 1).has_value());
}

// Found by the simulation: a change that only the page cache has is read at the next start. What is then built on it must not go with it.
BOOST_FIXTURE_TEST_CASE(metadata_that_was_read_is_durable_before_anything_is_built_on_it, unkind_disk)
{
    auto on = start();
    BOOST_REQUIRE(create(*on, "first", 1).has_value());
    const std::size_t before = files.count(call::sync_directory);
    BOOST_REQUIRE(create(*on, "other", 1).has_value());
    // The last one is that of the directory in which cluster.meta has just been renamed.
    files.fail(call::sync_directory, files.count(call::sync_directory) - before, errc::io_failed);
    BOOST_REQUIRE((create(*on, "t", 1).error().code == errc::outcome_unknown));
    on = restart(std::move(on), crash_keeps::everything);
    BOOST_REQUIRE(produce(*on, 0, "a").has_value());
    on = restart(std::move(on), crash_keeps::only_durable);
    BOOST_REQUIRE(on->engine().describe_topic("t").has_value());
    BOOST_TEST(values(*on, "t", 0) == (std::vector<std::string>{"a"}), boost::test_tools::per_element());
}

// A deletion whose outcome is unknown may turn out to have happened: nothing is acknowledged in the topic until that is known.
BOOST_FIXTURE_TEST_CASE(a_topic_whose_deletion_has_an_unknown_outcome_takes_no_writes, unkind_disk)
{
    auto on = start();
    BOOST_REQUIRE(create(*on, "other", 1).has_value());
    BOOST_REQUIRE(create(*on, "t", 1).has_value());
    BOOST_REQUIRE(produce(*on, 0, "a").has_value());
    files.fail(call::sync_directory, 1, errc::io_failed, "/data");
    const auto deleted = on->run(on->engine().delete_topic("t"));
    BOOST_REQUIRE(deleted.has_error());
    BOOST_TEST(deleted.error().outcome_unknown);
    const auto refused = produce(*on, 0, "b");
    BOOST_REQUIRE(refused.has_error());
    BOOST_TEST((refused.error().code == errc::partition_unavailable));
    BOOST_TEST(!refused.error().outcome_unknown);
    BOOST_TEST(on->run(on->engine().commit_offsets({"g", {{"t", partition_index{0}, offset{1}, {}}}, false})).has_error());
    BOOST_TEST(on->run(on->engine().commit_offsets({"g", {{"other", partition_index{0}, offset{0}, {}}}, false})).has_value());
}

BOOST_FIXTURE_TEST_CASE(a_failed_partition_says_why, unkind_disk)
{
    auto on = start();
    BOOST_REQUIRE(create(*on, "t", 1).has_value());
    files.fail(call::sync, 1, errc::io_failed, "partition-000000/0");
    BOOST_REQUIRE(produce(*on, 0, "b").has_error());
    BOOST_TEST(!on->engine().describe_partition("t", partition_index{0})->problem.empty());
}

BOOST_FIXTURE_TEST_CASE(what_deleted_topics_had_committed_is_not_kept, unkind_disk)
{
    auto on = start();
    BOOST_REQUIRE(create(*on, "t", 1).has_value());
    BOOST_REQUIRE(on->run(on->engine().commit_offsets({"g", {{"t", partition_index{0}, offset{0}, {}}}, false})).has_value());
    BOOST_TEST(on->engine().group_exists("g"));
    BOOST_REQUIRE(on->run(on->engine().delete_topic("t")).has_value());
    BOOST_TEST(!on->engine().group_exists("g"));
    on = restart(std::move(on), crash_keeps::only_durable);
    BOOST_TEST(!on->engine().group_exists("g"));
}

// The first start and a creation, stopped by a power cut at every single change of the disk: the next start goes on, and what was
// answered holds. Nothing piles up.
BOOST_AUTO_TEST_CASE(forming_a_cluster_and_creating_a_topic_can_be_cut_short_anywhere)
{
    bool cut = true;
    for (std::size_t change = 1; cut; ++change) {
        BOOST_TEST_CONTEXT("power off at change " << change)
        {
            simulated_file_system files(change);
            auto on = std::make_unique<engine_fixture>(files, unkind_disk::options());
            files.power_off_at(change);
            const bool started = on->run(on->engine().start()).has_value();
            const bool created = started && create(*on, "t", 2).has_value();
            cut = files.is_off();
            on.reset();
            files.crash(change % 2 == 0 ? crash_keeps::only_durable : crash_keeps::any_part);
            on = std::make_unique<engine_fixture>(files, unkind_disk::options());
            const auto again = on->run(on->engine().start());
            BOOST_REQUIRE_MESSAGE(again.has_value(), (again ? "" : again.error().detail + again.error().internal));
            BOOST_TEST((!created || on->engine().describe_topic("t").has_value()));
            if (!on->engine().describe_topic("t")) BOOST_TEST(create(*on, "t", 2).has_value());
            BOOST_TEST(produce(*on, 1, "v").has_value());
            BOOST_TEST(on->engine().describe_cluster().unassigned.empty());
        }
    }
}

// A deletion that was answered holds, and its data goes, wherever the power is cut; a new topic of that name is untouched.
BOOST_AUTO_TEST_CASE(deleting_a_topic_can_be_cut_short_anywhere)
{
    bool cut = true;
    for (std::size_t change = 1; cut; ++change) {
        BOOST_TEST_CONTEXT("power off at change " << change)
        {
            simulated_file_system files(change);
            auto on = std::make_unique<engine_fixture>(files, unkind_disk::options());
            BOOST_REQUIRE(on->run(on->engine().start()).has_value());
            BOOST_REQUIRE(create(*on, "t", 2).has_value());
            BOOST_REQUIRE(produce(*on, 0, "old").has_value());
            files.power_off_at(change);
            const bool deleted = on->run(on->engine().delete_topic("t")).has_value();
            const bool recreated = deleted && create(*on, "t", 1).has_value();
            if (!files.is_off()) on->run(on->engine().stop());
            cut = files.is_off();
            on.reset();
            files.crash(change % 2 == 0 ? crash_keeps::only_durable : crash_keeps::any_part);
            on = std::make_unique<engine_fixture>(files, unkind_disk::options());
            BOOST_REQUIRE(on->run(on->engine().start()).has_value());
            const auto there = on->engine().describe_topic("t");
            if (recreated) BOOST_REQUIRE(there.has_value());
            if (deleted && there) BOOST_TEST(there->partitions == 1);
            if (there && there->partitions == 2)
                BOOST_TEST(values(*on, "t", 0) == std::vector<std::string>{"old"}, boost::test_tools::per_element());
            if (there && there->partitions == 1) BOOST_TEST(values(*on, "t", 0).empty());
            BOOST_TEST(on->engine().describe_cluster().unassigned.empty());
            if (!there) BOOST_TEST(create(*on, "t", 1).has_value());
            on->run(on->engine().stop());
            BOOST_TEST(files.list("/data/broker-000001")->size() ==
                       2u);  // broker.meta and topics: nothing is set aside any more
        }
    }
}

// Power cuts at random changes of the disk: everything acknowledged is there afterwards at its offset, and nothing else but what was asked.
BOOST_AUTO_TEST_CASE(acknowledged_records_survive_power_cuts_at_any_point)
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        BOOST_TEST_CONTEXT("seed " << seed)
        {
            std::mt19937_64 random(seed);
            simulated_file_system files(seed);
            auto on = std::make_unique<engine_fixture>(files, unkind_disk::options());
            BOOST_REQUIRE(on->run(on->engine().start()).has_value());
            BOOST_REQUIRE(create(*on, "t", 2).has_value());
            std::map<std::pair<int, std::int64_t>, std::string> acknowledged;
            std::map<int, std::int64_t> committed;
            for (int life = 0; life < 3; ++life) {
                files.power_off_at(1 + random() % 60);
                for (int i = 0; i < 40 && !files.is_off(); ++i) {
                    const int partition = static_cast<int>(random() % 2);
                    const std::string value = std::to_string(life) + "-" + std::to_string(i);
                    if (const auto done = produce(*on, partition, value))
                        acknowledged[{partition, done->results[0].at.value()}] = value;
                    const auto end = on->engine().describe_partition("t", partition_index{partition})->high_watermark.value();
                    if (on->run(on->engine().commit_offsets({"g", {{"t", partition_index{partition}, offset{end}, {}}}, true})))
                        committed[partition] = end;
                }
                on.reset();
                files.crash(random() % 2 == 0 ? crash_keeps::only_durable : crash_keeps::any_part);
                on = std::make_unique<engine_fixture>(files, unkind_disk::options());
                const auto started = on->run(on->engine().start());
                BOOST_REQUIRE_MESSAGE(started.has_value(), (started ? "" : started.error().detail + started.error().internal));
                for (int partition = 0; partition < 2; ++partition) {
                    const auto there = values(*on, "t", partition);
                    for (const auto& [place, value] : acknowledged)
                        if (place.first == partition) {
                            BOOST_REQUIRE(place.second < static_cast<std::int64_t>(there.size()));
                            BOOST_TEST(there[static_cast<std::size_t>(place.second)] == value);
                        }
                    if (committed.contains(partition)) {
                        const auto at = on->engine().committed_offsets("g", {"t"})->at(static_cast<std::size_t>(partition)).at;
                        BOOST_REQUIRE(at.has_value());
                        BOOST_TEST(at->value() >= committed[partition]);
                    }
                }
            }
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pystream::tests
