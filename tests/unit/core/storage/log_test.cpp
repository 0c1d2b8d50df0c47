#include "core/storage/log.hpp"

#include <algorithm>

#include "tests/unit/core/storage/log_fixture.hpp"

using namespace pystream;
using namespace pystream::tests;

BOOST_AUTO_TEST_SUITE(log_test)

BOOST_FIXTURE_TEST_CASE(a_new_log_is_empty_and_durable, log_fixture)
{
    create();
    BOOST_TEST(log->start().value() == 0);
    BOOST_TEST(log->end().value() == 0);
    BOOST_TEST(!log->last_batch().has_value());
    log.reset();
    files.crash(crash_keeps::only_durable);
    open();
    check_whole(0);
}

BOOST_FIXTURE_TEST_CASE(what_was_appended_is_read_back_before_and_after_a_power_cut, log_fixture)
{
    create();
    append(10, 3);
    check_whole(30);
    BOOST_TEST(log->last_timestamp_ns() == 27'000'000);
    log.reset();
    files.crash(crash_keeps::only_durable);
    open();
    check_whole(30);
    BOOST_TEST(log->last_batch()->base.value() == 27);
    BOOST_TEST(log->last_timestamp_ns() == 27'000'000);
    BOOST_TEST(log->recorded_high_watermark().value() == 27);
    append(1);
    check_whole(31);
}

BOOST_FIXTURE_TEST_CASE(appended_bytes_come_back_for_the_cache, log_fixture)
{
    create();
    encoded_batches batch = next_batch(2);
    const std::string bytes = batch.bytes;
    auto job = log->prepare_append(std::move(batch.bytes), std::move(batch.extents), 0);
    BOOST_TEST(job.bytes() == bytes.size());
    BOOST_REQUIRE(job.run());
    BOOST_TEST(log->end().value() == 0);  // nothing is visible before it is complete
    auto synced = job.file_to_sync()->sync_data();
    const auto done = log->complete_append(std::move(job), std::move(synced));
    BOOST_REQUIRE(done);
    BOOST_TEST(**done == bytes);
    BOOST_TEST(log->end().value() == 2);
}

BOOST_FIXTURE_TEST_CASE(reads_stop_at_the_byte_limit_but_give_at_least_one_batch, log_fixture)
{
    create();
    append(20);
    const std::size_t one = log->last_batch()->length_bytes;
    const auto first = log->prepare_read(base::offset{3}, log->end(), 1).run();
    BOOST_REQUIRE(first);
    BOOST_TEST(first->runs.front().base.value() == 3);
    BOOST_TEST(first->runs.front().end.value() == 4);
    const auto three = log->prepare_read(base::offset{3}, log->end(), 3 * one + 10).run();
    BOOST_REQUIRE(three);
    BOOST_TEST(three->runs.front().end.value() == 6);
    const auto limited = log->prepare_read(base::offset{3}, base::offset{5}, 1 << 20).run();
    BOOST_REQUIRE(limited);
    BOOST_TEST(limited->runs.front().end.value() == 5);
}

BOOST_FIXTURE_TEST_CASE(a_read_inside_a_batch_gives_the_whole_batch, log_fixture)
{
    create();
    append(3, 10);
    const auto read = log->prepare_read(base::offset{17}, log->end(), 1).run();
    BOOST_REQUIRE(read);
    BOOST_TEST(read->runs.front().base.value() == 10);
    BOOST_TEST(read->runs.front().end.value() == 20);
}

BOOST_FIXTURE_TEST_CASE(batches_larger_than_any_buffer_are_read_and_recovered, log_fixture)
{
    value_bytes = 3 << 20;
    create();
    append(3);
    check_whole(3);
    open();
    check_whole(3);
}

BOOST_FIXTURE_TEST_CASE(segments_roll_by_size_and_reads_cross_them, log_fixture)
{
    options.segment_bytes = 1000;
    create();
    append(100);
    BOOST_TEST(log->segments().size() > 10);
    for (const auto& segment : log->segments()) BOOST_TEST(segment.bytes <= 1000);
    check_whole(100);
    const auto many = log->prepare_read(base::offset{5}, log->end(), 1 << 20).run();
    BOOST_REQUIRE(many);
    BOOST_TEST(many->runs.back().end.value() == 100);
    open();
    check_whole(100);
    append(100);
    open();
    check_whole(200);
}

BOOST_FIXTURE_TEST_CASE(a_segment_ends_exactly_at_its_limit, log_fixture)
{
    create();
    append(1);
    const std::uint64_t one = log->size_bytes();
    options.segment_bytes = 3 * one;
    log->set_options(options);
    append(2);
    BOOST_TEST(log->segments().size() == 1);
    append(1);
    BOOST_REQUIRE(log->segments().size() == 2);
    BOOST_TEST(log->segments().front().bytes == 3 * one);
    BOOST_TEST(log->segments().back().base.value() == 3);
    check_whole(4);
}

BOOST_FIXTURE_TEST_CASE(a_batch_above_the_segment_limit_has_a_segment_of_its_own, log_fixture)
{
    options.segment_bytes = 64;
    create();
    append(3);
    BOOST_TEST(log->segments().size() == 3);
    check_whole(3);
}

BOOST_FIXTURE_TEST_CASE(one_append_may_roll_several_times, log_fixture)
{
    options.segment_bytes = 400;
    create();
    append(1);
    encoded_batches batches;
    for (int i = 1; i < 21; ++i) add_next(batches, base::offset{i}, 1);
    BOOST_REQUIRE(log->append_and_sync(batches.bytes, batches.extents, 0));
    BOOST_TEST(log->segments().size() > 6);
    check_whole(21);
    files.crash(crash_keeps::only_durable);
    open();
    check_whole(21);
}

BOOST_FIXTURE_TEST_CASE(segments_roll_by_age_of_their_first_record, log_fixture)
{
    options.segment_ms = 10;
    create();
    append(25);  // one a millisecond
    BOOST_REQUIRE(log->segments().size() == 3);
    BOOST_TEST(log->segments()[1].base.value() == 10);
    BOOST_TEST(log->segments()[2].base.value() == 20);
    open();
    append(10);  // the age is known again after a restart
    BOOST_TEST(log->segments().back().base.value() == 30);
    check_whole(35);
}

// C086: a new segment's entry is durable before anything in it can be acknowledged, and its predecessor before it exists.
BOOST_FIXTURE_TEST_CASE(a_roll_syncs_the_segment_left_behind_then_the_new_entry_then_writes, log_fixture)
{
    options.segment_bytes = 64;
    create();
    append(1);
    const std::size_t before = files.trace().size();
    append(1);
    std::vector<std::string> trace = files.trace();
    trace.erase(trace.begin(), trace.begin() + static_cast<std::ptrdiff_t>(before));
    const std::string first = storage::segment_path(directory, base::offset{0});
    const std::string second = storage::segment_path(directory, base::offset{1});
    const auto at = [&](const std::string& line) {
        const auto found = std::find_if(trace.begin(), trace.end(), [&](const auto& entry) { return entry.starts_with(line); });
        BOOST_REQUIRE_MESSAGE((found != trace.end()), line);
        return found - trace.begin();
    };
    BOOST_TEST(at("sync " + first) < at("create " + second));
    const auto entry_synced = std::find(trace.begin() + at("create " + second), trace.end(), "sync_directory " + directory);
    BOOST_REQUIRE((entry_synced != trace.end()));
    BOOST_TEST((entry_synced - trace.begin() < at("write " + second)));
    BOOST_TEST(at("write " + second) < at("sync " + second));
}

// C072: the first record at or above a time, after any mixture of restarts and lost indexes.
BOOST_FIXTURE_TEST_CASE(time_lookup_finds_the_first_record_at_or_above, log_fixture)
{
    options.segment_bytes = 2000;
    create();
    append(200);
    const auto lookup = [&](std::int64_t ns) {
        const auto found = log->prepare_time_lookup(ns, log->end()).run();
        BOOST_REQUIRE(found);
        return found->has_value() ? (*found)->value() : -1;
    };
    const auto check_all = [&] {
        for (std::int64_t i = 0; i < 200; ++i) {
            BOOST_TEST(lookup(i * 1'000'000) == i);
            BOOST_TEST(lookup(i * 1'000'000 - 1) == i);
        }
        BOOST_TEST(lookup(199'000'001) == -1);
        BOOST_TEST(lookup(-5) == 0);
    };
    check_all();
    open();
    check_all();
    for (const auto& segment : log->segments()) files.erase(storage::index_path(directory, segment.base));
    check_all();
    BOOST_TEST(!log->prepare_time_lookup(150'000'000, base::offset{100}).run()->has_value());
}

BOOST_FIXTURE_TEST_CASE(time_lookup_in_an_empty_log_finds_nothing, log_fixture)
{
    create();
    const auto found = log->prepare_time_lookup(0, log->end()).run();
    BOOST_REQUIRE(found);
    BOOST_TEST(!found->has_value());
}

// C088: stray files are nobody's business, own temporary files go.
BOOST_FIXTURE_TEST_CASE(stray_files_are_ignored_and_own_leftovers_removed, log_fixture)
{
    create();
    append(3);
    files.set_content("log/.DS_Store", "x");
    files.set_content("log/1.log", "x");
    files.set_content("log/00000000000000000000.log.bak", "x");
    files.set_content("log/-0000000000000000001.log", "x");
    files.set_content("log/checkpoint.tmp", "half");
    files.set_content("log/00000000000000000777.index.tmp", "half");
    BOOST_REQUIRE(files.create_directory("log/lost+found"));
    BOOST_REQUIRE(files.create_directory("log/00000000000000000009.log"));
    open();
    check_whole(3);
    BOOST_TEST(files.content("log/.DS_Store").has_value());
    BOOST_TEST(!files.content("log/checkpoint.tmp").has_value());
    BOOST_TEST(!files.content("log/00000000000000000777.index.tmp").has_value());
}

BOOST_FIXTURE_TEST_CASE(create_takes_over_a_half_made_directory_but_not_a_log_in_use, log_fixture)
{
    for (std::size_t step = 1;; ++step) {
        simulated_file_system disk{step};
        disk.power_off_at(step);
        if (storage::log::create(disk, "log", {}, events)) break;
        disk.crash(crash_keeps::any_part);
        BOOST_TEST(storage::log::create(disk, "log", {}, events).has_value());
        BOOST_REQUIRE(step < 100);
    }
    create();
    append(1);
    log.reset();
    const auto again = storage::log::create(files, directory, options, events);
    BOOST_REQUIRE(!again);
    BOOST_TEST((again.error().code == base::errc::already_exists_on_disk));
    open();
    check_whole(1);
}

BOOST_FIXTURE_TEST_CASE(a_directory_that_is_no_log_is_not_opened, log_fixture)
{
    BOOST_REQUIRE(files.create_directory("log"));
    const auto opened = try_open();
    BOOST_REQUIRE(!opened);
    BOOST_TEST((opened.error().code == base::errc::not_found_on_disk));
}

BOOST_AUTO_TEST_SUITE_END()
