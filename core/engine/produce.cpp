#include <algorithm>
#include <string>
#include <utility>

#include "core/engine/engine_impl.hpp"

namespace pystream::engine {

// What one partition gets of a request, and what became of it.
struct engine_impl::share {
    std::shared_ptr<partition_state> to;
    partition_index partition;
    std::vector<std::uint32_t> selection;  // of the records; empty: all
    topics::partition::accepted placed;
};

namespace {

// A request's wait for the outcome of its shares; the decisions fill it in, perhaps after the request has given up waiting.
struct produce_wait final : waiter {
    produce_wait(deadline_queue& queue, std::size_t shares) : waiter(queue), failures(shares), left(shares) {}

    void decide(std::size_t share, const result<void>& outcome)
    {
        if (!outcome) failures[share] = std::make_shared<const error>(outcome.error());
        if (--left == 0) notify();
    }

    std::vector<std::shared_ptr<const error>> failures;  // by share; null: durable, or not decided yet
    std::size_t left;
};

produce_result answer(std::size_t records, const auto& shares, const produce_wait& waited)
{
    produce_result answer;
    answer.results.resize(records);
    for (std::size_t s = 0; s < shares.size(); ++s) {
        const auto& share = shares[s];
        const auto& row = share.to->log->row();
        const std::size_t count = share.selection.empty() ? records : share.selection.size();
        for (std::size_t i = 0; i < count; ++i)
            answer.results[share.selection.empty() ? i : share.selection[i]] = {
                share.partition,
                share.placed.base + static_cast<std::int64_t>(i),
                share.placed.timestamp_ns / 1'000'000,
                row.leader,
                row.epoch,
                waited.failures[s]};
        answer.partial = answer.partial || waited.failures[s];
    }
    return answer;
}

}  // namespace

std::optional<error> engine_impl::check_records(const topic_state& topic, const produce_request& request) const
{
    if (topics::is_internal(topic.row.name))
        return error{errc::internal_topic, "topics whose name starts with \"__\" are written by the server only"};
    if (auto refused = write_refusal(topic)) return refused;
    if (request.partition && (request.partition->value() < 0 || request.partition->value() >= topic.row.partition_count))
        return error{errc::partition_not_found,
                     "the topic has partitions 0 to " + std::to_string(topic.row.partition_count - 1)};
    if (request.records.empty()) return base::invalid("/records", "at least one record is needed");
    const auto limit = static_cast<std::size_t>(topic.config.max_record_bytes);
    for (std::size_t i = 0; i < request.records.size(); ++i) {
        if (request.records.body(i).size() <= limit) continue;
        error e{errc::record_too_large, "a record of this topic may have up to " + std::to_string(limit) + " bytes"};
        e.fields.push_back({"/records/" + std::to_string(i), e.detail});
        e.expected = topic.config.max_record_bytes;
        e.actual = static_cast<std::int64_t>(request.records.body(i).size());
        return e;
    }
    return std::nullopt;
}

// By partition: the request's own, by the hash of the key, or round robin, record by record.
std::vector<engine_impl::share> engine_impl::route(topic_state& topic, const produce_request& request)
{
    std::vector<share> shares;
    if (request.partition || topic.row.partition_count == 1) {
        const partition_index only = request.partition.value_or(partition_index{0});
        shares.push_back({topic.partitions[static_cast<std::size_t>(only.value())], only, {}, {}});
        return shares;
    }
    std::vector<std::int32_t> share_of(topic.partitions.size(), -1);
    for (std::uint32_t i = 0; i < request.records.size(); ++i) {
        const auto key = request.records.key(i);
        const partition_index to =
            key ? topics::route_key(*key, topic.row.partition_count) : topic.unkeyed.next(topic.row.partition_count);
        auto& index = share_of[static_cast<std::size_t>(to.value())];
        if (index < 0) {
            index = static_cast<std::int32_t>(shares.size());
            shares.push_back({topic.partitions[static_cast<std::size_t>(to.value())], to, {}, {}});
        }
        shares[static_cast<std::size_t>(index)].selection.push_back(i);
    }
    return shares;
}

// Everything that can be refused is refused here, before the first append.
std::optional<error> engine_impl::check_shares(const topic_state& topic, const produce_request& request,
                                               const std::vector<share>& shares) const
{
    std::uint64_t bytes = 0;
    for (const share& each : shares) {
        const auto& log = *each.to->log;
        if (auto refused = log.write_refusal()) return refused;
        if (static_cast<std::int64_t>(log.row().active.size()) < topic.config.min_active_replicas)
            return error{errc::not_enough_replicas, "fewer replicas are active than min_active_replicas asks for"};
        const std::size_t size = storage::batch_bytes_upper_bound(request.records, each.selection);
        if (size > options_.batch_bytes_max)
            return error{errc::batch_too_large, "the records of one request for one partition may have up to " +
                                                    std::to_string(options_.batch_bytes_max) + " bytes"};
        bytes += size;
        if (request.expected_offset && *request.expected_offset != log.end()) {
            error e{errc::offset_mismatch, "the partition's next offset is not the expected one"};
            e.expected = request.expected_offset->value();
            e.actual = log.end().value();
            return e;
        }
    }
    return pending_refusal(bytes);
}

std::optional<error> engine_impl::pending_refusal(std::uint64_t bytes) const
{
    if (undecided_bytes_ + bytes <= options_.pending_bytes_max) return std::nullopt;
    return error{errc::overloaded, "too many bytes are waiting to become durable"};
}

result<topics::partition::accepted> engine_impl::append(const std::shared_ptr<partition_state>& to,
                                                        const storage::record_set& records,
                                                        std::span<const std::uint32_t> selection, std::uint16_t attributes,
                                                        cluster::write_decided decided)
{
    const std::size_t bytes = storage::batch_bytes_upper_bound(records, selection);
    to->last_append = clock_.monotonic();
    to->checkpoint_due = true;
    auto placed = to->log->append(records, selection, clock_.wall_ns(), attributes,
                                  [this, bytes, decided = std::move(decided)](const result<void>& outcome) {
                                      undecided_bytes_ -= bytes;
                                      decided(outcome);
                                  });
    if (placed) undecided_bytes_ += bytes;  // the decision always comes later
    return placed;
}

awaitable<result<produce_result>> engine_impl::produce(produce_request request)
{
    if (auto refused = write_refusal()) co_return *refused;
    auto topic = find_topic(request.topic);
    if (!topic) co_return topic.error();
    if (auto refused = check_records(**topic, request)) co_return *refused;
    auto shares = route(**topic, request);
    if (auto refused = check_shares(**topic, request, shares)) co_return *refused;

    const auto waited = std::make_shared<produce_wait>(deadlines_, shares.size());
    for (std::size_t i = 0; i < shares.size(); ++i) {
        auto placed = append(shares[i].to, request.records, shares[i].selection, 0,
                             [waited, i](const result<void>& outcome) { waited->decide(i, outcome); });
        if (placed)
            shares[i].placed = *placed;
        else
            waited->decide(i, placed.error());
    }
    const wake reason = co_await waited->wait(clock_.monotonic() + options_.write_timeout, false);
    if (reason != wake::notified) {
        error e{errc::outcome_unknown, "the records were not durable within the time limit; they may become so"};
        e.outcome_unknown = true;
        co_return e;
    }
    auto done = answer(request.records.size(), shares, *waited);
    const bool all_failed =
        std::all_of(done.results.begin(), done.results.end(), [](const auto& each) { return each.failure; });
    if (!all_failed) co_return done;
    error e = *done.results.front().failure;
    for (const auto& each : done.results) e.outcome_unknown = e.outcome_unknown || each.failure->outcome_unknown;
    co_return e;
}

}  // namespace pystream::engine
