#include <algorithm>
#include <charconv>

#include "core/base/limits.hpp"
#include "core/cluster/json_fields.hpp"
#include "core/cluster/metadata.hpp"
#include "core/topics/topic_name.hpp"

namespace pystream::cluster {
namespace {

namespace json = boost::json;
namespace limits = base::limits;

constexpr std::size_t path_bytes_max = 4096;

base::error in_row(std::string_view key, const base::error& e)
{
    return corrupt("row \"" + std::string{key} + "\": " + e.internal);
}

// The number that ends a key, in its one form; -1 when it is anything else.
std::int32_t six_digits(std::string_view text)
{
    std::int32_t value = -1;
    const bool digits = text.size() == 6 && text.find_first_not_of("0123456789") == text.npos;
    if (digits) std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

base::result<std::string> decode_cluster(const json::value& value)
{
    object_fields fields{value};
    fields.integer("version", metadata_version, metadata_version);
    std::string cluster_id = fields.id("cluster_id");
    if (auto ok = fields.finish(); !ok) return ok.error();
    return cluster_id;
}

base::result<broker_row> decode_broker(std::string_view rest, const json::value& value)
{
    object_fields fields{value};
    broker_row out;
    out.id = base::broker_id{six_digits(rest)};
    out.root = fields.text("root", path_bytes_max);
    out.incarnation = fields.id("incarnation");
    out.open = fields.boolean("open");
    if (out.id.value() < 1) fields.fault("the key does not end in a broker id of six digits");
    if (auto ok = fields.finish(); !ok) return ok.error();
    return out;
}

base::result<topics::topic_config> decode_config(const json::object& value)
{
    topics::topic_config out;
    for (const auto& member : value) {
        const std::string_view name{member.key().data(), member.key().size()};
        if (!member.value().is_int64()) return corrupt("config: \"" + std::string{name} + "\" is not an integer");
        if (auto ok = topics::set_config(out, name, member.value().get_int64(), "/config"); !ok)
            return corrupt("config: " + ok.error().detail);
    }
    return out;
}

base::result<topic_row> decode_topic(std::string_view name, const json::value& value)
{
    object_fields fields{value};
    topic_row out;
    out.name = name;
    out.id = fields.topic("id");
    out.partition_count = static_cast<std::int32_t>(fields.integer("partition_count", 1, limits::partitions_max));
    out.replication_factor = static_cast<std::int32_t>(fields.integer("replication_factor", 1, limits::brokers_max));
    auto config = decode_config(fields.object("config"));
    out.created_ms = fields.integer("created_ms", 0, base::json_integer_max);
    if (!topics::check_name(name, "name")) fields.fault("the key does not end in a topic name");
    if (auto ok = fields.finish(); !ok) return ok.error();
    if (!config) return config.error();
    out.config = *config;
    return out;
}

base::result<partition_row> decode_partition(std::string_view rest, const json::value& value)
{
    object_fields fields{value};
    partition_row out;
    out.replicas = fields.brokers("replicas");
    out.leader = base::broker_id{static_cast<std::int32_t>(fields.integer("leader", 1, broker_id_max))};
    out.epoch = base::leader_epoch{static_cast<std::int32_t>(fields.integer("epoch", 1, INT32_MAX))};
    out.active = fields.brokers("active");
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const auto topic = base::topic_id::from_hex(rest.substr(0, slash));
    if (topic) out.topic = *topic;
    out.index = base::partition_index{slash == rest.size() ? -1 : six_digits(rest.substr(slash + 1))};
    if (!topic || out.index.value() < 0)
        fields.fault("the key does not end in a topic id and a partition number of six digits");
    if (auto ok = fields.finish(); !ok) return ok.error();
    return out;
}

base::result<deleting_row> decode_deleting(std::string_view rest, const json::value& value)
{
    object_fields fields{value};
    deleting_row out;
    const auto id = base::topic_id::from_hex(rest);
    if (id) out.id = *id;
    if (!id) fields.fault("the key does not end in a topic id");
    out.name = fields.text("name", limits::name_bytes_max);
    out.brokers = fields.brokers("brokers");
    if (auto ok = fields.finish(); !ok) return ok.error();
    return out;
}

// Puts a decoded row where it belongs; a second row of the same key is an error.
template <class Map, class Row, class Key>
base::result<void> insert(Map& map, base::result<Row> decoded, Key key_of)
{
    if (!decoded) return decoded.error();
    auto key = key_of(*decoded);
    const std::size_t before = map.size();
    map.emplace_hint(map.end(), std::move(key), std::move(*decoded));
    if (map.size() == before) return corrupt("the row stands twice");
    return {};
}

bool take_prefix(std::string_view& key, std::string_view prefix)
{
    if (!key.starts_with(prefix)) return false;
    key.remove_prefix(prefix.size());
    return true;
}

base::result<void> decode_row(metadata& out, const row& from)
{
    const auto value = parse_strictly(from.value);
    if (!value) return value.error();
    std::string_view rest = from.key;
    if (rest == cluster_key) {
        auto cluster_id = decode_cluster(*value);
        if (!cluster_id) return cluster_id.error();
        if (!out.cluster_id.empty()) return corrupt("the row stands twice");
        out.cluster_id = std::move(*cluster_id);
        return {};
    }
    if (take_prefix(rest, "broker/"))
        return insert(out.brokers, decode_broker(rest, *value), [](const broker_row& b) { return b.id; });
    if (take_prefix(rest, "topic/"))
        return insert(out.topics, decode_topic(rest, *value), [](const topic_row& t) { return t.name; });
    if (take_prefix(rest, "partition/"))
        return insert(out.partitions, decode_partition(rest, *value),
                      [](const partition_row& p) { return std::pair{p.topic, p.index}; });
    if (take_prefix(rest, "deleting/"))
        return insert(out.deleting, decode_deleting(rest, *value), [](const deleting_row& d) { return d.id; });
    return corrupt("unknown kind of row");
}

bool contains(const std::vector<base::broker_id>& brokers, base::broker_id wanted)
{
    return std::find(brokers.begin(), brokers.end(), wanted) != brokers.end();
}

base::result<void> check_brokers_exist(const metadata& all, const std::vector<base::broker_id>& brokers)
{
    for (const base::broker_id broker : brokers)
        if (!all.brokers.contains(broker)) return corrupt("broker " + std::to_string(broker.value()) + " does not exist");
    return {};
}

base::result<void> check_partition(const metadata& all, const topic_row& topic, const partition_row& partition)
{
    if (partition.replicas.size() != static_cast<std::size_t>(topic.replication_factor))
        return corrupt("the number of replicas is not the topic's replication factor");
    for (const base::broker_id broker : partition.active)
        if (!contains(partition.replicas, broker)) return corrupt("an active replica is not among the replicas");
    if (!contains(partition.active, partition.leader)) return corrupt("the leader is not active");
    return check_brokers_exist(all, partition.replicas);
}

// Each of 0 ... count - 1 has its row.
base::result<void> check_partitions_of(const metadata& all, const topic_row& topic)
{
    auto at = all.partitions.lower_bound({topic.id, base::partition_index{0}});
    for (std::int32_t i = 0; i < topic.partition_count; ++i, ++at) {
        const std::pair wanted{topic.id, base::partition_index{i}};
        if (at == all.partitions.end() || at->first != wanted)
            return corrupt("row \"" + partition_key(topic.id, wanted.second) + "\" of topic \"" + topic.name + "\" is missing");
        if (auto ok = check_partition(all, topic, at->second); !ok)
            return in_row(partition_key(topic.id, wanted.second), ok.error());
    }
    return {};
}

base::result<void> check_partitions(const metadata& all)
{
    std::map<base::topic_id, std::int32_t> counts;
    for (const auto& [name, topic] : all.topics) {
        if (!counts.emplace(topic.id, topic.partition_count).second || all.deleting.contains(topic.id))
            return in_row(topic_key(name), corrupt("another topic has the same id"));
        if (auto ok = check_partitions_of(all, topic); !ok) return ok;
    }
    for (const auto& [at, partition] : all.partitions) {
        const auto count = counts.find(at.first);
        if (count == counts.end() || at.second.value() >= count->second)
            return in_row(partition_key(at.first, at.second), corrupt("no topic has this partition"));
    }
    return {};
}

base::result<void> check_whole(const metadata& all)
{
    if (all.cluster_id.empty()) return corrupt("row \"cluster\" is missing");
    if (all.brokers.size() > static_cast<std::size_t>(limits::brokers_max)) return corrupt("too many brokers");
    if (all.partitions.size() > static_cast<std::size_t>(limits::partitions_total_max)) return corrupt("too many partitions");
    for (const auto& [id, deleting] : all.deleting) {
        if (!topics::check_name(deleting.name, "name")) return in_row(deleting_key(id), corrupt("\"name\" is no topic name"));
        if (auto ok = check_brokers_exist(all, deleting.brokers); !ok) return in_row(deleting_key(id), ok.error());
    }
    return check_partitions(all);
}

}  // namespace

base::result<metadata> decode_metadata(const std::vector<row>& rows)
{
    metadata out;
    for (const row& one : rows)
        if (auto ok = decode_row(out, one); !ok) return in_row(one.key, ok.error());
    if (auto ok = check_whole(out); !ok) return ok.error();
    return out;
}

}  // namespace pystream::cluster
