#include "core/storage/atomic_file.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/simulated_file_system.hpp"

using namespace pystream;
using namespace pystream::storage;
using tests::call;
using tests::crash_keeps;

namespace {

struct file_fixture {
    file_fixture()
    {
        BOOST_REQUIRE(files.create_directory("d"));
        BOOST_REQUIRE(files.sync_directory("."));
        BOOST_REQUIRE(replace_file(files, "d/f", "old"));
    }
    tests::simulated_file_system files;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(atomic_file_test)

BOOST_FIXTURE_TEST_CASE(a_replaced_file_is_durable, file_fixture)
{
    BOOST_REQUIRE(replace_file(files, "d/f", "new content"));
    files.crash(crash_keeps::only_durable);
    BOOST_TEST(*read_file(files, "d/f", 100) == "new content");
    BOOST_TEST(!files.content("d/f.tmp").has_value());
}

// C086, C088: at every step of the way a crash leaves the old or the new content.
BOOST_AUTO_TEST_CASE(a_crash_leaves_old_or_new)
{
    for (std::size_t step = 1; step < 8; ++step) {
        for (const crash_keeps keeps : {crash_keeps::only_durable, crash_keeps::any_part}) {
            file_fixture test;
            test.files.power_off_at(step);
            const bool done = replace_file(test.files, "d/f", "new").has_value();
            test.files.crash(keeps);
            const auto content = read_file(test.files, "d/f", 100);
            BOOST_REQUIRE(content);
            BOOST_TEST((*content == "new" || (!done && *content == "old")));
        }
    }
}

BOOST_FIXTURE_TEST_CASE(an_error_before_the_rename_leaves_the_old_content_and_no_temporary_file, file_fixture)
{
    for (const call kind : {call::open, call::write, call::sync, call::rename}) {
        files.fail(kind, 1, base::errc::disk_full);
        const auto failed = replace_file(files, "d/f", "new");
        BOOST_REQUIRE(!failed);
        BOOST_TEST(!failed.error().outcome_unknown);
        BOOST_TEST(*files.content("d/f") == "old");
        BOOST_TEST(!files.content("d/f.tmp").has_value());
    }
}

BOOST_FIXTURE_TEST_CASE(an_error_after_the_rename_says_that_the_outcome_is_unknown, file_fixture)
{
    files.fail(call::sync_directory, 1, base::errc::io_failed);
    const auto failed = replace_file(files, "d/f", "new");
    BOOST_REQUIRE(!failed);
    BOOST_TEST(failed.error().outcome_unknown);
}

BOOST_FIXTURE_TEST_CASE(reading_has_a_bound, file_fixture)
{
    BOOST_TEST(*read_file(files, "d/f", 3) == "old");
    BOOST_TEST((read_file(files, "d/f", 2).error().code == base::errc::corrupt_metadata));
    BOOST_TEST((read_file(files, "d/missing", 2).error().code == base::errc::not_found_on_disk));
}

BOOST_AUTO_TEST_SUITE_END()
