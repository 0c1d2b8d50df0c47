#include "core/io/durability.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/simulated_file_system.hpp"

using namespace pystream;
using tests::call;
using tests::crash_keeps;

namespace {

struct durability_fixture {
    std::vector<base::result<void>> sync(std::size_t count)
    {
        std::vector<std::shared_ptr<io::file>> opened;
        for (std::size_t i = 0; i < count; ++i) {
            opened.push_back(*files.open("f" + std::to_string(i), io::open_mode::create_truncate));
            BOOST_REQUIRE(opened.back()->write_at(0, "content"));
        }
        BOOST_REQUIRE(files.sync_directory("."));
        return io::make_durable(files, ".", opened, [&](std::size_t tasks, const std::function<void(std::size_t)>& task) {
            ++parallel_runs;
            for (std::size_t i = 0; i < tasks; ++i) task(i);
        });
    }

    void check_durable(std::size_t count)
    {
        files.crash(crash_keeps::only_durable);
        for (std::size_t i = 0; i < count; ++i)
            BOOST_TEST(files.content("f" + std::to_string(i)).value_or("gone") == "content");
    }

    tests::simulated_file_system files;
    int parallel_runs = 0;
};

constexpr std::size_t many = io::sync_all_files_threshold;

}  // namespace

BOOST_AUTO_TEST_SUITE(durability_test)

BOOST_FIXTURE_TEST_CASE(one_file_is_synced_in_place, durability_fixture)
{
    BOOST_TEST(sync(0).empty());
    const auto results = sync(1);
    BOOST_REQUIRE(results.size() == 1);
    BOOST_TEST(results.front().has_value());
    BOOST_TEST(parallel_runs == 0);
    check_durable(1);
}

BOOST_FIXTURE_TEST_CASE(a_few_are_synced_each_in_parallel, durability_fixture)
{
    sync(many - 1);
    BOOST_TEST(parallel_runs == 1);
    BOOST_TEST(files.count(call::sync) == many - 1);
    BOOST_TEST(files.count(call::sync_all_files) == 0);
    check_durable(many - 1);
}

BOOST_FIXTURE_TEST_CASE(many_are_synced_at_once, durability_fixture)
{
    for (const auto& result : sync(many)) BOOST_TEST(result.has_value());
    BOOST_TEST(files.count(call::sync_all_files) == 1);
    BOOST_TEST(files.count(call::sync) == 0);
    check_durable(many);
}

BOOST_FIXTURE_TEST_CASE(where_that_is_not_supported_each_is_synced, durability_fixture)
{
    files.set_supports_sync_all_files(false);
    sync(many);
    BOOST_TEST(files.count(call::sync) == many);
    check_durable(many);
}

BOOST_FIXTURE_TEST_CASE(a_bad_file_fails_alone, durability_fixture)
{
    files.fail(call::sync, 1, base::errc::io_failed, "f2");
    const auto results = sync(4);
    for (std::size_t i = 0; i < 4; ++i) BOOST_TEST(results[i].has_value() == (i != 2));
}

BOOST_FIXTURE_TEST_CASE(after_a_failing_syncfs_the_bad_file_is_named, durability_fixture)
{
    files.fail(call::sync_all_files, 1, base::errc::io_failed);
    files.fail(call::sync, 1, base::errc::io_failed, "f3");
    const auto results = sync(many);
    for (std::size_t i = 0; i < many; ++i) BOOST_TEST(results[i].has_value() == (i != 3));
}

BOOST_AUTO_TEST_SUITE_END()
