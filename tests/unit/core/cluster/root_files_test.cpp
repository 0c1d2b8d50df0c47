#include "core/cluster/root_files.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/support/simulated_file_system.hpp"

using namespace pystream;
using namespace pystream::cluster;
using base::errc;
using tests::crash_keeps;
using tests::simulated_file_system;

namespace {

const std::string root = "data/broker-000001";
const base::topic_id id_a = *base::topic_id::from_hex(std::string(32, 'a'));
const base::topic_id id_b = *base::topic_id::from_hex(std::string(32, 'b'));
const broker_meta broker{std::string(32, '1'), base::broker_id{1}, std::string(32, '2')};
const topic_meta orders{id_a, "orders", 3};
const topic_meta orders_again{id_b, "orders", 5};

struct disk {
    simulated_file_system files;
    explicit disk(std::uint64_t seed = 1) : files(seed)
    {
        BOOST_REQUIRE(files.create_directory("data"));
        BOOST_REQUIRE(files.sync_directory(""));
    }
};

struct initialised : disk {
    explicit initialised(std::uint64_t seed = 1) : disk(seed) { BOOST_REQUIRE(initialise_root(files, root, broker)); }
};

// A topic with two partitions that hold something.
struct with_orders : initialised {
    explicit with_orders(std::uint64_t seed = 1) : initialised(seed)
    {
        BOOST_REQUIRE(create_topic_directory(files, root, orders));
        for (const int p : {0, 1}) {
            const std::string directory = partition_directory(root, "orders", base::partition_index{p});
            BOOST_REQUIRE(files.create_directory(directory));
            files.set_content(directory + "/00000000000000000000.log", "records");
            BOOST_REQUIRE(files.sync_directory(directory));
        }
        BOOST_REQUIRE(files.sync_directory(topic_directory(root, "orders")));
    }
    std::optional<std::string> records_of(const std::string& directory)
    {
        return files.content(directory + "/partition-000001/00000000000000000000.log");
    }
};

template <class T>
void fails_with(const base::result<T>& result, errc code)
{
    BOOST_REQUIRE(!result);
    BOOST_TEST((result.error().code == code), base::to_string(result.error().code) << ": " << result.error().internal);
    BOOST_TEST(!result.error().internal.empty());
}

void holds(simulated_file_system& files, const topic_meta& wanted)
{
    const auto found = read_topic_meta(files, root, wanted.name);
    BOOST_REQUIRE_MESSAGE(found, found.error().internal);
    BOOST_TEST((found->id == wanted.id));
    BOOST_TEST(found->name == wanted.name);
    BOOST_TEST(found->partition_count == wanted.partition_count);
}

bool exists(simulated_file_system& files, const std::string& path)
{
    return *files.exists(path);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(root_files)

BOOST_AUTO_TEST_CASE(paths)
{
    BOOST_TEST(topic_directory("r", "orders") == "r/topics/orders");
    BOOST_TEST(partition_directory("r", "orders", base::partition_index{7}) == "r/topics/orders/partition-000007");
    BOOST_TEST(partition_directory("r", "t", base::partition_index{9999}) == "r/topics/t/partition-009999");
    BOOST_TEST(deleted_directory("r", id_a) == "r/.deleted-" + std::string(32, 'a'));
    // C080: no two partitions of different topics share a directory
    BOOST_TEST(partition_directory("r", "t-1", base::partition_index{0}) !=
               partition_directory("r", "t", base::partition_index{10}));
}

BOOST_FIXTURE_TEST_CASE(files_are_written_as_documented, with_orders)  // docs/metadata.md
{
    BOOST_TEST(files.content(root + "/broker.meta").value() ==
               "{\"version\":1,\"cluster_id\":\"11111111111111111111111111111111\",\"broker_id\":1,"
               "\"incarnation\":\"22222222222222222222222222222222\"}\n");
    BOOST_TEST(files.content(root + "/topics/orders/topic.meta").value() ==
               "{\"version\":1,\"topic_id\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"name\":\"orders\",\"partition_count\":3}\n");
}

BOOST_FIXTURE_TEST_CASE(a_root_is_initialised_once, disk)
{
    fails_with(read_broker_meta(files, root), errc::not_found_on_disk);
    BOOST_REQUIRE(initialise_root(files, root, broker));
    BOOST_TEST((read_broker_meta(files, root).value() == broker));
    BOOST_TEST(initialise_root(files, root, broker).has_value());  // the same again
    broker_meta other = broker;
    other.id = base::broker_id{2};
    fails_with(initialise_root(files, root, other), errc::already_exists_on_disk);
    other = broker;
    other.incarnation = std::string(32, '3');
    fails_with(initialise_root(files, root, other), errc::already_exists_on_disk);
    BOOST_TEST((read_broker_meta(files, root).value() == broker));
    fails_with(initialise_root(files, "nowhere/broker-000001", broker), errc::not_found_on_disk);
}

BOOST_FIXTURE_TEST_CASE(a_root_may_be_named_with_a_slash_at_its_end, disk)
{
    BOOST_REQUIRE(initialise_root(files, root + "//", broker));
    files.crash(crash_keeps::only_durable);
    BOOST_TEST((read_broker_meta(files, root).value() == broker));
}

BOOST_FIXTURE_TEST_CASE(bad_files_are_reported_with_their_path_and_never_rewritten, with_orders)
{
    const auto bad_contents = [](const std::string& good) {
        std::vector<std::string> out{"", "{}", "[]", "null", std::string(64, '\0'), good + good, std::string(100'000, ' ')};
        for (std::size_t length = 1; length + 1 < good.size(); length += 7) out.push_back(good.substr(0, length));
        out.push_back("{\"more\":1," + good.substr(1));
        out.push_back("{\"version\":2" + good.substr(good.find(',')));
        out.push_back("{\"version\":1," + good.substr(1));  // twice
        return out;
    };
    const std::string broker_path = root + "/broker.meta";
    for (const std::string& bad : bad_contents(*files.content(broker_path))) {
        files.set_content(broker_path, bad);
        fails_with(read_broker_meta(files, root), errc::corrupt_metadata);
        BOOST_TEST(read_broker_meta(files, root).error().internal.find(broker_path) != std::string::npos);
        fails_with(initialise_root(files, root, broker), errc::corrupt_metadata);
        BOOST_TEST((files.content(broker_path) == bad));
    }
    const std::string topic_path = root + "/topics/orders/topic.meta";
    for (const std::string& bad : bad_contents(*files.content(topic_path))) {
        files.set_content(topic_path, bad);
        fails_with(read_topic_meta(files, root, "orders"), errc::corrupt_metadata);
        BOOST_TEST(read_topic_meta(files, root, "orders").error().internal.find(topic_path) != std::string::npos);
        fails_with(create_topic_directory(files, root, orders), errc::corrupt_metadata);
        fails_with(write_topic_meta(files, root, orders), errc::corrupt_metadata);
        fails_with(set_aside_topic(files, root, "orders", id_a), errc::corrupt_metadata);
        BOOST_TEST((files.content(topic_path) == bad));
    }
}

BOOST_FIXTURE_TEST_CASE(topic_meta_names_its_directory, initialised)
{
    BOOST_REQUIRE(create_topic_directory(files, root, orders));
    BOOST_REQUIRE(files.rename(root + "/topics/orders", root + "/topics/Orders"));
    fails_with(read_topic_meta(files, root, "Orders"), errc::corrupt_metadata);
}

BOOST_FIXTURE_TEST_CASE(a_topic_grows_in_place, with_orders)
{
    topic_meta grown = orders;
    grown.partition_count = 10'000;
    BOOST_REQUIRE(write_topic_meta(files, root, grown));
    files.crash(crash_keeps::only_durable);
    holds(files, grown);
    fails_with(write_topic_meta(files, root, orders_again), errc::already_exists_on_disk);
    holds(files, grown);
}

BOOST_FIXTURE_TEST_CASE(creating_takes_over_what_was_half_made_and_nothing_else, initialised)  // C088
{
    BOOST_REQUIRE(files.create_directory(root + "/topics/orders"));  // no topic.meta yet
    BOOST_REQUIRE(files.sync_directory(root + "/topics"));
    files.set_content(root + "/topics/orders/topic.meta.tmp", "{\"vers");
    BOOST_REQUIRE(create_topic_directory(files, root, orders));
    holds(files, orders);
    BOOST_TEST(!exists(files, root + "/topics/orders/topic.meta.tmp"));
    BOOST_TEST(create_topic_directory(files, root, orders).has_value());
    fails_with(create_topic_directory(files, root, orders_again), errc::already_exists_on_disk);
    holds(files, orders);
}

BOOST_FIXTURE_TEST_CASE(partitions_without_topic_meta_are_damage, with_orders)
{
    files.erase(root + "/topics/orders/topic.meta");
    fails_with(create_topic_directory(files, root, orders), errc::corrupt_metadata);
    fails_with(set_aside_topic(files, root, "orders", id_a), errc::corrupt_metadata);
    BOOST_TEST((records_of(root + "/topics/orders") == "records"));
}

BOOST_FIXTURE_TEST_CASE(order_of_calls_when_a_topic_is_created, initialised)  // C086
{
    const std::size_t before = files.trace().size();
    BOOST_REQUIRE(create_topic_directory(files, root, orders));
    const auto trace = files.trace();
    const std::string topic = root + "/topics/orders";
    const std::string temporary = topic + "/topic.meta.tmp";
    const std::vector<std::string> wanted{"create_directory " + topic, "sync_directory " + root + "/topics",
                                          "create " + temporary,       "write " + temporary + " 0 96",
                                          "sync " + temporary,         "rename " + temporary + " " + topic + "/topic.meta",
                                          "sync_directory " + topic};
    BOOST_TEST(std::vector(trace.begin() + static_cast<std::ptrdiff_t>(before), trace.end()) == wanted,
               boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(order_of_calls_when_a_topic_is_set_aside, with_orders)  // C086: both directories that a rename changes
{
    const std::size_t before = files.trace().size();
    BOOST_REQUIRE(set_aside_topic(files, root, "orders", id_a));
    const auto trace = files.trace();
    const std::vector<std::string> wanted{"sync_directory " + root,
                                          "rename " + root + "/topics/orders " + deleted_directory(root, id_a),
                                          "sync_directory " + root, "sync_directory " + root + "/topics"};
    BOOST_TEST(std::vector(trace.begin() + static_cast<std::ptrdiff_t>(before), trace.end()) == wanted,
               boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_deleted_topic_leaves_its_name_and_then_the_disk, with_orders)
{
    BOOST_REQUIRE(set_aside_topic(files, root, "orders", id_a));
    BOOST_TEST(!exists(files, root + "/topics/orders"));
    BOOST_TEST((records_of(deleted_directory(root, id_a)) == "records"));
    BOOST_REQUIRE(create_topic_directory(files, root, orders_again));
    BOOST_REQUIRE(unlink_deleted(files, root, id_a));
    files.crash(crash_keeps::only_durable);
    BOOST_TEST(!exists(files, deleted_directory(root, id_a)));
    holds(files, orders_again);
    // Again, as a restart does: done already, and the new topic of that name is not touched.
    BOOST_TEST(set_aside_topic(files, root, "orders", id_a).has_value());
    BOOST_TEST(unlink_deleted(files, root, id_a).has_value());
    holds(files, orders_again);
}

BOOST_FIXTURE_TEST_CASE(a_topic_may_be_named_like_a_deleted_one, with_orders)
{
    const topic_meta sly{id_b, ".deleted-" + id_a.to_hex(), 1};
    BOOST_REQUIRE(create_topic_directory(files, root, sly));
    BOOST_REQUIRE(set_aside_topic(files, root, "orders", id_a));
    BOOST_REQUIRE(unlink_deleted(files, root, id_a));
    holds(files, sly);
}

BOOST_FIXTURE_TEST_CASE(stray_things_are_no_topics, with_orders)  // C088
{
    for (const std::string file :
         {"/topics/.DS_Store", "/topics/x.tmp", "/topics/orders.tmp.123", "/topics/topic.meta", "/broker.meta.tmp"})
        files.set_content(root + file, "x");
    for (const std::string directory : {"/topics/lost+found", "/lost+found", "/.deleted-", "/.deleted-x", "/topics/half-made"})
        BOOST_REQUIRE(files.create_directory(root + directory));
    BOOST_REQUIRE(create_topic_directory(files, root, {id_b, "b", 1}));
    const auto found = list_topics(files, root);
    BOOST_REQUIRE(found);
    BOOST_REQUIRE(found->size() == 3u);
    BOOST_TEST((*found)[0].directory_name == "b");
    BOOST_TEST(((*found)[0].id == id_b));
    BOOST_TEST((*found)[0].problem.empty());
    BOOST_TEST((*found)[1].directory_name == "half-made");
    BOOST_TEST(!(*found)[1].problem.empty());
    BOOST_TEST((*found)[2].directory_name == "orders");
    BOOST_TEST((*found)[2].path == root + "/topics/orders");
}

BOOST_FIXTURE_TEST_CASE(what_was_set_aside_is_listed, with_orders)
{
    BOOST_REQUIRE(set_aside_topic(files, root, "orders", id_a));
    const auto found = list_topics(files, root);
    BOOST_REQUIRE(found);
    BOOST_REQUIRE(found->size() == 1u);
    BOOST_TEST((found->at(0).id == id_a));
    BOOST_TEST(found->at(0).path == deleted_directory(root, id_a));
    BOOST_TEST(found->at(0).problem.empty());
}

BOOST_FIXTURE_TEST_CASE(a_root_without_topics_directory_is_not_an_empty_one, disk)
{
    fails_with(list_topics(files, root), errc::not_found_on_disk);
}

BOOST_AUTO_TEST_SUITE_END()
