#include "core/io/posix_file_system.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

using namespace pystream;

namespace {

struct disk_fixture {
    std::string path(const std::string& name) const { return directory.path() + "/" + name; }
    tests::temporary_directory directory;
    std::unique_ptr<io::file_system> files = io::make_posix_file_system();
};

template <class T>
bool fails_with(const base::result<T>& result, base::errc code)
{
    return !result && result.error().code == code && !result.error().internal.empty();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(posix_file_system_test)

BOOST_FIXTURE_TEST_CASE(files_are_written_and_read_at_positions, disk_fixture)
{
    auto file = *files->open(path("f"), io::open_mode::create);
    BOOST_REQUIRE(file->write_at(0, "hello world"));
    BOOST_REQUIRE(file->write_at(6, "there"));
    BOOST_REQUIRE(file->write_at(20, "far"));
    BOOST_TEST(*file->size() == 23);
    char bytes[64];
    BOOST_TEST(*file->read_at(0, bytes) == 23);
    BOOST_TEST(std::string(bytes, 11) == "hello there");
    BOOST_TEST(bytes[15] == '\0');
    BOOST_TEST(*file->read_at(21, bytes) == 2);
    BOOST_TEST(*file->read_at(23, bytes) == 0);
    BOOST_REQUIRE(file->truncate(5));
    BOOST_TEST(*file->size() == 5);
    BOOST_TEST(file->sync_data().has_value());
    BOOST_TEST(file->sync_all().has_value());
    BOOST_TEST(file->path() == path("f"));
}

BOOST_FIXTURE_TEST_CASE(open_modes, disk_fixture)
{
    BOOST_TEST(fails_with(files->open(path("f"), io::open_mode::read), base::errc::not_found_on_disk));
    BOOST_TEST(fails_with(files->open(path("f"), io::open_mode::read_write), base::errc::not_found_on_disk));
    BOOST_REQUIRE((*files->open(path("f"), io::open_mode::create))->write_at(0, "x"));
    BOOST_TEST(fails_with(files->open(path("f"), io::open_mode::create), base::errc::already_exists_on_disk));
    BOOST_TEST(*(*files->open(path("f"), io::open_mode::read_write))->size() == 1);
    BOOST_TEST(fails_with((*files->open(path("f"), io::open_mode::read))->write_at(0, "y"), base::errc::io_failed));
    BOOST_TEST(*(*files->open(path("f"), io::open_mode::create_truncate))->size() == 0);
}

BOOST_FIXTURE_TEST_CASE(directories_are_made_listed_renamed_and_removed, disk_fixture)
{
    BOOST_REQUIRE(files->create_directory(path("b")));
    BOOST_TEST(fails_with(files->create_directory(path("b")), base::errc::already_exists_on_disk));
    BOOST_TEST(fails_with(files->create_directory(path("x/y")), base::errc::not_found_on_disk));
    BOOST_REQUIRE(files->open(path("c"), io::open_mode::create));
    BOOST_REQUIRE(files->open(path("a"), io::open_mode::create));
    std::filesystem::create_symlink("a", path("link"));
    const auto entries = files->list(directory.path());
    BOOST_REQUIRE(entries && entries->size() == 4);
    BOOST_TEST((*entries)[0].name == "a");
    BOOST_TEST(((*entries)[0].kind == io::entry_kind::file));
    BOOST_TEST(((*entries)[1].kind == io::entry_kind::directory));
    BOOST_TEST(((*entries)[3].kind == io::entry_kind::other));
    BOOST_REQUIRE(files->rename(path("a"), path("c")));
    BOOST_TEST(!*files->exists(path("a")));
    BOOST_TEST(*files->exists(path("c")));
    BOOST_REQUIRE(files->sync_directory(directory.path()));
    BOOST_REQUIRE(files->remove(path("c")));
    BOOST_REQUIRE(files->remove(path("b")));
    BOOST_TEST(fails_with(files->remove(path("b")), base::errc::not_found_on_disk));
    BOOST_TEST(fails_with(files->list(path("nowhere")), base::errc::not_found_on_disk));
    BOOST_TEST(fails_with(files->sync_directory(path("nowhere")), base::errc::not_found_on_disk));
}

BOOST_FIXTURE_TEST_CASE(a_lock_is_held_by_one_until_it_is_let_go, disk_fixture)
{
    auto held = files->lock(path("LOCK"));
    BOOST_REQUIRE(held);
    BOOST_TEST(fails_with(files->lock(path("LOCK")), base::errc::locked));
    held->reset();
    BOOST_TEST(files->lock(path("LOCK")).has_value());
}

BOOST_FIXTURE_TEST_CASE(descriptors_are_not_inherited, disk_fixture)
{
    const auto file = files->open(path("f"), io::open_mode::create);
    BOOST_REQUIRE(file);
    int found = 0;
    for (const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd"}) {
        std::error_code ignored;
        if (std::filesystem::read_symlink(entry, ignored) != path("f")) continue;
        ++found;
        BOOST_TEST((::fcntl(std::stoi(entry.path().filename()), F_GETFD) & FD_CLOEXEC) != 0);
    }
    BOOST_TEST(found == 1);
}

BOOST_FIXTURE_TEST_CASE(running_out_of_descriptors_has_a_code_of_its_own, disk_fixture)
{
    const auto file = files->open(path("f"), io::open_mode::create);
    ::rlimit before{};
    BOOST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const ::rlimit none{0, before.rlim_max};
    BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
    const auto refused = files->open(path("f"), io::open_mode::read);
    BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    BOOST_TEST(fails_with(refused, base::errc::too_many_open_files));
}

BOOST_FIXTURE_TEST_CASE(a_full_device_is_disk_full_and_a_failing_sync_is_final, disk_fixture)
{
    const auto full = files->open("/dev/full", io::open_mode::read_write);
    BOOST_REQUIRE(full);
    BOOST_TEST(fails_with((*full)->write_at(0, "x"), base::errc::disk_full));
    BOOST_TEST(fails_with((*full)->sync_data(), base::errc::io_failed));  // EINVAL here; any error of a sync is final
    BOOST_TEST(fails_with((*full)->truncate(0), base::errc::io_failed));
}

BOOST_FIXTURE_TEST_CASE(whole_file_systems_are_synced_only_where_that_is_trusted, disk_fixture)
{
    BOOST_TEST(!files->supports_sync_all_files("/proc"));
    BOOST_TEST(!files->supports_sync_all_files(path("nowhere")));
    BOOST_TEST(fails_with(files->sync_all_files("/proc"), base::errc::io_failed));
    if (files->supports_sync_all_files(directory.path())) BOOST_TEST(files->sync_all_files(directory.path()).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
