#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.hpp"
#include "core/base/logger.hpp"
#include "core/base/random.hpp"
#include "core/engine/awaitable.hpp"
#include "core/engine/thread_group.hpp"
#include "core/engine/types.hpp"
#include "core/io/file_system.hpp"

namespace pystream::engine {

class engine_impl;

struct engine_options {
    std::string data_dir = "data";
    std::int32_t default_partitions = 1;
    std::int32_t default_replication_factor = 1;
    topics::effective_config topic_defaults;
    std::int64_t partitions_max = 100'000;     // of all topics; each keeps a file open
    std::size_t worker_threads = 4;            // beside the commit lane of each root
    std::size_t batch_bytes_max = 8 << 20;     // one request's share of one partition
    std::size_t pending_bytes_max = 64 << 20;  // accepted but not durable, of all partitions; above it: overloaded
    std::size_t read_bytes_max = 256 << 20;    // held by all answered fetches at a time; above it: overloaded
    std::size_t tail_cache_bytes = 64 << 20;   // recent batches kept in memory, of all partitions
    std::size_t waiting_readers_max = 100'000;
    std::chrono::milliseconds write_timeout{30'000};  // then outcome_unknown
    std::chrono::milliseconds checkpoint_after_quiet{
        5'000};                                        // a partition without appends for this long moves its recovery point
    std::chrono::milliseconds upkeep_interval{1'000};  // how often quiet partitions and roots in trouble are looked at
    thread_source make_threads = make_thread_pool;
};

// The facade that the API calls: topics, produce, fetch, offsets, status. The only part of core that knows Asio.
//
// Everything is called on one thread, the one that runs the executor; awaitables resume there. The engine owns its worker
// threads. It outlives every call: run stop() to its end, then the loop until nothing is left, then destroy.
//
// A successful produce, commit, create, alter or delete is durable on every active replica before it returns. An error
// with outcome_unknown set may have happened all the same; every other error changed nothing.
class engine {
public:
    engine(loop_executor loop, io::file_system& files, const base::clock& clock, base::random_source& random,
           base::logger& logger, engine_options options);
    ~engine();
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;

    // Locks DATA_DIR, reads metadata, opens and recovers every log. An error: the directory cannot be used (locked, damaged metadata,
    // no space). Damaged partitions do not fail the start; they are reported. Other calls answer not_ready until it has returned.
    awaitable<result<void>> start();
    // New writes and waits are refused (draining) at once; what was accepted becomes durable; recovery points move; the lock is released.
    awaitable<void> stop();
    // Refuses new writes and wakes all waiting readers, without waiting for anything.
    void begin_drain();

    awaitable<result<topic_description>> create_topic(create_topic_request request);
    awaitable<result<topic_description>> alter_topic(alter_topic_request request);
    awaitable<result<void>> delete_topic(std::string name);
    result<topic_description> describe_topic(std::string_view name) const;
    // Topics in name order, those above `after`, with the prefix; at most `limit`. Internal ones included.
    result<std::vector<topic_description>> list_topics(std::string_view prefix, std::string_view after,
                                                       std::size_t limit) const;
    result<partition_description> describe_partition(std::string_view topic, partition_index partition) const;

    awaitable<result<produce_result>> produce(produce_request request);
    awaitable<result<fetch_result>> fetch(fetch_request request);
    awaitable<result<offset_lookup>> find_offset(std::string topic, partition_index partition, fetch_position position);

    awaitable<result<std::vector<committed_line>>> commit_offsets(commit_request request);
    // With topics given: every partition of them, never-committed ones with nullopt. Without: what was ever committed.
    result<std::vector<committed_line>> committed_offsets(std::string_view group, const std::vector<std::string>& topics) const;
    result<std::vector<std::string>> list_groups(std::string_view prefix, std::string_view after, std::size_t limit) const;
    bool group_exists(std::string_view group) const;
    awaitable<result<void>> delete_group(std::string group);

    cluster_description describe_cluster() const;
    health_report health() const;
    engine_counters counters() const;

    // Runs a function on the worker pool and resumes on the loop: for JSON work that would hold the loop for too long.
    template <class Function>
    awaitable<std::invoke_result_t<Function>> offload(Function work);

private:
    boost::asio::any_io_executor worker_executor() const;
    std::unique_ptr<engine_impl> impl_;
};

}  // namespace pystream::engine

#include "core/engine/offload.hpp"

namespace pystream::engine {

template <class Function>
awaitable<std::invoke_result_t<Function>> engine::offload(Function work)
{
    return run_on(worker_executor(), std::move(work));
}

}  // namespace pystream::engine
