#include "api/describe.hpp"

#include <boost/test/unit_test.hpp>

#include "api/list.hpp"
#include "api/problem.hpp"
#include "tests/support/schema_check.hpp"

// What the encoders write is what the OpenAPI document describes: every answer fits its schema, and no property of a
// schema is missing from all of them.

namespace pystream::api {
namespace {

namespace json = boost::json;
using tests::schema;
using tests::schema_check;

class described {
public:
    explicit described(std::string_view name) : schema_(schema(name)), name_(name) {}
    ~described()
    {
        for (const auto& property : check_.unseen(schema_))
            BOOST_ERROR(name_ + " has a property that no answer has: " + property);
    }
    described& fits(std::string_view body)
    {
        for (const auto& wrong : check_.check(json::parse(body), schema_)) BOOST_ERROR(name_ + wrong);
        return *this;
    }

private:
    schema_check check_;
    const json::object& schema_;
    const std::string name_;
};

template <class Write>
std::string written(const Write& write)
{
    std::string body;
    json_writer out{body};
    write(out);
    return body;
}

engine::topic_description sample_topic()
{
    engine::topic_description topic;
    topic.name = "orders";
    topic.partitions = 3;
    topic.replication_factor = 1;
    topic.created_ms = 1764400000000;
    for (const auto& key : topics::config_keys()) topic.config.*key.member = key.min;
    return topic;
}

engine::partition_description sample_partition()
{
    engine::partition_description partition;
    partition.topic = "orders";
    partition.partition = base::partition_index{2};
    partition.start = base::offset{3};
    partition.end = base::offset{9};
    partition.high_watermark = base::offset{8};
    partition.leader = base::broker_id{1};
    partition.epoch = base::leader_epoch{4};
    partition.replicas = {base::broker_id{1}, base::broker_id{2}};
    partition.active = {base::broker_id{1}};
    partition.bytes = 100;
    partition.segments = {{base::offset{3}, 100, 1}};
    partition.damages = {{base::offset{4}, base::offset{5}, "/data/topics/orders/partition-000002/7.log", 17, "bad CRC"}};
    partition.replica_states = {{base::broker_id{1}, true, true, true, base::offset{9}, 0, ""},
                                {base::broker_id{2}, false, false, false, std::nullopt, std::nullopt, "closed"}};
    partition.problem = "the disk failed";
    return partition;
}

engine::produce_result sample_produced()
{
    engine::produce_result produced;
    produced.results = {
        {base::partition_index{2}, base::offset{17}, 1764400000000, base::broker_id{1}, base::leader_epoch{3}, nullptr}};
    return produced;
}

BOOST_AUTO_TEST_SUITE(describe_test)

BOOST_AUTO_TEST_CASE(topics)
{
    const auto topic = sample_topic();
    const auto write = [](json_writer& out, const engine::topic_description& one) { write_topic(out, one); };
    described{"topic"}.fits(written([&](json_writer& out) { write_topic(out, topic); }));
    described{"topic_list"}.fits(list_body(std::vector{topic, topic}, 1, write, [](const auto& one) { return one.name; }));
}

BOOST_AUTO_TEST_CASE(a_list_names_the_next_page_only_when_there_is_one)
{
    const std::vector<std::string> names{"a", "b"};
    const auto write = [](json_writer& out, const std::string& name) { out.string(name); };
    const auto same = [](const std::string& name) { return name; };
    BOOST_TEST(list_body(names, 1, write, same) == R"({"items":["a"],"next":"a"})");
    BOOST_TEST(list_body(names, 2, write, same) == R"({"items":["a","b"],"next":null})");
    BOOST_TEST(list_body(std::vector<std::string>{}, 2, write, same) == R"({"items":[],"next":null})");
}

BOOST_AUTO_TEST_CASE(partitions)
{
    const auto body = written([](json_writer& out) { write_partition(out, sample_partition()); });
    described{"partition"}.fits(body);
    const auto value = json::parse(body);
    BOOST_TEST(value.at("damages").at(0).at("file").as_string() == "7.log");
    BOOST_TEST(value.at("replica_states").at(1).at("lag").is_null());
    for (const auto name : {"segment", "damage", "replica"}) {
        const auto member = std::string_view{name} == "segment"  ? "segments"
                            : std::string_view{name} == "damage" ? "damages"
                                                                 : "replica_states";
        described{name}.fits(json::serialize(value.at(member).at(0)));
    }
}

BOOST_AUTO_TEST_CASE(produced_records)
{
    auto produced = sample_produced();
    const auto answer = produce_response(produced, "r");
    const auto& body = answer.body;
    BOOST_TEST(answer.status == 201u);
    produced.duplicate = true;
    BOOST_TEST(produce_response(produced, "r").status == 200u);
    BOOST_TEST(body == R"({"results":[{"partition":2,"offset":17,"timestamp":1764400000000,"leader":1,"epoch":3}],)"
                       R"("durability":"sync","duplicate":false})");
    described{"produced"}.fits(body);
    described{"produced_record"}.fits(json::serialize(json::parse(body).at("results").at(0)));
}

BOOST_AUTO_TEST_CASE(a_partial_result_says_for_each_record_what_became_of_it)
{
    auto produced = sample_produced();
    auto full = std::make_shared<base::error>(base::errc::disk_full, "no space");
    auto lost = std::make_shared<base::error>(base::errc::replication_failed, "broker 2");
    lost->outcome_unknown = true;
    produced.results.push_back({base::partition_index{0}, {}, 0, {}, {}, full});
    produced.results.push_back({base::partition_index{1}, {}, 0, {}, {}, lost});
    produced.partial = true;
    const auto answer = produce_response(produced, "r");
    const auto value = json::parse(answer.body);
    BOOST_TEST(answer.status == 503u);
    BOOST_TEST(value.at("outcome").as_string() == "unknown");
    const auto& results = value.at("results").as_array();
    BOOST_TEST(results.at(0).at("offset").as_int64() == 17);
    BOOST_TEST(results.at(1).at("code").as_string() == "disk_full");
    BOOST_TEST(results.at(1).at("outcome").as_string() == "none");
    BOOST_TEST(results.at(2).at("outcome").as_string() == "unknown");
    described{"failed_record"}.fits(json::serialize(results.at(1)));
}

BOOST_AUTO_TEST_CASE(problems)
{
    base::error all{base::errc::topic_exists, "d"};
    all.expected = all.actual = all.earliest = all.latest = all.offset = 1;
    all.brokers = {1};
    all.fields = {{"/name", "taken"}};
    std::string more;
    json_writer out{more};
    out.name("topic");
    write_topic(out, sample_topic());
    auto partly = sample_produced();
    partly.partial = true;
    described{"problem"}.fits(make_problem(all, "r", more).body).fits(produce_response(partly, "r").body);
}

BOOST_AUTO_TEST_CASE(committed_offsets)
{
    engine::committed_line line{"orders",      base::partition_index{2}, base::offset{3}, "note",
                                1764400000000, base::offset{5},          base::offset{9}, 4};
    engine::committed_line never{"orders", base::partition_index{0}, {}, {}, {}, base::offset{0}, base::offset{7}, 7};
    described{"offsets"}.fits(offsets_body({line, never}));
    const auto body = offsets_body({line, never}, "billing");
    described{"group"}.fits(body);
    const auto value = json::parse(body);
    BOOST_TEST(value.at("lag").as_int64() == 11);
    BOOST_TEST(value.at("offsets").at(0).at("below_start").as_bool());
    BOOST_TEST(value.at("offsets").at(1).at("offset").is_null());
    BOOST_TEST(!value.at("offsets").at(1).at("below_start").as_bool());
    described{"committed"}.fits(json::serialize(value.at("offsets").at(0)));
}

BOOST_AUTO_TEST_CASE(cluster)
{
    engine::cluster_description all;
    all.cluster_id = "c";
    all.brokers = {{base::broker_id{1}, "data/broker-000001", true, true, "", 4}};
    all.under_replicated = all.leaderless = all.failed = {{"orders", base::partition_index{2}}};
    all.unassigned = {"data/broker-000001/topics/lost"};
    const auto body = cluster_body(all);
    described{"cluster"}.fits(body);
    described{"broker"}.fits(json::serialize(json::parse(body).at("brokers").at(0)));
    described{"partition_place"}.fits(json::serialize(json::parse(body).at("failed").at(0)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
