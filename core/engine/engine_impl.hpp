#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/owner_thread.hpp"
#include "core/cluster/leftovers.hpp"
#include "core/cluster/local_metadata_store.hpp"
#include "core/cluster/local_replica.hpp"
#include "core/cluster/metadata.hpp"
#include "core/cluster/placement.hpp"
#include "core/cluster/replicated_partition.hpp"
#include "core/cluster/root_files.hpp"
#include "core/engine/engine.hpp"
#include "core/engine/read_budget.hpp"
#include "core/engine/threads.hpp"
#include "core/engine/waiter.hpp"
#include "core/groups/committed_offsets.hpp"
#include "core/topics/routing.hpp"
#include "core/topics/tail_cache.hpp"
#include "core/topics/topic_name.hpp"

namespace pystream::engine {

namespace asio = boost::asio;
using base::errc;
using base::error;
using monotonic_time = base::clock::monotonic_time;

// A reader that waits for records.
struct waiting_reader {
    offset wanted;
    std::shared_ptr<waiter> wait;
};

// One partition while the engine runs. Waiting coroutines and callbacks keep it alive after the topic is gone.
struct partition_state {
    std::shared_ptr<cluster::replicated_partition> log;
    std::list<waiting_reader> readers;
    monotonic_time last_append{};
    bool checkpoint_due = false;

    void wake_readers(bool all);
};

struct topic_state {
    cluster::topic_row row;
    topics::effective_config config;
    std::vector<std::shared_ptr<partition_state>> partitions;
    topics::round_robin unkeyed;
    bool uncertain = false;  // a change of it has an unknown outcome: it may be gone after a restart, so it takes no writes
};

// One broker of this process: a storage root and its commit lane.
struct broker_state {
    cluster::broker_row row;
    std::string root;
    std::unique_ptr<asio_commit_lane> lane;
    std::string problem;        // not empty: the root cannot be used at all
    std::string write_problem;  // not empty: it takes no writes for now (full, read-only); a probe clears it
    bool probing = false;
};

// Lets one coroutine at a time through, in order.
class turnstile {
public:
    explicit turnstile(deadline_queue& deadlines) : deadlines_(deadlines) {}
    class [[nodiscard]] pass {
    public:
        explicit pass(turnstile* owner) noexcept : owner_(owner) {}
        pass(pass&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)) {}
        pass& operator=(pass&&) = delete;
        ~pass()
        {
            if (owner_ != nullptr) owner_->leave();
        }

    private:
        turnstile* owner_;
    };
    awaitable<pass> enter();

private:
    void leave();
    deadline_queue& deadlines_;
    std::list<std::shared_ptr<waiter>> queue_;
    bool taken_ = false;
};

// All state behind the facade. Owner: the loop thread. Split by what it is for: startup.cpp, topic_admin.cpp, produce.cpp, fetch.cpp,
// offsets.cpp, status.cpp, upkeep.cpp.
class engine_impl {
public:
    engine_impl(loop_executor loop, io::file_system& files, const base::clock& clock, base::random_source& random,
                base::logger& logger, engine_options options);

    // startup.cpp
    awaitable<result<void>> start();
    awaitable<void> stop();
    void begin_drain();

    // topic_admin.cpp
    awaitable<result<topic_description>> create_topic(create_topic_request request, bool internal);
    awaitable<result<topic_description>> alter_topic(alter_topic_request request);
    awaitable<result<void>> delete_topic(std::string name);

    // produce.cpp
    awaitable<result<produce_result>> produce(produce_request request);

    // fetch.cpp
    awaitable<result<fetch_result>> fetch(fetch_request request);
    awaitable<result<offset_lookup>> find_offset(std::string topic, partition_index partition, fetch_position position);

    // offsets.cpp
    awaitable<result<std::vector<committed_line>>> commit_offsets(commit_request request);
    result<std::vector<committed_line>> committed_offsets(std::string_view group, const std::vector<std::string>& names) const;
    result<std::vector<std::string>> list_groups(std::string_view prefix, std::string_view after, std::size_t limit) const;
    bool group_exists(std::string_view group) const;
    awaitable<result<void>> delete_group(std::string group);

    // status.cpp
    result<topic_description> describe_topic(std::string_view name) const;
    result<std::vector<topic_description>> list_topics(std::string_view prefix, std::string_view after,
                                                       std::size_t limit) const;
    result<partition_description> describe_partition(std::string_view topic, partition_index partition) const;
    cluster_description describe_cluster() const;
    health_report health() const;
    engine_counters counters() const;

    asio::any_io_executor worker_executor() { return pool_.executor(); }

private:
    // What is asked of every request. nullopt: go on.
    std::optional<error> read_refusal() const;
    std::optional<error> write_refusal() const;
    std::optional<error> write_refusal(const topic_state& topic) const;
    result<std::shared_ptr<topic_state>> find_topic(std::string_view name) const;
    result<std::shared_ptr<partition_state>> find_partition(std::string_view topic, partition_index partition) const;

    // startup.cpp
    awaitable<result<void>> load_metadata();
    awaitable<result<void>> form_cluster();
    awaitable<void> open_brokers();
    awaitable<void> sort_out_leftovers(broker_state& broker);
    awaitable<void> open_partitions();
    awaitable<result<void>> raise_epochs(std::vector<cluster::partition_row> cut);
    awaitable<result<void>> open_offsets();
    awaitable<result<void>> replay_offsets(std::size_t index);
    std::shared_ptr<partition_state> make_partition(const topic_state& topic, cluster::partition_row row,
                                                    result<std::unique_ptr<storage::log>> opened);
    storage::log_options log_options_of(const topics::effective_config& config) const;

    // topic_admin.cpp
    awaitable<result<void>> transact(std::vector<cluster::row_change> changes);
    cluster::row_change change(std::string key, std::optional<std::string> value) const;
    std::optional<error> brokers_refusal() const;
    std::vector<cluster::partition_row> place(const cluster::topic_row& topic, std::int32_t from) const;
    awaitable<result<std::vector<std::unique_ptr<storage::log>>>> create_logs(cluster::topic_row topic,
                                                                              std::vector<cluster::partition_row> rows);
    void adopt(topic_state& topic, const std::vector<cluster::partition_row>& rows,
               std::vector<std::unique_ptr<storage::log>> logs);
    awaitable<void> discard_topic(cluster::topic_row row, std::vector<cluster::partition_row> rows);
    awaitable<result<void>> change_topic(std::shared_ptr<topic_state> topic, std::int32_t partitions,
                                         topics::topic_config config);
    void forget(topic_state& topic, const cluster::deleting_row& deleting);
    static awaitable<void> close(std::shared_ptr<partition_state> partition);
    result<void> room_for(std::int32_t partitions) const;
    awaitable<bool> set_aside(cluster::deleting_row row);
    awaitable<void> clean_deleted(cluster::deleting_row row);
    topic_description describe(const topic_state& topic) const;

    // produce.cpp
    struct share;
    std::vector<share> route(topic_state& topic, const produce_request& request);
    std::optional<error> pending_refusal(std::uint64_t bytes) const;
    std::optional<error> check_records(const topic_state& topic, const produce_request& request) const;
    std::optional<error> check_shares(const topic_state& topic, const produce_request& request,
                                      const std::vector<share>& shares) const;
    result<topics::partition::accepted> append(const std::shared_ptr<partition_state>& to, const storage::record_set& records,
                                               std::span<const std::uint32_t> selection, std::uint16_t attributes,
                                               cluster::write_decided decided);

    // fetch.cpp
    awaitable<result<offset>> resolve(std::shared_ptr<partition_state> from, fetch_position position);
    struct held_runs {
        std::vector<storage::batch_run> runs;
        std::shared_ptr<const void> hold;
    };
    awaitable<result<held_runs>> read(std::shared_ptr<partition_state> from, offset at, std::uint64_t bytes_max);
    awaitable<wake> wait_for_records(std::shared_ptr<partition_state> from, offset at, monotonic_time deadline);

    // offsets.cpp
    groups::committed_offsets& machine_of(std::string_view group) { return *offsets_[offsets_index(group)]; }
    const groups::committed_offsets& machine_of(std::string_view group) const { return *offsets_[offsets_index(group)]; }
    static std::size_t offsets_index(std::string_view group);
    static result<void> replay_run(groups::committed_offsets& machine, const storage::batch_run& run);
    std::optional<error> offsets_refusal(std::string_view group) const;
    std::optional<error> offsets_batch_refusal(const storage::record_set& records) const;
    awaitable<result<void>> write_offsets(std::string group, groups::committed_offsets::prepared prepared);
    committed_line line_of(const topic_state& topic, partition_index partition,
                           const std::optional<groups::committed>& value) const;

    // upkeep.cpp
    void schedule_upkeep();
    void upkeep();
    void checkpoint_quiet(bool now);
    void note_append_failure(broker_state& broker, const std::string& topic, partition_index partition, const error& why);
    void probe(broker_state& broker);
    awaitable<void> drain_writes();

    base::owner_thread owner_;
    loop_executor loop_;
    io::file_system& files_;
    const base::clock& clock_;
    base::random_source& random_;
    base::logger& logger_;
    engine_options options_;

    asio_worker_pool pool_;
    deadline_queue deadlines_;
    turnstile admin_;
    asio::steady_timer upkeep_timer_;
    topics::tail_cache tail_cache_;
    read_budget read_budget_;
    cluster::local_metadata_store store_;
    std::unique_ptr<io::directory_lock> lock_;

    cluster::metadata metadata_;
    std::map<std::string, std::int64_t, std::less<>> revisions_;  // of each metadata row
    std::map<base::broker_id, broker_state> brokers_;
    std::map<std::string, std::shared_ptr<topic_state>, std::less<>> topics_;
    std::map<base::topic_id, std::string> topic_names_;
    std::vector<std::unique_ptr<groups::committed_offsets>> offsets_;
    std::map<std::size_t, error> offsets_problems_;  // by partition of the internal topic: why its groups cannot be served
    std::vector<std::string> unassigned_;            // directories that the metadata does not know

    engine_counters counters_;
    std::uint64_t undecided_bytes_ = 0;
    std::int64_t checkpoints_out_ = 0;
    std::int64_t cleanings_out_ = 0;
    bool ready_ = false;
    bool draining_ = false;
    std::string metadata_problem_;
};

}  // namespace pystream::engine
