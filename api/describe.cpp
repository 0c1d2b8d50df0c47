#include "api/describe.hpp"

#include <utility>

#include "api/problem.hpp"

namespace pystream::api {
namespace {

std::string_view to_string(engine::durability promised) noexcept
{
    switch (promised) {
    case engine::durability::sync: return "sync";
    }
    return "sync";
}

void write_brokers(json_writer& json, std::string_view name, const std::vector<base::broker_id>& brokers)
{
    json.name(name).begin_array();
    for (const auto broker : brokers) json.integer(broker.value());
    json.end_array();
}

void write_problem(json_writer& json, const std::string& problem)
{
    json.name("problem");
    if (problem.empty())
        json.null();
    else
        json.string(problem);
}

void write_optional(json_writer& json, std::string_view name, std::optional<std::int64_t> value)
{
    json.name(name);
    if (value)
        json.integer(*value);
    else
        json.null();
}

void write_replica(json_writer& json, const engine::replica_status& replica)
{
    json.begin_object().name("broker").integer(replica.broker.value());
    json.member("role", replica.leader ? "leader" : "follower");
    json.name("available").boolean(replica.available).name("active").boolean(replica.active);
    write_optional(json, "log_end", replica.log_end ? std::optional{replica.log_end->value()} : std::nullopt);
    write_optional(json, "lag", replica.lag);
    write_problem(json, replica.problem);
    json.end_object();
}

void write_storage(json_writer& json, const engine::partition_description& partition)
{
    json.name("bytes").count(partition.bytes).name("segments").begin_array();
    for (const auto& segment : partition.segments)
        json.begin_object()
            .name("base")
            .integer(segment.base.value())
            .name("bytes")
            .count(segment.bytes)
            .name("index_entries")
            .count(segment.index_entries)
            .end_object();
    json.end_array().name("damages").begin_array();
    for (const auto& damage : partition.damages)
        json.begin_object()
            .name("from")
            .integer(damage.from.value())
            .name("end")
            .integer(damage.end.value())
            .member("file", damage.path.substr(damage.path.rfind('/') + 1))
            .name("position")
            .count(damage.position)
            .member("reason", damage.reason)
            .end_object();
    json.end_array();
}

void write_committed(json_writer& json, const engine::committed_line& line)
{
    json.begin_object().member("topic", line.topic).name("partition").integer(line.partition.value());
    write_optional(json, "offset", line.at ? std::optional{line.at->value()} : std::nullopt);
    json.name("metadata");
    if (line.metadata)
        json.string(*line.metadata);
    else
        json.null();
    write_optional(json, "timestamp", line.committed_ms);
    json.name("start").integer(line.start.value()).name("high_watermark").integer(line.end.value());
    json.name("lag").integer(line.lag);
    // Records that this group had not read were removed: reading goes on at `start`.
    json.name("below_start").boolean(line.at && *line.at < line.start).end_object();
}

void write_places(json_writer& json, std::string_view name, const std::vector<engine::partition_ref>& partitions)
{
    json.name(name).begin_array();
    for (const auto& at : partitions)
        json.begin_object().member("topic", at.topic).name("partition").integer(at.partition.value()).end_object();
    json.end_array();
}

void write_landed(json_writer& json, const engine::record_result& at)
{
    json.begin_object().name("partition").integer(at.partition.value()).name("offset").integer(at.at.value());
    json.name("timestamp").integer(at.timestamp_ms).name("leader").integer(at.leader.value());
    json.name("epoch").integer(at.epoch.value()).end_object();
}

void write_failed(json_writer& json, const engine::record_result& at)
{
    const auto& failure = *at.failure;
    const bool unknown = failure.outcome_unknown || failure.code == base::errc::outcome_unknown;
    json.begin_object().name("partition").integer(at.partition.value()).member("code", base::to_string(failure.code));
    json.member("detail", failure.detail).member("outcome", unknown ? "unknown" : "none").end_object();
}

void write_results(json_writer& json, const std::vector<engine::record_result>& results)
{
    json.name("results").begin_array();
    for (const auto& at : results) {
        if (at.failure == nullptr)
            write_landed(json, at);
        else
            write_failed(json, at);
    }
    json.end_array();
}

}  // namespace

void write_topic(json_writer& json, const engine::topic_description& topic)
{
    json.begin_object().member("name", topic.name).member("id", topic.id.to_hex());
    json.name("partitions").integer(topic.partitions).name("replication_factor").integer(topic.replication_factor);
    json.name("created").integer(topic.created_ms).name("internal").boolean(topic.internal);
    json.name("config").begin_object();
    for (const auto& key : topics::config_keys())
        if (const auto& own = topic.config.*key.member) json.name(key.name).integer(*own);
    json.end_object().name("effective_config").begin_object();
    for (const auto& key : topics::config_keys()) json.name(key.name).integer(topic.effective.*key.effective);
    json.end_object().end_object();
}

void write_partition(json_writer& json, const engine::partition_description& partition)
{
    json.begin_object().member("topic", partition.topic).name("partition").integer(partition.partition.value());
    json.name("start").integer(partition.start.value()).name("end").integer(partition.end.value());
    json.name("high_watermark").integer(partition.high_watermark.value());
    json.name("leader").integer(partition.leader.value()).name("epoch").integer(partition.epoch.value());
    write_brokers(json, "replicas", partition.replicas);
    write_brokers(json, "active", partition.active);
    json.name("replica_states").begin_array();
    for (const auto& replica : partition.replica_states) write_replica(json, replica);
    json.end_array();
    write_storage(json, partition);
    write_problem(json, partition.problem);
    json.end_object();
}

std::string offsets_body(const std::vector<engine::committed_line>& lines, std::string_view group)
{
    std::string body;
    json_writer json{body};
    json.begin_object();
    if (!group.empty()) json.member("group", group);
    json.name("offsets").begin_array();
    std::int64_t lag = 0;
    for (const auto& line : lines) {
        write_committed(json, line);
        lag += line.lag;
    }
    json.end_array();
    if (!group.empty()) json.name("lag").integer(lag);
    json.end_object();
    return body;
}

std::string cluster_body(const engine::cluster_description& cluster)
{
    std::string body;
    json_writer json{body};
    json.begin_object().member("cluster_id", cluster.cluster_id).member("durability", to_string(cluster.promised));
    json.name("topics").integer(cluster.topics).name("partitions").integer(cluster.partitions);
    json.name("brokers").begin_array();
    for (const auto& broker : cluster.brokers) {
        json.begin_object().name("broker").integer(broker.id.value()).member("root", broker.root);
        json.name("open").boolean(broker.open).name("available").boolean(broker.available);
        json.name("partitions_led").integer(broker.partitions_led);
        write_problem(json, broker.problem);
        json.end_object();
    }
    json.end_array();
    write_places(json, "under_replicated", cluster.under_replicated);
    write_places(json, "leaderless", cluster.leaderless);
    write_places(json, "failed", cluster.failed);
    json.name("unassigned").begin_array();
    for (const auto& directory : cluster.unassigned) json.string(directory);
    json.end_array().end_object();
    return body;
}

response produce_response(const engine::produce_result& produced, std::string_view request_id)
{
    std::string body;
    body.reserve(96 + produced.results.size() * 96);
    json_writer json{body};
    if (produced.partial) {
        write_results(json, produced.results);
        return make_problem(
            base::error{base::errc::partially_written, "some partitions have their records and some do not: see results"},
            request_id, body);
    }
    json.begin_object();
    write_results(json, produced.results);
    json.member("durability", to_string(produced.promised)).name("duplicate").boolean(produced.duplicate).end_object();
    return json_response(std::move(body), produced.duplicate ? 200 : 201);
}

}  // namespace pystream::api
