#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/ids.hpp"
#include "core/storage/batch.hpp"
#include "core/storage/log.hpp"
#include "core/topics/topic_config.hpp"

// Requests and answers of the engine: plain values, nothing of HTTP or JSON.

namespace pystream::engine {

using base::broker_id;
using base::leader_epoch;
using base::offset;
using base::partition_index;
using base::result;

// What 2xx on a write promises. `sync`: on the disk of every active replica.
enum class durability : std::uint8_t { sync };

struct create_topic_request {
    std::string name;
    std::optional<std::int32_t> partitions;          // unset: the server's default
    std::optional<std::int32_t> replication_factor;  // unset: the server's default
    topics::topic_config config;
};

struct alter_topic_request {
    std::string name;
    std::optional<std::int32_t> partitions;                                   // grow to
    bool reroute_keys = false;                                                // needed to grow a topic that has keys
    std::vector<std::pair<std::string, std::optional<std::int64_t>>> config;  // nullopt: back to the default
};

struct topic_description {
    std::string name;
    base::topic_id id;
    std::int32_t partitions = 0;
    std::int32_t replication_factor = 0;
    topics::topic_config config;         // what the topic sets itself
    topics::effective_config effective;  // what is in force
    std::int64_t created_ms = 0;
    bool internal = false;
};

struct replica_status {
    broker_id broker;
    bool leader = false;
    bool available = false;
    bool active = false;
    std::optional<offset> log_end;  // nullopt: unknown
    std::optional<std::int64_t> lag;
    std::string problem;  // why it is failed or not available; empty when well
};

struct partition_description {
    std::string topic;
    partition_index partition;
    offset start;
    offset end;  // the leader's log end
    offset high_watermark;
    broker_id leader;
    leader_epoch epoch;
    std::vector<broker_id> replicas;
    std::vector<broker_id> active;
    std::uint64_t bytes = 0;
    std::vector<storage::segment_info> segments;
    std::vector<storage::damage> damages;
    std::vector<replica_status> replica_states;
    std::string problem;  // empty when the partition takes writes
};

struct produce_request {
    std::string topic;
    std::optional<partition_index> partition;  // unset: by key, round robin without one
    storage::record_set records;               // at least one
    std::optional<offset> expected_offset;     // only with `partition`
};

struct record_result {
    partition_index partition;
    offset at;
    std::int64_t timestamp_ms = 0;
    broker_id leader;
    leader_epoch epoch;
    std::shared_ptr<const base::error> failure;  // null: durable. Shared by the records of one batch
};

struct produce_result {
    std::vector<record_result> results;  // in the order of the request
    bool duplicate = false;
    durability promised = durability::sync;
    // True when some records landed and some did not (`partially_written`); if none did, produce() returns the error instead.
    bool partial = false;
};

struct fetch_position {
    enum class kind : std::uint8_t { at, earliest, latest, timestamp };
    kind from = kind::earliest;
    offset at;                      // kind::at
    std::int64_t timestamp_ms = 0;  // kind::timestamp
};

struct fetch_request {
    std::string topic;
    partition_index partition;
    fetch_position position;
    std::uint64_t bytes_max = 1 << 20;  // stop adding batches once reached; at least one batch comes
    std::int64_t wait_ms = 0;           // how long to wait for the first record
    bool wait_past_end = false;         // past_end=wait: an offset above the end waits instead of offset_out_of_range
};

struct fetch_result {
    partition_index partition;
    offset first;                          // the resolved position; records below it in the first batch are to be skipped
    std::vector<storage::batch_run> runs;  // contiguous; records at or above high_watermark never in them
    offset start;                          // log start
    offset high_watermark;
    std::shared_ptr<const void> held = {};  // the runs count against the engine's read budget for as long as this lives
};

struct offset_lookup {
    offset at;                                 // latest = high watermark; timestamp beyond all records = high watermark
    std::optional<std::int64_t> timestamp_ms;  // of the record found, by timestamp only
};

struct commit_line {
    std::string topic;
    partition_index partition;
    offset at;
    std::optional<std::string> metadata;
};

struct commit_request {
    std::string group;
    std::vector<commit_line> offsets;  // at least one
    bool reset = false;
};

struct committed_line {
    std::string topic;
    partition_index partition;
    std::optional<offset> at;  // nullopt: never committed
    std::optional<std::string> metadata;
    std::optional<std::int64_t> committed_ms;
    offset start;          // log start
    offset end;            // high watermark
    std::int64_t lag = 0;  // max(0, end - max(committed, start)); without a commit end - start
};

struct broker_description {
    broker_id id;
    std::string root;
    bool open = true;
    bool available = true;
    std::string problem;
    std::int64_t partitions_led = 0;
};

struct partition_ref {
    std::string topic;
    partition_index partition;
};

struct cluster_description {
    std::string cluster_id;
    std::vector<broker_description> brokers;
    std::int64_t topics = 0;
    std::int64_t partitions = 0;
    durability promised = durability::sync;
    std::vector<partition_ref> under_replicated;
    std::vector<partition_ref> leaderless;
    std::vector<partition_ref> failed;
    std::vector<std::string> unassigned;  // directories with data that the metadata does not know
};

struct health_report {
    bool ready = false;  // recovery done, storage writable or at least readable, not draining
    bool draining = false;
    std::vector<std::string> reasons;  // why it is not simply ok; safe to show
};

// Counters since the start and gauges of now, for /metrics.
struct engine_counters {
    std::uint64_t records_appended = 0;
    std::uint64_t bytes_appended = 0;
    std::uint64_t batches_appended = 0;
    std::uint64_t append_failures = 0;
    std::uint64_t commit_cycles = 0;
    std::uint64_t commit_cycle_ns_total = 0;
    std::uint64_t syncs = 0;
    std::uint64_t fetches_hot = 0;   // served from memory
    std::uint64_t fetches_cold = 0;  // read from the disk
    std::uint64_t bytes_read_cold = 0;
    std::uint64_t offset_commits = 0;
    std::uint64_t damages = 0;
    std::uint64_t pending_bytes = 0;  // accepted, not yet durable
    std::uint64_t tail_cache_bytes = 0;
    std::uint64_t waiting_readers = 0;
};

}  // namespace pystream::engine
