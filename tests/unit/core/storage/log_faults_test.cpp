// Errors by call: what a failing disk does to an open log.
#include "tests/unit/core/storage/log_fixture.hpp"

using namespace pystream;
using namespace pystream::tests;

BOOST_AUTO_TEST_SUITE(log_faults_test)

BOOST_FIXTURE_TEST_CASE(a_failed_sync_is_final_until_the_log_is_opened_again, log_fixture)
{
    create();
    append(3);
    files.fail(call::sync, 1, base::errc::io_failed);
    const auto failed = try_append();
    BOOST_REQUIRE(!failed);
    BOOST_TEST((failed.error().code == base::errc::io_failed));
    BOOST_REQUIRE(log->failure().has_value());
    BOOST_TEST(log->end().value() == 3);  // nothing of it is visible
    BOOST_TEST(events.has("log_failed"));
    files.crash(crash_keeps::only_durable);
    open();
    check_whole(3);
}

BOOST_FIXTURE_TEST_CASE(an_io_error_of_a_write_is_final, log_fixture)
{
    create();
    append(1);
    files.fail(call::write, 1, base::errc::io_failed);
    BOOST_TEST(!try_append());
    BOOST_TEST(log->failure().has_value());
}

// The disk is full in the middle of a write: cut back, and the same log goes on when there is room again.
BOOST_FIXTURE_TEST_CASE(a_full_disk_cuts_back_and_the_log_goes_on, log_fixture)
{
    create();
    append(3);
    const std::string path = active_path();
    const std::string before = *files.content(path);
    for (std::size_t room = 0; room < 200; room += 3) {
        files.set_space_bytes(before.size() + files.content("log/checkpoint")->size() + room);
        const auto full = try_append(4);
        BOOST_REQUIRE(!full);
        BOOST_TEST((full.error().code == base::errc::disk_full));
        BOOST_TEST(!log->failure().has_value());
        BOOST_TEST(*files.content(path) == before);
    }
    files.crash(crash_keeps::any_part);  // what was refused does not come back either
    open();
    check_whole(3);
    files.set_space_bytes({});
    append(1);
    check_whole(4);
}

BOOST_FIXTURE_TEST_CASE(a_refused_batch_does_not_come_back_after_a_crash, log_fixture)
{
    for (std::uint64_t seed = 1; seed < 40; ++seed) {
        log_fixture test{seed};
        test.create();
        test.append(1);
        encoded_batches two;
        test.add_next(two, base::offset{1}, 1);
        test.add_next(two, base::offset{2}, 200);
        test.files.set_space_bytes(2000);  // the first of the two fits
        BOOST_TEST(!test.log->append_and_sync(two.bytes, two.extents, 0));
        BOOST_TEST(!test.log->failure().has_value());
        test.log.reset();
        test.files.crash(crash_keeps::any_part);
        test.files.set_space_bytes({});
        test.open();
        test.check_whole(1);
    }
}

BOOST_FIXTURE_TEST_CASE(a_roll_that_finds_no_room_is_undone, log_fixture)
{
    options.segment_bytes = 300;
    create();
    append(2);
    const std::size_t segments = log->segments().size();
    encoded_batches many;
    for (int i = 2; i < 12; ++i) add_next(many, base::offset{i}, 1);
    for (const base::errc code : {base::errc::disk_full, base::errc::too_many_open_files, base::errc::read_only}) {
        for (std::size_t nth = 1; nth < 4; ++nth) {
            files.fail(call::open, nth, code, ".log");
            auto refused = log->append_and_sync(many.bytes, many.extents, 0);
            files.clear_faults();
            BOOST_REQUIRE(!refused);
            BOOST_TEST((refused.error().code == code));
            BOOST_TEST(!log->failure().has_value());
            BOOST_TEST(log->segments().size() == segments);
            check_whole(2);
        }
    }
    files.crash(crash_keeps::any_part);
    open();
    check_whole(2);
    BOOST_REQUIRE(log->append_and_sync(many.bytes, many.extents, 0));
    check_whole(12);
    open();
    check_whole(12);
}

// The segments that a refused append began are gone for good before its bytes are cut from the one before: else that one would seem
// to lack records.
BOOST_AUTO_TEST_CASE(a_roll_that_was_undone_stays_undone_after_a_crash)
{
    for (const crash_keeps keeps : {crash_keeps::only_durable, crash_keeps::any_part}) {
        for (std::uint64_t seed = 1; seed < 20; ++seed) {
            log_fixture test{seed};
            test.options.segment_bytes = 300;
            test.create();
            test.append(1);
            encoded_batches many;
            for (int i = 1; i < 8; ++i) test.add_next(many, base::offset{i}, 1);
            test.files.fail(call::write, 3, base::errc::disk_full, ".log");
            BOOST_TEST(!test.log->append_and_sync(many.bytes, many.extents, 0));
            BOOST_TEST(!test.log->failure().has_value());
            test.log.reset();
            test.files.crash(keeps);
            test.open();
            test.check_whole(1);
        }
    }
}

BOOST_FIXTURE_TEST_CASE(a_cut_back_that_fails_is_final, log_fixture)
{
    create();
    append(2);
    files.set_space_bytes(files.content(active_path())->size() + 100);
    files.fail(call::truncate, 1, base::errc::io_failed);
    const auto failed = try_append();
    BOOST_REQUIRE(!failed);
    BOOST_TEST((failed.error().code == base::errc::io_failed));
    BOOST_TEST(log->failure().has_value());
}

// C016: a file system that turned read-only refuses writes, serves reads, and takes writes again later.
BOOST_FIXTURE_TEST_CASE(a_read_only_file_system_is_survived, log_fixture)
{
    create();
    append(3);
    files.set_read_only(true);
    for (int i = 0; i < 3; ++i) {
        const auto refused = try_append();
        BOOST_REQUIRE(!refused);
        BOOST_TEST((refused.error().code == base::errc::read_only));
    }
    check_whole(3);
    files.set_read_only(false);
    append(1);
    check_whole(4);
}

BOOST_FIXTURE_TEST_CASE(a_failing_sync_of_the_segment_left_behind_is_final, log_fixture)
{
    options.segment_bytes = 64;
    create();
    append(1);
    files.fail(call::sync, 1, base::errc::io_failed);
    BOOST_TEST(!try_append());
    BOOST_TEST(log->failure().has_value());
    BOOST_TEST(log->end().value() == 1);
}

BOOST_FIXTURE_TEST_CASE(an_index_that_finds_no_room_does_not_fail_the_append, log_fixture)
{
    options.segment_bytes = 64;
    create();
    append(1);
    files.fail(call::open, 1, base::errc::disk_full, ".index");
    append(1);
    open();
    check_whole(2);
}

BOOST_FIXTURE_TEST_CASE(a_read_error_is_an_error_not_damage, log_fixture)
{
    options.segment_bytes = 300;
    create();
    append(10);
    files.fail(call::read, 1, base::errc::io_failed, ".log");
    const auto active = log->prepare_read(base::offset{9}, log->end(), 100).run();
    BOOST_REQUIRE(!active);
    BOOST_TEST((active.error().code == base::errc::io_failed));
    files.fail(call::open, 1, base::errc::too_many_open_files);
    const auto sealed = log->prepare_read(base::offset{0}, log->end(), 100).run();
    BOOST_REQUIRE(!sealed);
    BOOST_TEST((sealed.error().code == base::errc::too_many_open_files));
    check_whole(10);
}

BOOST_FIXTURE_TEST_CASE(a_checkpoint_that_fails_to_sync_is_final_one_without_room_is_not, log_fixture)
{
    create();
    append(2);
    const auto attempt = [&] {
        storage::checkpoint_job job = log->prepare_checkpoint();
        auto outcome = job.run();
        const bool done = outcome.has_value();
        log->complete_checkpoint(std::move(job), std::move(outcome));
        return done;
    };
    files.fail(call::write, 1, base::errc::disk_full, "checkpoint");
    BOOST_TEST(!attempt());
    BOOST_TEST(!log->failure().has_value());
    BOOST_TEST(log->recovery_point().value() == 0);
    BOOST_TEST(attempt());
    BOOST_TEST(log->recovery_point().value() == 2);
    files.fail(call::sync, 1, base::errc::io_failed, ".log");
    BOOST_TEST(!attempt());
    BOOST_TEST(log->failure().has_value());
}

// The recovery point is written only after everything below it is durable.
BOOST_FIXTURE_TEST_CASE(a_checkpoint_syncs_the_segment_first, log_fixture)
{
    create();
    encoded_batches batch = next_batch(1);
    auto job = log->prepare_append(std::move(batch.bytes), std::move(batch.extents), 0);
    BOOST_REQUIRE(job.run());
    BOOST_REQUIRE(log->complete_append(std::move(job), {}));  // relaxed mode: not synced
    checkpoint();
    log.reset();
    files.crash(crash_keeps::only_durable);
    open();
    check_whole(1);
    BOOST_TEST(log->recovery().bytes_scanned == 0);
}

BOOST_AUTO_TEST_SUITE_END()
