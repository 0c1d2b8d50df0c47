#include "core/storage/recovery.hpp"

#include "core/storage/checkpoint.hpp"
#include "tests/unit/core/storage/log_fixture.hpp"

using namespace pystream;
using namespace pystream::tests;

namespace {

// Several small segments, the last one not empty.
struct segments_fixture : log_fixture {
    segments_fixture()
    {
        options.segment_bytes = 600;
        create();
        append(30);
        BOOST_REQUIRE(log->segments().size() > 4);
    }
    std::string path_of(std::size_t segment) const { return storage::segment_path(directory, base_of(segment)); }
    base::offset base_of(std::size_t segment) const { return log->segments()[segment].base; }

    // Every offset in [from, end) is reported damaged and every other one is served.
    void check_only_missing(base::offset from, base::offset end)
    {
        const log_content content = read_all();
        BOOST_TEST(log->end().value() == 30);
        for (std::int64_t i = 0; i < 30; ++i)
            BOOST_TEST(content.values[static_cast<std::size_t>(i)].has_value() == (i < from.value() || i >= end.value()));
        BOOST_REQUIRE(!content.damages.empty());
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(recovery_test)

BOOST_FIXTURE_TEST_CASE(a_missing_sealed_segment_is_damage_and_the_rest_is_served, segments_fixture)
{
    const base::offset from = base_of(1);
    const base::offset end = base_of(2);
    files.erase(path_of(1));
    open();
    check_only_missing(from, end);
    open();
    check_only_missing(from, end);
    const auto late = log->prepare_read(base_of(1), log->end(), 1000).run();  // the list has no gap: its predecessor ends early
    BOOST_REQUIRE(late);
}

BOOST_FIXTURE_TEST_CASE(a_segment_that_vanishes_under_an_open_log_is_damage, segments_fixture)
{
    files.erase(path_of(1));
    const auto read = log->prepare_read(base_of(1), log->end(), 1000).run();
    BOOST_REQUIRE(read);
    BOOST_TEST(read->runs.empty());
    BOOST_REQUIRE(read->damaged.has_value());
    BOOST_TEST(read->damaged->from == base_of(1));
    BOOST_TEST(read->damaged->end == base_of(2));
    check_only_missing(base_of(1), base_of(2));
}

BOOST_FIXTURE_TEST_CASE(a_shortened_sealed_segment_is_damage_from_the_first_missing_batch, segments_fixture)
{
    const std::string content = *files.content(path_of(1));
    const std::size_t one = log->last_batch()->length_bytes;
    for (std::size_t size = 0; size < content.size(); size += 7) {
        files.set_content(path_of(1), std::string_view{content}.substr(0, size));
        open();
        BOOST_TEST(!log->failure().has_value());  // sealed segments are not read at open
        check_only_missing(base_of(1) + static_cast<std::int64_t>(size / one), base_of(2));
    }
}

BOOST_FIXTURE_TEST_CASE(a_missing_first_segment_is_reported_at_open, segments_fixture)
{
    const base::offset end = base_of(1);
    files.erase(path_of(0));
    open();
    BOOST_REQUIRE(log->failure().has_value());
    BOOST_TEST(log->start().value() == 0);
    check_only_missing(base::offset{0}, end);
}

BOOST_FIXTURE_TEST_CASE(a_missing_newest_segment_is_reported_up_to_the_recovery_point, segments_fixture)
{
    checkpoint();
    const std::size_t last = log->segments().size() - 1;
    const base::offset from = base_of(last);
    files.erase(path_of(last));
    open();
    BOOST_REQUIRE(log->failure().has_value());
    check_only_missing(from, base::offset{30});
    open();
    check_only_missing(from, base::offset{30});
}

BOOST_FIXTURE_TEST_CASE(all_segments_missing_is_reported_not_read_as_empty, segments_fixture)
{
    checkpoint();
    const std::size_t count = log->segments().size();
    for (std::size_t i = 0; i < count; ++i) files.erase(path_of(i));
    open();
    BOOST_REQUIRE(log->failure().has_value());
    BOOST_TEST(log->end().value() == 30);
    check_only_missing(base::offset{0}, base::offset{30});
}

// C008: a bad batch in a sealed segment is found by the read, named, and the next offset can be read.
BOOST_FIXTURE_TEST_CASE(a_changed_byte_anywhere_in_a_sealed_segment_is_found_by_the_read, segments_fixture)
{
    const std::string whole = *files.content(path_of(1));
    const std::size_t one = log->last_batch()->length_bytes;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 4);
        files.set_content(path_of(1), changed);
        const base::offset bad = base_of(1) + static_cast<std::int64_t>(at / one);
        check_only_missing(bad, bad + 1);
        const auto read = log->prepare_read(bad, log->end(), 1000).run();
        BOOST_REQUIRE(read && read->damaged);
        BOOST_TEST(read->damaged->position == at / one * one);
        BOOST_TEST(read->damaged->path == path_of(1));
    }
}

BOOST_FIXTURE_TEST_CASE(a_batch_taken_out_of_a_sealed_segment_is_found_by_the_read, segments_fixture)
{
    const std::string whole = *files.content(path_of(1));
    const std::size_t one = log->last_batch()->length_bytes;
    for (std::size_t at = 0; at < whole.size(); at += one) {
        files.set_content(path_of(1), whole.substr(0, at) + whole.substr(at + one));
        const base::offset bad = base_of(1) + static_cast<std::int64_t>(at / one);
        check_only_missing(bad, bad + 1);
    }
}

// The file of another segment under this one's name.
BOOST_FIXTURE_TEST_CASE(a_foreign_segment_file_is_damage, segments_fixture)
{
    files.set_content(path_of(1), *files.content(path_of(2)));
    check_only_missing(base_of(1), base_of(2));
    files.set_content(path_of(1), *files.content(path_of(0)));
    check_only_missing(base_of(1), base_of(2));
}

BOOST_FIXTURE_TEST_CASE(damage_that_was_noted_is_reported_without_reading_again, segments_fixture)
{
    std::string changed = *files.content(path_of(1));
    changed[10] ^= 1;
    files.set_content(path_of(1), changed);
    const auto found = log->prepare_read(base_of(1), log->end(), 1000).run();
    BOOST_REQUIRE(found && found->damaged);
    log->note_damage(*found->damaged);
    log->note_damage(*found->damaged);
    BOOST_TEST(log->damages().size() == 1);
    BOOST_TEST(!log->failure().has_value());
    const std::uint64_t read_before = files.bytes_read();
    const auto again = log->prepare_read(base_of(1), log->end(), 1000).run();
    BOOST_REQUIRE(again && again->damaged);
    BOOST_TEST(files.bytes_read() == read_before);
    append(1);  // the tail is sound
}

BOOST_FIXTURE_TEST_CASE(the_last_batch_is_known_when_the_newest_segment_is_empty, log_fixture)
{
    create();
    append(3, 2);
    files.set_content(storage::segment_path(directory, base::offset{6}), "");
    open();
    BOOST_TEST(log->end().value() == 6);
    BOOST_TEST(log->last_timestamp_ns() == 4'000'000);
    BOOST_TEST(log->recorded_high_watermark().value() == 4);
    append(1);
    check_whole(7);
}

BOOST_FIXTURE_TEST_CASE(without_a_checkpoint_everything_is_found_again, segments_fixture)
{
    checkpoint();
    files.erase("log/checkpoint");
    open();
    check_whole(30);
    BOOST_TEST(events.has("checkpoint_lost"));
    events.events.clear();
    append(1);
    open();
    check_whole(31);
    BOOST_TEST(!events.has("checkpoint_lost"));
}

BOOST_FIXTURE_TEST_CASE(any_changed_byte_of_the_checkpoint_is_noticed, segments_fixture)
{
    checkpoint();
    const std::string whole = *files.content("log/checkpoint");
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        files.set_content("log/checkpoint", changed);
        events.events.clear();
        open();
        BOOST_TEST(events.has("checkpoint_lost"));
        check_whole(30);
        files.set_content("log/checkpoint", whole.substr(0, at));
        open();
        check_whole(30);
    }
}

// Without a recovery point nobody knows what was acknowledged, so only zeros are cut.
BOOST_FIXTURE_TEST_CASE(without_a_checkpoint_only_zeros_are_cut, log_fixture)
{
    create();
    append(4);
    const std::string path = active_path();
    const std::string whole = *files.content(path);
    files.erase("log/checkpoint");
    files.set_content(path, whole + std::string(500, '\0'));
    open();
    check_whole(4);
    BOOST_TEST(*files.content(path) == whole);

    files.erase("log/checkpoint");
    files.set_content(path, whole + "garbage");
    open();
    BOOST_REQUIRE(log->failure().has_value());
    BOOST_TEST(log->end().value() == 4);
    BOOST_TEST(*files.content(path) == whole + "garbage");
    BOOST_TEST(!files.content("log/checkpoint").has_value());
    for (const auto& value : read_all().values) BOOST_TEST(value.has_value());
}

// Growing a topic that has keys must be asked for, so a key is never forgotten; where nobody knows, there may be one.
BOOST_FIXTURE_TEST_CASE(a_key_is_remembered_over_rolls_and_restarts, log_fixture)
{
    options.segment_bytes = 400;
    create();
    append(2);
    open();
    BOOST_TEST(!log->has_keys());
    encoded_batches keyed;
    storage::record_set records;
    records.add({.key = "k", .value = value_at(2)});
    storage::batch_stamp stamp;
    stamp.base_offset = log->end();
    stamp.timestamp_ns = 2'000'000;
    const storage::batch_header header = storage::append_batch(keyed.bytes, stamp, records);
    keyed.extents.push_back(storage::extent_of(header));
    BOOST_REQUIRE(log->append_and_sync(keyed.bytes, keyed.extents, 0));
    BOOST_TEST(log->has_keys());
    append(20);
    open();
    BOOST_TEST(log->has_keys());
    checkpoint();
    append(20);
    open();
    BOOST_TEST(log->has_keys());
    check_whole(43);
}

// C092: below the recovery point nothing is scanned.
BOOST_FIXTURE_TEST_CASE(a_clean_restart_reads_little, log_fixture)
{
    value_bytes = 10'000;
    options.segment_bytes = 200'000;
    create();
    append(100);
    checkpoint();
    log.reset();
    const std::uint64_t read_before = files.bytes_read();
    const std::size_t changes_before = files.changes();
    open();
    BOOST_TEST(log->recovery().bytes_scanned == 0);
    BOOST_TEST(files.bytes_read() - read_before < 12'000);  // one batch, checkpoint, index
    BOOST_TEST(files.changes() == changes_before);
    check_whole(100);

    append(2);
    open();
    BOOST_TEST(log->recovery().bytes_scanned < 25'000);  // what came after the checkpoint
    BOOST_TEST(log->recovery().bytes_rewritten == log->recovery().bytes_scanned);
    check_whole(102);
}

BOOST_FIXTURE_TEST_CASE(an_empty_log_opens_without_a_write, log_fixture)
{
    create();
    const std::size_t changes_before = files.changes();
    open();
    BOOST_TEST(files.changes() == changes_before);
}

// A sync that failed left bytes in the page cache that look clean. After a restart of the process they are readable, so they must be
// made durable before anyone sees them.
BOOST_FIXTURE_TEST_CASE(bytes_above_the_recovery_point_are_written_again_and_synced, log_fixture)
{
    create();
    append(3);
    files.fail(call::sync, 1, base::errc::io_failed);
    BOOST_TEST(!try_append());
    open();
    BOOST_TEST(log->end().value() == 4);
    BOOST_TEST(log->recovery().bytes_rewritten > 0);
    log.reset();
    files.crash(crash_keeps::only_durable);
    open();
    check_whole(4);
}

BOOST_FIXTURE_TEST_CASE(a_damaged_log_serves_only_what_is_durable, log_fixture)
{
    create();
    append(2);
    files.fail(call::sync, 1, base::errc::io_failed);
    BOOST_TEST(!try_append());
    open();  // rewrites
    append(1);
    std::string changed = *files.content(active_path());
    changed[5] ^= 1;
    files.erase("log/checkpoint");
    files.set_content(active_path(), changed);
    open();
    BOOST_TEST(log->failure().has_value());
    BOOST_TEST(log->recovery().bytes_rewritten > 0);
    log.reset();
    files.crash(crash_keeps::only_durable);
    open();
    BOOST_TEST(log->end().value() == 4);
    read_all();
}

// C019: a recovery that cannot finish is an error and leaves the work to the next one.
BOOST_FIXTURE_TEST_CASE(a_recovery_that_fails_marks_nothing_as_clean, log_fixture)
{
    create();
    append(3);
    const std::string path = active_path();
    const std::string torn = *files.content(path) + "torn";
    const std::string before = *files.content("log/checkpoint");
    const auto attempt = [&](auto inject) {
        files.set_content(path, torn);
        inject();
        const auto opened = try_open();
        BOOST_TEST(!opened);
        BOOST_TEST(*files.content("log/checkpoint") == before);
        files.clear_faults();
        files.set_space_bytes({});
        files.set_read_only(false);
    };
    attempt([&] { files.fail(call::truncate, 1, base::errc::io_failed); });
    attempt([&] { files.fail(call::write, 1, base::errc::disk_full, ".log"); });
    attempt([&] { files.fail(call::sync, 1, base::errc::io_failed, ".log"); });
    attempt([&] { files.fail(call::sync_directory, 1, base::errc::io_failed); });
    attempt([&] { files.fail(call::read, 3, base::errc::io_failed); });
    attempt([&] { files.fail(call::write, 1, base::errc::disk_full, "checkpoint"); });
    attempt([&] { files.set_read_only(true); });
    attempt([&] { files.set_space_bytes(1); });
    open();
    check_whole(3);
    BOOST_TEST(files.content(path)->size() == torn.size() - 4);
}

// A power cut at every step of a recovery, with any part of its writes kept, is recovered from.
BOOST_AUTO_TEST_CASE(a_crash_during_recovery_is_recovered_from)
{
    for (std::size_t step = 1; step < 40; ++step) {
        log_fixture test{step};
        test.options.segment_bytes = 600;
        test.create();
        test.append(7);
        test.files.fail(call::sync, 1, base::errc::io_failed);
        BOOST_TEST(!test.try_append());
        test.log.reset();
        test.files.power_off_at(step);
        const bool finished = test.try_open().has_value();
        test.log.reset();
        test.files.crash(crash_keeps::any_part);
        test.open();
        BOOST_TEST(!test.log->failure().has_value());
        BOOST_TEST(test.log->end().value() >= (finished ? 8 : 7));
        for (const auto& value : test.read_all().values) BOOST_TEST(value.has_value());
    }
}

BOOST_AUTO_TEST_SUITE_END()
