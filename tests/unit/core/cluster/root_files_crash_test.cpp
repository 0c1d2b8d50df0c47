#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>

#include "core/cluster/root_files.hpp"
#include "tests/support/simulated_file_system.hpp"

// Each operation is stopped at each of its changes, by a power cut and by a failing call. Afterwards the disk must hold the
// old state or the new one, the same call must succeed, and what it promised must survive another power cut (C086, C088).

using namespace pystream;
using namespace pystream::cluster;
using tests::call;
using tests::crash_keeps;
using tests::simulated_file_system;

namespace {

const std::string root = "data/broker-000001";
const base::topic_id id_a = *base::topic_id::from_hex(std::string(32, 'a'));
const base::topic_id id_b = *base::topic_id::from_hex(std::string(32, 'b'));
const broker_meta broker{std::string(32, '1'), base::broker_id{1}, std::string(32, '2')};
const topic_meta orders{id_a, "orders", 2};

struct operation {
    std::function<void(simulated_file_system&)> prepare;
    std::function<base::result<void>(simulated_file_system&)> run;
    std::function<void(simulated_file_system&)> check_any;   // after a stop anywhere
    std::function<void(simulated_file_system&)> check_done;  // after success
};

void make_data_directory(simulated_file_system& files)
{
    BOOST_REQUIRE(files.create_directory("data"));
    BOOST_REQUIRE(files.sync_directory(""));
}

void make_root(simulated_file_system& files)
{
    make_data_directory(files);
    BOOST_REQUIRE(initialise_root(files, root, broker));
}

void make_topic(simulated_file_system& files)
{
    make_root(files);
    BOOST_REQUIRE(create_topic_directory(files, root, orders));
    const std::string partition = partition_directory(root, "orders", base::partition_index{0});
    BOOST_REQUIRE(files.create_directory(partition));
    files.set_content(partition + "/00000000000000000000.log", "records");
    BOOST_REQUIRE(files.sync_directory(topic_directory(root, "orders")));
}

bool missing(simulated_file_system& files, const std::string& path)
{
    return !*files.exists(path);
}

bool whole(simulated_file_system& files, const std::string& topic_path)
{
    return files.content(topic_path + "/partition-000000/00000000000000000000.log") == "records" &&
           files.content(topic_path + "/topic.meta").has_value();
}

// Neither half a file nor an unreadable one.
template <class T>
void absent_or_readable(const base::result<T>& read)
{
    BOOST_REQUIRE_MESSAGE(read || read.error().code == base::errc::not_found_on_disk, read.error().internal);
}

const operation initialise{
    make_data_directory,
    [](auto& files) { return initialise_root(files, root, broker); },
    [](auto& files) { absent_or_readable(read_broker_meta(files, root)); },
    [](auto& files) {
        BOOST_REQUIRE((read_broker_meta(files, root).value() == broker));
        BOOST_REQUIRE(list_topics(files, root).value().empty());
    },
};

const operation create{
    make_root,
    [](auto& files) { return create_topic_directory(files, root, orders); },
    [](auto& files) {
        absent_or_readable(read_topic_meta(files, root, "orders"));
        for (const found_topic& found : list_topics(files, root).value()) BOOST_REQUIRE(found.directory_name == "orders");
    },
    [](auto& files) { BOOST_REQUIRE((read_topic_meta(files, root, "orders").value().id == id_a)); },
};

const operation grow{
    make_topic,
    [](auto& files) { return write_topic_meta(files, root, {id_a, "orders", 3}); },
    [](auto& files) {
        const int count = read_topic_meta(files, root, "orders").value().partition_count;
        BOOST_REQUIRE((count == 2 || count == 3));
        BOOST_REQUIRE(whole(files, topic_directory(root, "orders")));
    },
    [](auto& files) { BOOST_REQUIRE(read_topic_meta(files, root, "orders").value().partition_count == 3); },
};

const operation set_aside{
    make_topic,
    [](auto& files) { return set_aside_topic(files, root, "orders", id_a); },
    [](auto& files) {
        BOOST_REQUIRE(whole(files, topic_directory(root, "orders")) != whole(files, deleted_directory(root, id_a)));
    },
    [](auto& files) { BOOST_REQUIRE(missing(files, topic_directory(root, "orders"))); },
};

const operation unlinking{
    [](auto& files) {
        make_topic(files);
        BOOST_REQUIRE(set_aside_topic(files, root, "orders", id_a));
        BOOST_REQUIRE(create_topic_directory(files, root, {id_b, "orders", 1}));
    },
    [](auto& files) { return unlink_deleted(files, root, id_a); },
    [](auto& files) { BOOST_REQUIRE((read_topic_meta(files, root, "orders").value().id == id_b)); },
    [](auto& files) { BOOST_REQUIRE(missing(files, deleted_directory(root, id_a))); },
};

// True when the operation ended before the cut.
bool cut_at(const operation& tested, std::size_t change, std::uint64_t seed, crash_keeps keeps)
{
    simulated_file_system files{seed};
    tested.prepare(files);
    files.power_off_at(change);
    const bool done = tested.run(files).has_value();
    files.crash(keeps);
    tested.check_any(files);
    if (done) tested.check_done(files);
    const auto again = tested.run(files);
    BOOST_REQUIRE_MESSAGE(again, "again: " << again.error().internal);
    files.crash(crash_keeps::only_durable);
    tested.check_done(files);
    return done;
}

void cut_everywhere(const operation& tested)
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        for (const crash_keeps keeps : {crash_keeps::only_durable, crash_keeps::any_part}) {
            std::size_t change = 1;
            for (bool done = false; !done; ++change) {
                BOOST_TEST_CONTEXT("seed " << seed << " change " << change) done = cut_at(tested, change, seed, keeps);
                BOOST_REQUIRE(change < 100);
            }
            BOOST_TEST(change > 2u);  // there was something to cut
        }
}

// One call of each kind fails, each in turn; then the same operation again, without a restart.
void fail_everywhere(const operation& tested)
{
    for (const call kind : {call::open, call::write, call::sync, call::sync_directory, call::rename, call::remove,
                            call::create_directory, call::list})
        for (std::size_t nth = 1; nth <= 8; ++nth) BOOST_TEST_CONTEXT("call " << static_cast<int>(kind) << " number " << nth)
            {
                simulated_file_system files;
                tested.prepare(files);
                files.fail(kind, nth, base::errc::disk_full);
                const auto first = tested.run(files);
                files.clear_faults();
                tested.check_any(files);
                if (first) tested.check_done(files);
                const auto again = tested.run(files);
                BOOST_REQUIRE_MESSAGE(again, "again: " << again.error().internal);
                files.crash(crash_keeps::only_durable);
                tested.check_done(files);
            }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(root_files_crash)

BOOST_AUTO_TEST_CASE(initialising_a_root)
{
    cut_everywhere(initialise);
}
BOOST_AUTO_TEST_CASE(creating_a_topic)
{
    cut_everywhere(create);
}
BOOST_AUTO_TEST_CASE(growing_a_topic)
{
    cut_everywhere(grow);
}
BOOST_AUTO_TEST_CASE(setting_a_topic_aside)
{
    cut_everywhere(set_aside);
}
BOOST_AUTO_TEST_CASE(unlinking_a_topic)
{
    cut_everywhere(unlinking);
}

BOOST_AUTO_TEST_CASE(failing_calls)
{
    for (const operation& tested : {initialise, create, grow, set_aside, unlinking}) fail_everywhere(tested);
}

BOOST_AUTO_TEST_SUITE_END()
