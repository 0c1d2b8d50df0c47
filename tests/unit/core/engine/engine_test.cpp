#include "core/engine/engine.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>
#include <vector>

#include "core/io/posix_file_system.hpp"
#include "tests/support/engine_fixture.hpp"
#include "tests/support/temporary_directory.hpp"

namespace pystream::tests {
namespace {

using base::errc;
using base::offset;
using base::partition_index;

struct real_disk {
    temporary_directory directory;
    std::unique_ptr<io::file_system> files = io::make_posix_file_system();

    engine::engine_options options() const
    {
        engine::engine_options made;
        made.data_dir = directory.path() + "/data";
        return made;
    }
    std::unique_ptr<engine_fixture> start()
    {
        auto made = std::make_unique<engine_fixture>(*files, options());
        const auto started = made->run(made->engine().start());
        BOOST_REQUIRE_MESSAGE(started.has_value(), (started ? "" : started.error().detail + started.error().internal));
        return made;
    }
    static void create(engine_fixture& on, std::string name, std::int32_t partitions)
    {
        engine::create_topic_request request;
        request.name = std::move(name);
        request.partitions = partitions;
        BOOST_REQUIRE(on.run(on.engine().create_topic(std::move(request))).has_value());
    }
};

engine::produce_request to(std::string topic, std::optional<int> partition, storage::record_set records)
{
    engine::produce_request request;
    request.topic = std::move(topic);
    if (partition) request.partition = partition_index{*partition};
    request.records = std::move(records);
    return request;
}

engine::fetch_request from(std::string topic, int partition, std::int64_t at)
{
    engine::fetch_request request;
    request.topic = std::move(topic);
    request.partition = partition_index{partition};
    request.position = {engine::fetch_position::kind::at, offset{at}, 0};
    return request;
}

std::vector<std::string> values(const engine::fetch_result& fetched)
{
    std::vector<std::string> found;
    for (const auto& run : fetched.runs) {
        std::string_view rest = run.bytes;
        while (!rest.empty()) {
            const auto header = storage::decode_header(rest);
            storage::record_cursor cursor(rest);
            storage::decoded_record record;
            while (*cursor.next(record))
                if (record.offset >= fetched.first) found.emplace_back(record.value.value_or("(null)"));
            rest.remove_prefix(header->length_bytes);
        }
    }
    return found;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(engine_test)

BOOST_FIXTURE_TEST_CASE(what_was_produced_is_fetched_and_survives_a_restart, real_disk)
{
    {
        auto on = start();
        create(*on, "orders", 1);
        const auto first = on->run(on->engine().produce(to("orders", {}, records_of({{"a", "1"}, {"", "2"}}))));
        BOOST_REQUIRE(first.has_value());
        BOOST_TEST(first->results[0].at.value() == 0);
        BOOST_TEST(first->results[1].at.value() == 1);
        const auto second = on->run(on->engine().produce(to("orders", 0, records_of({{"a", "3"}}))));
        BOOST_TEST(second->results[0].at.value() == 2);
        const auto fetched = on->run(on->engine().fetch(from("orders", 0, 1)));
        BOOST_TEST(values(*fetched) == (std::vector<std::string>{"2", "3"}), boost::test_tools::per_element());
        on->run(on->engine().stop());
    }
    auto on = start();
    const auto fetched = on->run(on->engine().fetch(from("orders", 0, 0)));
    BOOST_REQUIRE(fetched.has_value());
    BOOST_TEST(values(*fetched) == (std::vector<std::string>{"1", "2", "3"}), boost::test_tools::per_element());
    BOOST_TEST(fetched->high_watermark.value() == 3);
    on->run(on->engine().stop());
}

BOOST_FIXTURE_TEST_CASE(a_key_always_goes_to_the_same_partition_and_unkeyed_records_go_round, real_disk)
{
    auto on = start();
    create(*on, "t", 3);
    std::set<int> keyed;
    for (int i = 0; i < 5; ++i)
        keyed.insert(on->run(on->engine().produce(to("t", {}, records_of({{"user-1", "x"}}))))->results[0].partition.value());
    BOOST_TEST(keyed.size() == 1u);
    const auto round = on->run(on->engine().produce(to("t", {}, records_of({{"", "a"}, {"", "b"}, {"", "c"}, {"", "d"}}))));
    std::vector<int> partitions;
    for (const auto& each : round->results) partitions.push_back(each.partition.value());
    BOOST_TEST(partitions == (std::vector<int>{0, 1, 2, 0}), boost::test_tools::per_element());
    BOOST_TEST(round->results[3].at - round->results[0].at == 1);
    on->run(on->engine().stop());
}

// C020
BOOST_FIXTURE_TEST_CASE(the_ends_of_a_partition_are_told_apart, real_disk)
{
    auto on = start();
    create(*on, "t", 1);
    BOOST_TEST(on->run(on->engine().fetch(from("t", 0, 0)))->runs.empty());
    on->run(on->engine().produce(to("t", 0, records_of({{"", "a"}, {"", "b"}}))));
    BOOST_TEST(on->run(on->engine().fetch(from("t", 0, 2)))->runs.empty());
    const auto above = on->run(on->engine().fetch(from("t", 0, 3)));
    BOOST_REQUIRE(above.has_error());
    BOOST_TEST((above.error().code == errc::offset_out_of_range));
    BOOST_TEST(*above.error().earliest == 0);
    BOOST_TEST(*above.error().latest == 2);
    BOOST_TEST((on->run(on->engine().fetch(from("t", 1, 0))).error().code == errc::partition_not_found));
    BOOST_TEST((on->run(on->engine().fetch(from("nope", 0, 0))).error().code == errc::topic_not_found));
    on->run(on->engine().stop());
}

BOOST_FIXTURE_TEST_CASE(a_conditional_append_that_does_not_fit_changes_nothing, real_disk)
{
    auto on = start();
    create(*on, "t", 1);
    auto request = to("t", 0, records_of({{"", "a"}}));
    request.expected_offset = offset{0};
    BOOST_TEST(on->run(on->engine().produce(request)).has_value());
    const auto again = on->run(on->engine().produce(request));
    BOOST_REQUIRE(again.has_error());
    BOOST_TEST((again.error().code == errc::offset_mismatch));
    BOOST_TEST(*again.error().actual == 1);
    BOOST_TEST(on->engine().describe_partition("t", partition_index{0})->end.value() == 1);
    on->run(on->engine().stop());
}

BOOST_FIXTURE_TEST_CASE(a_waiting_reader_is_woken_by_the_record_and_not_before_it_is_durable, real_disk)
{
    auto on = start();
    create(*on, "t", 1);
    auto request = from("t", 0, 0);
    request.wait_ms = 20'000;
    const auto waiting = on->start(on->engine().fetch(request));
    on->step();
    BOOST_TEST(!waiting->done);
    on->run(on->engine().produce(to("t", 0, records_of({{"", "now"}}))));
    while (!waiting->done) on->step();
    BOOST_TEST(values(**waiting->value) == (std::vector<std::string>{"now"}), boost::test_tools::per_element());
    on->run(on->engine().stop());
}

BOOST_FIXTURE_TEST_CASE(a_reader_that_waits_in_vain_gets_an_empty_page, real_disk)
{
    auto on = start();
    create(*on, "t", 1);
    auto request = from("t", 0, 0);
    request.wait_ms = 30;
    BOOST_TEST(on->run(on->engine().fetch(request))->runs.empty());
    BOOST_TEST(on->engine().counters().waiting_readers == 0u);
    on->run(on->engine().stop());
}

BOOST_FIXTURE_TEST_CASE(a_recreated_topic_inherits_nothing, real_disk)
{
    auto on = start();
    create(*on, "t", 1);
    on->run(on->engine().produce(to("t", 0, records_of({{"k", "old"}}))));
    engine::commit_request commit{"g", {{"t", partition_index{0}, offset{1}, std::nullopt}}, false};
    BOOST_REQUIRE(on->run(on->engine().commit_offsets(commit)).has_value());
    const auto before = on->engine().describe_topic("t")->id;
    BOOST_REQUIRE(on->run(on->engine().delete_topic("t")).has_value());
    BOOST_TEST((on->engine().describe_topic("t").error().code == errc::topic_not_found));
    create(*on, "t", 1);
    BOOST_TEST((on->engine().describe_topic("t")->id != before));
    BOOST_TEST(on->run(on->engine().fetch(from("t", 0, 0)))->runs.empty());
    const auto lines = on->engine().committed_offsets("g", {"t"});
    BOOST_REQUIRE(lines->size() == 1u);
    BOOST_TEST(!(*lines)[0].at.has_value());
    on->run(on->engine().stop());
}

BOOST_FIXTURE_TEST_CASE(commits_are_checked_and_survive_a_restart, real_disk)
{
    {
        auto on = start();
        create(*on, "t", 2);
        on->run(on->engine().produce(to("t", 1, records_of({{"", "a"}, {"", "b"}, {"", "c"}}))));
        const auto commit = [&](std::int64_t at, bool reset) {
            return on->run(on->engine().commit_offsets({"g", {{"t", partition_index{1}, offset{at}, "note"}}, reset}));
        };
        BOOST_TEST((commit(4, false).error().code == errc::invalid_field));
        BOOST_TEST(commit(2, false).has_value());
        BOOST_TEST((commit(1, false).error().code == errc::offset_regression));
        BOOST_TEST(commit(1, true).has_value());
        BOOST_TEST(
            (on->run(on->engine().commit_offsets({"g", {{"t", partition_index{9}, offset{0}, {}}}, false})).error().code ==
             errc::partition_not_found));
        on->run(on->engine().stop());
    }
    auto on = start();
    const auto lines = on->engine().committed_offsets("g", {"t"});
    BOOST_REQUIRE(lines->size() == 2u);
    BOOST_TEST(!(*lines)[0].at.has_value());
    BOOST_TEST((*lines)[1].at->value() == 1);
    BOOST_TEST((*lines)[1].lag == 2);
    BOOST_TEST(*(*lines)[1].metadata == "note");
    BOOST_REQUIRE(on->run(on->engine().delete_group("g")).has_value());
    BOOST_TEST(!on->engine().group_exists("g"));
    on->run(on->engine().stop());
}

// C024
BOOST_FIXTURE_TEST_CASE(lag_counts_what_is_left_to_read_up_to_the_high_watermark, real_disk)
{
    auto on = start();
    create(*on, "t", 1);
    const auto lag = [&] { return on->engine().committed_offsets("g", {"t"})->front().lag; };
    const auto commit = [&](std::int64_t at) {
        BOOST_REQUIRE(
            on->run(on->engine().commit_offsets({"g", {{"t", partition_index{0}, offset{at}, {}}}, true})).has_value());
    };
    BOOST_TEST(lag() == 0);
    on->run(on->engine().produce(to("t", 0, records_of({{"", "a"}, {"", "b"}, {"", "c"}}))));
    BOOST_TEST(lag() == 3);
    commit(0);
    BOOST_TEST(lag() == 3);
    commit(2);
    BOOST_TEST(lag() == 1);
    commit(3);
    BOOST_TEST(lag() == 0);
    on->run(on->engine().stop());
}

BOOST_FIXTURE_TEST_CASE(a_topic_with_keys_grows_only_when_rerouting_is_meant, real_disk)
{
    {
        auto on = start();
        create(*on, "t", 1);
        on->run(on->engine().produce(to("t", 0, records_of({{"k", "v"}}))));
        on->run(on->engine().stop());
    }
    auto on = start();
    engine::alter_topic_request grow;
    grow.name = "t";
    grow.partitions = 3;
    BOOST_TEST((on->run(on->engine().alter_topic(grow)).error().code == errc::reroute_required));
    grow.reroute_keys = true;
    BOOST_TEST(on->run(on->engine().alter_topic(grow))->partitions == 3);
    grow.partitions = 2;
    BOOST_TEST((on->run(on->engine().alter_topic(grow)).error().code == errc::invalid_field));
    BOOST_TEST(on->run(on->engine().produce(to("t", 2, records_of({{"", "v"}})))).has_value());
    on->run(on->engine().stop());
}

BOOST_FIXTURE_TEST_CASE(time_lookup_finds_the_first_record_at_or_after_a_moment, real_disk)
{
    auto on = start();
    create(*on, "t", 1);
    const std::int64_t begin_ms = 1'764'400'000'000;
    for (int i = 0; i < 5; ++i) {
        on->clock().set_wall_ns((begin_ms + i * 10) * 1'000'000 + 500);
        on->run(on->engine().produce(to("t", 0, records_of({{"", "v"}}))));
    }
    const auto at = [&](std::int64_t ms) {
        return on->run(on->engine().find_offset("t", partition_index{0}, {engine::fetch_position::kind::timestamp, {}, ms}))
            ->at.value();
    };
    BOOST_TEST(at(0) == 0);
    BOOST_TEST(at(begin_ms + 10) == 1);
    BOOST_TEST(at(begin_ms + 11) == 2);
    BOOST_TEST(at(begin_ms + 41) == 5);
    on->run(on->engine().stop());
}

BOOST_FIXTURE_TEST_CASE(a_second_engine_on_the_same_directory_is_refused, real_disk)
{
    auto on = start();
    engine_fixture second(*files, options());
    const auto started = second.run(second.engine().start());
    BOOST_REQUIRE(started.has_error());
    BOOST_TEST((started.error().code == errc::locked));
    on->run(on->engine().stop());
}

// C058: what is read for answers is bounded as a whole, and told at once.
BOOST_FIXTURE_TEST_CASE(fetches_share_a_budget_of_bytes, real_disk)
{
    auto small = options();
    small.read_bytes_max = 1500;
    small.tail_cache_bytes = 0;
    engine_fixture on(*files, small);
    BOOST_REQUIRE(on.run(on.engine().start()).has_value());
    create(on, "t", 1);
    on.run(on.engine().produce(to("t", 0, records_of({{"", std::string(1000, 'x')}}))));
    auto first = on.run(on.engine().fetch(from("t", 0, 0)));
    BOOST_REQUIRE(first.has_value());
    BOOST_TEST((on.run(on.engine().fetch(from("t", 0, 0))).error().code == errc::overloaded));
    first = engine::fetch_result{};
    BOOST_TEST(on.run(on.engine().fetch(from("t", 0, 0))).has_value());
    on.run(on.engine().stop());
}

BOOST_FIXTURE_TEST_CASE(users_never_touch_internal_topics, real_disk)
{
    auto on = start();
    BOOST_TEST(on->engine().describe_topic("__offsets")->internal);
    BOOST_TEST(
        (on->run(on->engine().produce(to("__offsets", 0, records_of({{"k", "v"}})))).error().code == errc::internal_topic));
    BOOST_TEST((on->run(on->engine().delete_topic("__offsets")).error().code == errc::internal_topic));
    engine::create_topic_request request;
    request.name = "__mine";
    BOOST_TEST((on->run(on->engine().create_topic(request)).error().code == errc::internal_topic));
    on->run(on->engine().stop());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pystream::tests
