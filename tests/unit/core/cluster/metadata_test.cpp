#include "core/cluster/metadata.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>

#include "core/cluster/metadata_store.hpp"

using namespace pystream;
using namespace pystream::cluster;
using base::broker_id;
using base::leader_epoch;
using base::partition_index;

namespace {

const std::string hex_a(32, 'a');
const std::string hex_b(32, 'b');
const std::string hex_c(32, 'c');

base::topic_id id_of(const std::string& hex)
{
    return *base::topic_id::from_hex(hex);
}

// Two brokers, topic "orders" (two partitions, two replicas), one topic on its way out.
metadata sample()
{
    metadata m;
    m.cluster_id = std::string(32, '1');
    for (const int b : {1, 2})
        m.brokers[broker_id{b}] = {broker_id{b}, "broker-" + std::to_string(b), std::string(32, static_cast<char>('0' + b)),
                                   b == 1};
    topic_row orders{id_of(hex_a), "orders", 2, 2, {}, 1'764'400'000'000};
    orders.config.segment_bytes = 65'536;
    m.topics["orders"] = orders;
    m.partitions[{id_of(hex_a), partition_index{0}}] = {id_of(hex_a), partition_index{0}, {broker_id{1}, broker_id{2}},
                                                        broker_id{1}, leader_epoch{1},    {broker_id{1}, broker_id{2}}};
    m.partitions[{id_of(hex_a), partition_index{1}}] = {id_of(hex_a), partition_index{1}, {broker_id{2}, broker_id{1}},
                                                        broker_id{1}, leader_epoch{7},    {broker_id{1}}};
    m.deleting[id_of(hex_b)] = {id_of(hex_b), "old", {broker_id{2}}};
    return m;
}

std::vector<row> to_rows(const metadata& m)
{
    std::vector<row> rows{{std::string{cluster_key}, 1, encode_cluster(m.cluster_id)}};
    for (const auto& [id, value] : m.brokers) rows.push_back({broker_key(id), 1, encode(value)});
    for (const auto& [name, value] : m.topics) rows.push_back({topic_key(name), 1, encode(value)});
    for (const auto& [at, value] : m.partitions) rows.push_back({partition_key(at.first, at.second), 1, encode(value)});
    for (const auto& [id, value] : m.deleting) rows.push_back({deleting_key(id), 1, encode(value)});
    std::sort(rows.begin(), rows.end(), [](const row& a, const row& b) { return a.key < b.key; });
    return rows;
}

const std::string partition_1 = "partition/" + hex_a + "/000001";

// Decodes the sample with one row put in the place of another (or added, or left out when `value` is empty).
base::result<metadata> decode_with(const std::string& key, const std::string& value)
{
    std::vector<row> rows = to_rows(sample());
    std::erase_if(rows, [&](const row& r) { return r.key == key; });
    if (!value.empty()) rows.push_back({key, 1, value});
    return decode_metadata(rows);
}

void refuses(const base::result<metadata>& decoded, const std::string& reason)
{
    BOOST_REQUIRE_MESSAGE(!decoded, "accepted, wanted: " << reason);
    BOOST_TEST((decoded.error().code == base::errc::corrupt_metadata));
    BOOST_TEST(decoded.error().internal.find(reason) != std::string::npos, decoded.error().internal << " lacks: " << reason);
    BOOST_TEST(!decoded.error().detail.empty());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cluster_metadata)

BOOST_AUTO_TEST_CASE(what_was_encoded_comes_back)
{
    const auto decoded = decode_metadata(to_rows(sample()));
    BOOST_REQUIRE_MESSAGE(decoded, decoded.error().internal);
    BOOST_TEST((*decoded == sample()));
}

BOOST_AUTO_TEST_CASE(the_example_of_the_documentation_is_what_is_written)
{
    std::ifstream in{PYSTREAM_SOURCE_DIR "/docs/metadata.md"};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    const std::size_t begin = text.find("{\"version\":1,\"revision\":9");
    BOOST_REQUIRE(begin != std::string::npos);
    const std::string example = text.substr(begin, text.find("```", begin) - begin);
    const auto file = decode_metadata_file(example);
    BOOST_REQUIRE_MESSAGE(file, file.error().internal);
    BOOST_TEST(encode_metadata_file(*file) == example);
    const auto decoded = decode_metadata(file->rows);
    BOOST_REQUIRE_MESSAGE(decoded, decoded.error().internal);
    const std::vector<row> written = to_rows(*decoded);
    BOOST_REQUIRE(written.size() == file->rows.size());
    for (std::size_t i = 0; i < written.size(); ++i) {
        BOOST_TEST(written[i].key == file->rows[i].key);
        BOOST_TEST(written[i].value == file->rows[i].value);
    }
}

BOOST_AUTO_TEST_CASE(nothing_at_all_is_not_an_empty_cluster)
{
    refuses(decode_metadata({}), "row \"cluster\" is missing");
    refuses(decode_with("cluster", ""), "row \"cluster\" is missing");
}

BOOST_AUTO_TEST_CASE(other_versions_and_unknown_rows_are_refused)
{
    for (const std::string version : {"0", "2", "\"1\"", "null", "true", "18446744073709551615"})
        refuses(decode_with("cluster", "{\"version\":" + version + ",\"cluster_id\":\"" + hex_c + "\"}"), "\"version\"");
    refuses(decode_with("lease/1", "{}"), "unknown kind of row");
    refuses(decode_with("cluster2", "{}"), "unknown kind of row");
    refuses(decode_with("", "{}"), "unknown kind of row");
}

BOOST_AUTO_TEST_CASE(rows_are_json_objects_with_exactly_their_names)
{
    for (const std::string bad : {"x", "{", "{\"a\":1}x", "\xff", "{\"name\":\"\xc3\"}"})
        refuses(decode_with("deleting/" + hex_b, bad), "not JSON");
    for (const std::string bad : {"[]", "1", "null", "\"{}\""}) refuses(decode_with("deleting/" + hex_b, bad), "not an object");
    refuses(decode_with("deleting/" + hex_b, "{}"), "\"name\" is missing");
    refuses(decode_with("deleting/" + hex_b, R"({"name":"old"})"), "\"brokers\" is missing");
    refuses(decode_with("deleting/" + hex_b, R"({"name":"old","brokers":[2],"x":1})"), "unknown name \"x\"");
    refuses(decode_with("deleting/" + hex_b, R"({"name":"old","brokers":[2],"name":"new"})"), "\"name\" stands twice");
    refuses(decode_with("deleting/" + hex_b, R"({"name":"old","brokers":[2],"na\u006de":"old"})"), "\"name\" stands twice");
}

BOOST_AUTO_TEST_CASE(numbers_are_integers)
{
    for (const std::string number :
         {"1.0", "1e0", "1.5", "-0.0", "1e400", "18446744073709551616", "123456789012345678901234567890"}) {
        refuses(decode_with("cluster", "{\"version\":" + number + ",\"cluster_id\":\"" + hex_c + "\"}"),
                "no integer of 64 bits");
        refuses(decode_with("deleting/" + hex_b, R"({"name":"old","brokers":[)" + number + "]}"), "no integer of 64 bits");
    }
}

BOOST_AUTO_TEST_CASE(keys_have_one_form)
{
    const std::string broker = R"({"root":"r","incarnation":")" + hex_a + R"(","open":true})";
    for (const std::string key : {"1", "00001", "0000003", "00000x", "-00001", "000000", "+00003", "", "000003 "})
        refuses(decode_with("broker/" + key, broker), "six digits");
    const std::string partition = R"({"replicas":[1,2],"leader":1,"epoch":1,"active":[1]})";
    for (const std::string& key : {hex_a, hex_a + "/2", hex_a + "/", hex_a + "/00000x", hex_a + "/-00002",
                                   "A" + hex_a.substr(1) + "/000002", hex_a + "/000002/", std::string{"/000002"}})
        refuses(decode_with("partition/" + key, partition), "six digits");
    refuses(decode_with("deleting/" + hex_b + "0", R"({"name":"old","brokers":[2]})"), "topic id");
    refuses(decode_with("topic/a b", encode(sample().topics.at("orders"))), "topic name");
    refuses(decode_with("topic/..", encode(sample().topics.at("orders"))), "topic name");
}

BOOST_AUTO_TEST_CASE(no_row_stands_twice)
{
    for (const row& again : to_rows(sample())) {
        std::vector<row> rows = to_rows(sample());
        rows.push_back(again);
        refuses(decode_metadata(rows), "stands twice");
    }
}

BOOST_AUTO_TEST_CASE(fields_of_a_broker)
{
    const auto broker = [](const std::string& root, const std::string& incarnation, const std::string& open) {
        return decode_with("broker/000001",
                           "{\"root\":" + root + ",\"incarnation\":" + incarnation + ",\"open\":" + open + "}");
    };
    const std::string good = "\"" + hex_a + "\"";
    BOOST_TEST(broker("\"r\"", good, "false").has_value());
    for (const std::string bad : {"\"\"", "1", "null"}) refuses(broker(bad, good, "true"), "\"root\"");
    for (const std::string bad : {"\"\"", "\"xyz\"", "1"}) refuses(broker("\"r\"", bad, "true"), "\"incarnation\"");
    for (const std::string bad : {"0", "\"true\"", "null"}) refuses(broker("\"r\"", good, bad), "\"open\"");
}

BOOST_AUTO_TEST_CASE(fields_of_a_topic)
{
    const auto topic = [](const std::string& field, const std::string& from, const std::string& to) {
        std::string text = encode(sample().topics.at("orders"));
        const std::string old = "\"" + field + "\":" + from;
        BOOST_REQUIRE(text.find(old) != std::string::npos);
        text.replace(text.find(old), old.size(), "\"" + field + "\":" + to);
        return decode_with("topic/orders", text);
    };
    for (const std::string bad : {"0", "-1", "10001", "\"2\"", "4294967298"})
        refuses(topic("partition_count", "2", bad), "\"partition_count\"");
    for (const std::string bad : {"0", "1001"}) refuses(topic("replication_factor", "2", bad), "\"replication_factor\"");
    for (const std::string bad : {"-1", "9007199254740992"})
        refuses(topic("created_ms", "1764400000000", bad), "\"created_ms\"");
    for (const std::string bad : {"\"abc\"", "7"}) refuses(topic("id", "\"" + hex_a + "\"", bad), "\"id\"");
    refuses(topic("config", "{\"segment_bytes\":65536}", "[]"), "\"config\" is not an object");
    refuses(topic("segment_bytes", "65536", "65535"), "segment_bytes must be from 65536");
    refuses(topic("segment_bytes", "65536", "null"), "\"segment_bytes\" is not an integer");
    refuses(topic("segment_bytes", "65536", "65536,\"colour\":1"), "no such topic setting");
    refuses(topic("segment_bytes", "65536", "65536,\"retention_ms\":1"), "cannot be set");
}

BOOST_AUTO_TEST_CASE(a_partition_is_led_by_an_active_replica)
{
    const auto partition = [](const std::string& replicas, const std::string& leader, const std::string& epoch,
                              const std::string& active) {
        return decode_with(partition_1, "{\"replicas\":" + replicas + ",\"leader\":" + leader + ",\"epoch\":" + epoch +
                                            ",\"active\":" + active + "}");
    };
    BOOST_TEST(partition("[2,1]", "2", "2147483647", "[1,2]").has_value());
    refuses(partition("[2,1]", "2", "1", "[1]"), "leader is not active");
    refuses(partition("[2,1]", "3", "1", "[1,2]"), "leader is not active");
    refuses(partition("[2,1]", "1", "1", "[]"), "leader is not active");
    refuses(partition("[2,1]", "1", "1", "[1,3]"), "not among the replicas");
    refuses(partition("[2,1]", "1", "1", "[1,1]"), "\"active\" names a broker twice");
    refuses(partition("[1,1]", "1", "1", "[1]"), "\"replicas\" names a broker twice");
    refuses(partition("[1,3]", "1", "1", "[1]"), "broker 3 does not exist");
    refuses(partition("[1]", "1", "1", "[1]"), "replication factor");
    refuses(partition("[]", "1", "1", "[]"), "replication factor");
    for (const std::string bad : {"0", "-1", "2147483648"}) refuses(partition("[2,1]", "1", bad, "[1]"), "\"epoch\"");
    for (const std::string bad : {"[\"1\"]", "[0,1]", "[1000000]"}) refuses(partition(bad, "1", "1", "[1]"), "no broker id");
    refuses(partition("{}", "1", "1", "[1]"), "not an array");
}

BOOST_AUTO_TEST_CASE(every_partition_of_a_topic_is_there_and_nothing_else)
{
    refuses(decode_with(partition_1, ""), partition_1);
    refuses(decode_with("partition/" + hex_a + "/000000", ""), "partition/" + hex_a + "/000000");
    const std::string row = R"({"replicas":[1,2],"leader":1,"epoch":1,"active":[1]})";
    refuses(decode_with("partition/" + hex_a + "/000002", row), "no topic has this partition");
    refuses(decode_with("partition/" + hex_b + "/000000", row), "no topic has this partition");  // its topic is being deleted
    refuses(decode_with("partition/" + hex_c + "/000000", row), "no topic has this partition");
    refuses(decode_with("topic/orders", ""), "no topic has this partition");
    refuses(decode_with("broker/000002", ""), "broker 2 does not exist");
}

BOOST_AUTO_TEST_CASE(topic_ids_are_unique)
{
    metadata m = sample();
    topic_row twin = m.topics.at("orders");
    twin.name = "twin";
    m.topics["twin"] = twin;
    refuses(decode_metadata(to_rows(m)), "same id");
    refuses(decode_with("deleting/" + hex_a, R"({"name":"old","brokers":[2]})"), "same id");
}

BOOST_AUTO_TEST_CASE(names_that_differ_in_case_or_punctuation_are_different_topics)  // C080
{
    metadata m = sample();
    int digit = 0;
    for (const std::string name : {"a.b", "a_b", "a-b", "Orders"}) {
        const auto id = id_of(std::string(31, 'd') + std::to_string(digit++));
        m.topics[name] = {id, name, 1, 1, {}, 0};
        m.partitions[{id, partition_index{0}}] = {id,           partition_index{0}, {broker_id{1}},
                                                  broker_id{1}, leader_epoch{1},    {broker_id{1}}};
    }
    const auto decoded = decode_metadata(to_rows(m));
    BOOST_REQUIRE_MESSAGE(decoded, decoded.error().internal);
    BOOST_TEST((*decoded == m));
}

BOOST_AUTO_TEST_CASE(deleting_rows_name_known_brokers)
{
    refuses(decode_with("deleting/" + hex_b, R"({"name":"old","brokers":[3]})"), "broker 3 does not exist");
    refuses(decode_with("deleting/" + hex_b, R"({"name":"a/b","brokers":[2]})"), "no topic name");
    BOOST_TEST(decode_with("deleting/" + hex_b, R"({"name":"old","brokers":[]})").has_value());
}

BOOST_AUTO_TEST_CASE(the_largest_topic_is_decoded_in_linear_time)
{
    metadata m = sample();
    const auto id = id_of(hex_c);
    m.topics["big"] = {id, "big", 10'000, 2, {}, 0};
    for (int p = 0; p < 10'000; ++p)
        m.partitions[{id, partition_index{p}}] = {id,           partition_index{p}, {broker_id{1}, broker_id{2}},
                                                  broker_id{1}, leader_epoch{1},    {broker_id{1}, broker_id{2}}};
    const auto begin = std::chrono::steady_clock::now();
    const auto rows = to_rows(m);
    const auto encoded = std::chrono::steady_clock::now();
    const auto decoded = decode_metadata(rows);
    const auto end = std::chrono::steady_clock::now();
    BOOST_REQUIRE_MESSAGE(decoded, decoded.error().internal);
    BOOST_TEST((*decoded == m));
    const auto ms = [](auto d) { return std::chrono::duration_cast<std::chrono::milliseconds>(d).count(); };
    BOOST_TEST_MESSAGE("10,000 partitions: encoded in " << ms(encoded - begin) << " ms, decoded in " << ms(end - encoded)
                                                        << " ms");
    BOOST_TEST(ms(end - begin) < 5'000);  // only against quadratic work: sanitizers and debug builds take their time
}

BOOST_AUTO_TEST_SUITE_END()
