#include <algorithm>
#include <string>

#include "core/engine/engine_impl.hpp"

namespace pystream::engine {

std::optional<error> engine_impl::read_refusal() const
{
    owner_.check();
    if (!ready_) return error{errc::not_ready, "the server is still starting"};
    return std::nullopt;
}

std::optional<error> engine_impl::write_refusal() const
{
    if (draining_) return error{errc::draining, "the server is shutting down"};
    return read_refusal();
}

std::optional<error> engine_impl::write_refusal(const topic_state& topic) const
{
    if (topic.uncertain) return error{errc::partition_unavailable, "the topic takes no writes: " + metadata_problem_};
    return std::nullopt;
}

result<std::shared_ptr<topic_state>> engine_impl::find_topic(std::string_view name) const
{
    if (auto refused = read_refusal()) return *refused;
    const auto found = topics_.find(name);
    if (found == topics_.end()) return error{errc::topic_not_found, "there is no topic of that name"};
    return found->second;
}

result<std::shared_ptr<partition_state>> engine_impl::find_partition(std::string_view topic, partition_index partition) const
{
    auto found = find_topic(topic);
    if (!found) return found.error();
    const std::int32_t count = (*found)->row.partition_count;
    if (partition.value() < 0 || partition.value() >= count)
        return error{errc::partition_not_found, "the topic has partitions 0 to " + std::to_string(count - 1)};
    return (*found)->partitions[static_cast<std::size_t>(partition.value())];
}

topic_description engine_impl::describe(const topic_state& topic) const
{
    return {topic.row.name,   topic.row.id, topic.row.partition_count, topic.row.replication_factor,
            topic.row.config, topic.config, topic.row.created_ms,      topics::is_internal(topic.row.name)};
}

result<topic_description> engine_impl::describe_topic(std::string_view name) const
{
    const auto topic = find_topic(name);
    if (!topic) return topic.error();
    return describe(**topic);
}

result<std::vector<topic_description>> engine_impl::list_topics(std::string_view prefix, std::string_view after,
                                                                std::size_t limit) const
{
    if (auto refused = read_refusal()) return *refused;
    std::vector<topic_description> page;
    for (auto at = topics_.lower_bound(prefix); at != topics_.end() && at->first.starts_with(prefix); ++at) {
        if (page.size() == limit) break;
        if (at->first > after) page.push_back(describe(*at->second));
    }
    return page;
}

result<partition_description> engine_impl::describe_partition(std::string_view topic, partition_index partition) const
{
    const auto found = find_partition(topic, partition);
    if (!found) return found.error();
    const auto& log = *(*found)->log;
    const auto& row = log.row();
    partition_description answer;
    answer.topic = topic;
    answer.partition = partition;
    answer.start = log.start();
    answer.end = log.end();
    answer.high_watermark = log.high_watermark();
    answer.leader = row.leader;
    answer.epoch = row.epoch;
    answer.replicas = row.replicas;
    answer.active = row.active;
    answer.problem = log.problem();
    for (const broker_id id : row.replicas) {
        replica_status status;
        status.broker = id;
        status.leader = id == row.leader;
        status.active = std::find(row.active.begin(), row.active.end(), id) != row.active.end();
        if (status.leader && log.leader() != nullptr) {
            const auto state = log.leader()->state();
            status.available = true;
            status.log_end = state.end;
            status.lag = 0;
            answer.bytes = state.bytes;
            answer.segments = state.segments;
            answer.damages = state.damages;
        }
        status.problem = log.problem();
        answer.replica_states.push_back(std::move(status));
    }
    return answer;
}

cluster_description engine_impl::describe_cluster() const
{
    cluster_description answer;
    answer.cluster_id = metadata_.cluster_id;
    answer.topics = static_cast<std::int64_t>(topics_.size());
    answer.unassigned = unassigned_;
    std::map<broker_id, std::int64_t> led;
    for (const auto& [name, topic] : topics_)
        for (const auto& partition : topic->partitions) {
            const auto& log = *partition->log;
            const partition_ref ref{name, log.row().index};
            answer.partitions += 1;
            led[log.row().leader] += 1;
            if (log.leader() == nullptr)
                answer.leaderless.push_back(ref);
            else if (log.write_refusal())
                answer.failed.push_back(ref);
            if (log.row().active.size() < log.row().replicas.size()) answer.under_replicated.push_back(ref);
        }
    for (const auto& [id, broker] : brokers_)
        answer.brokers.push_back({id, broker.root, broker.row.open, broker.problem.empty(),
                                  broker.problem.empty() ? broker.write_problem : broker.problem, led[id]});
    return answer;
}

health_report engine_impl::health() const
{
    health_report report;
    report.draining = draining_;
    if (!ready_) {
        report.reasons.emplace_back("the server is still starting");
        return report;
    }
    std::size_t available = 0;
    for (const auto& [id, broker] : brokers_) {
        available += broker.problem.empty() ? 1 : 0;
        const std::string& problem = broker.problem.empty() ? broker.write_problem : broker.problem;
        if (!problem.empty()) report.reasons.push_back("broker " + std::to_string(id.value()) + ": " + problem);
    }
    report.ready = available > 0 && !draining_;
    if (draining_) report.reasons.emplace_back("the server is shutting down");
    if (!metadata_problem_.empty()) report.reasons.push_back(metadata_problem_);
    if (!offsets_problems_.empty()) report.reasons.emplace_back("committed offsets of some groups cannot be read");
    std::size_t failed = 0;
    std::size_t damaged = 0;
    for (const auto& [name, topic] : topics_)
        for (const auto& partition : topic->partitions) {
            failed += partition->log->write_refusal() ? 1 : 0;
            damaged += partition->log->leader() != nullptr && partition->log->leader()->damaged() ? 1 : 0;
        }
    if (failed > 0) report.reasons.push_back("partitions that take no writes: " + std::to_string(failed));
    if (damaged > 0) report.reasons.push_back("partitions with damaged records: " + std::to_string(damaged));
    return report;
}

engine_counters engine_impl::counters() const
{
    engine_counters now = counters_;
    for (const auto& [id, broker] : brokers_) {
        if (!broker.lane) continue;
        now.commit_cycles += broker.lane->counted().cycles;
        now.commit_cycle_ns_total += broker.lane->counted().cycle_ns_total;
        now.syncs += broker.lane->counted().files_synced;
    }
    now.pending_bytes = undecided_bytes_;
    now.tail_cache_bytes = tail_cache_.bytes();
    return now;
}

}  // namespace pystream::engine
