#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/ids.hpp"
#include "core/topics/topic_config.hpp"

// What the cluster knows about itself, as values. Stored as rows (metadata_store.hpp), one per thing, each small.

namespace pystream::cluster {

struct broker_row {
    base::broker_id id;
    std::string root;         // path of its storage root as configured, relative to DATA_DIR where it lies below
    std::string incarnation;  // 32 hex digits, new each time a root is initialised
    bool open = true;         // an operator's decision; survives restarts
    friend bool operator==(const broker_row&, const broker_row&) = default;
};

struct topic_row {
    base::topic_id id;
    std::string name;
    std::int32_t partition_count = 0;
    std::int32_t replication_factor = 1;
    topics::topic_config config;
    std::int64_t created_ms = 0;  // since 1970
    friend bool operator==(const topic_row&, const topic_row&) = default;
};

struct partition_row {
    base::topic_id topic;
    base::partition_index index;
    std::vector<base::broker_id> replicas;  // placement, preferred leader first
    base::broker_id leader;
    base::leader_epoch epoch;
    std::vector<base::broker_id> active;  // always contains the leader
    friend bool operator==(const partition_row&, const partition_row&) = default;
};

// A deleted topic whose files are not all gone yet.
struct deleting_row {
    base::topic_id id;
    std::string name;
    std::vector<base::broker_id> brokers;  // still to be cleaned
    friend bool operator==(const deleting_row&, const deleting_row&) = default;
};

struct metadata {
    std::string cluster_id;  // 32 hex digits
    std::map<base::broker_id, broker_row> brokers;
    std::map<std::string, topic_row, std::less<>> topics;
    std::map<std::pair<base::topic_id, base::partition_index>, partition_row> partitions;
    std::map<base::topic_id, deleting_row> deleting;
    friend bool operator==(const metadata&, const metadata&) = default;
};

// A row in the store: key, revision of its last change, JSON text. Keys: "cluster", "broker/000001", "topic/orders",
// "partition/<topic id>/000000", "deleting/<topic id>".
struct row {
    std::string key;
    std::int64_t revision = 0;
    std::string value;
};

// One change of a transaction; no value = the row is removed. `expected_revision` 0 = the row must not exist.
struct row_change {
    std::string key;
    std::int64_t expected_revision = 0;
    std::optional<std::string> value;
};

// Rows <-> values. Decoding validates everything: unknown keys or fields, ranges, that every partition of a topic exists, that
// leader and active set lie within the replicas, that brokers exist. The error is corrupt_metadata with the reason in `internal`.
std::string encode(const broker_row& value);
std::string encode(const topic_row& value);
std::string encode(const partition_row& value);
std::string encode(const deleting_row& value);
std::string encode_cluster(std::string_view cluster_id);
std::string broker_key(base::broker_id id);
std::string topic_key(std::string_view name);
std::string partition_key(const base::topic_id& topic, base::partition_index index);
std::string deleting_key(const base::topic_id& id);
inline constexpr std::string_view cluster_key = "cluster";
base::result<metadata> decode_metadata(const std::vector<row>& rows);

}  // namespace pystream::cluster
