#include "core/cluster/metadata.hpp"

#include <boost/json/serialize.hpp>

#include <cstdio>

#include "core/cluster/json_fields.hpp"

// The written form of rows (docs/metadata.md). What the key says is not said again in the value.

namespace pystream::cluster {
namespace {

namespace json = boost::json;

json::array numbers(const std::vector<base::broker_id>& brokers)
{
    json::array out;
    out.reserve(brokers.size());
    for (const base::broker_id broker : brokers) out.emplace_back(broker.value());
    return out;
}

json::object set_keys(const topics::topic_config& config)
{
    json::object out;
    for (const topics::config_key& key : topics::config_keys())
        if (const auto& value = config.*key.member) out[{key.name.data(), key.name.size()}] = *value;
    return out;
}

std::string six_digits(std::int32_t number)
{
    char text[16];
    std::snprintf(text, sizeof text, "%06d", number);
    return text;
}

}  // namespace

std::string encode(const broker_row& value)
{
    json::object out;
    out["root"] = value.root;
    out["incarnation"] = value.incarnation;
    out["open"] = value.open;
    return json::serialize(out);
}

std::string encode(const topic_row& value)
{
    json::object out;
    out["id"] = value.id.to_hex();
    out["partition_count"] = value.partition_count;
    out["replication_factor"] = value.replication_factor;
    out["config"] = set_keys(value.config);
    out["created_ms"] = value.created_ms;
    return json::serialize(out);
}

std::string encode(const partition_row& value)
{
    json::object out;
    out["replicas"] = numbers(value.replicas);
    out["leader"] = value.leader.value();
    out["epoch"] = value.epoch.value();
    out["active"] = numbers(value.active);
    return json::serialize(out);
}

std::string encode(const deleting_row& value)
{
    json::object out;
    out["name"] = value.name;
    out["brokers"] = numbers(value.brokers);
    return json::serialize(out);
}

std::string encode_cluster(std::string_view cluster_id)
{
    json::object out;
    out["version"] = metadata_version;
    out["cluster_id"] = json::string_view{cluster_id.data(), cluster_id.size()};
    return json::serialize(out);
}

std::string broker_key(base::broker_id id)
{
    return "broker/" + six_digits(id.value());
}

std::string topic_key(std::string_view name)
{
    return "topic/" + std::string{name};
}

std::string partition_key(const base::topic_id& topic, base::partition_index index)
{
    return "partition/" + topic.to_hex() + "/" + six_digits(index.value());
}

std::string deleting_key(const base::topic_id& id)
{
    return "deleting/" + id.to_hex();
}

}  // namespace pystream::cluster
