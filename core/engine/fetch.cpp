#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "core/engine/await.hpp"
#include "core/engine/engine_impl.hpp"

namespace pystream::engine {
namespace {

error out_of_range(const cluster::replicated_partition& log, offset asked)
{
    error e{errc::offset_out_of_range, "the partition has offsets from " + std::to_string(log.start().value()) + " to " +
                                           std::to_string(log.high_watermark().value())};
    e.earliest = log.start().value();
    e.latest = log.high_watermark().value();
    e.offset = asked.value();
    return e;
}

error corrupt(const storage::damage& damaged)
{
    error e{errc::corrupt_record,
            "offsets " + std::to_string(damaged.from.value()) + " to " + std::to_string(damaged.end - offset{1}) +
                " are damaged on the disk; reading goes on at " + std::to_string(damaged.end.value()),
            damaged.path + " at " + std::to_string(damaged.position) + ": " + damaged.reason};
    e.offset = damaged.from.value();
    e.expected = damaged.end.value();
    return e;
}

}  // namespace

// An offset stands for itself, everything else is looked up now.
awaitable<result<offset>> engine_impl::resolve(std::shared_ptr<partition_state> from, fetch_position position)
{
    const auto& log = *from->log;
    switch (position.from) {
    case fetch_position::kind::at: co_return position.at;
    case fetch_position::kind::earliest: co_return log.start();
    case fetch_position::kind::latest: co_return log.high_watermark();
    case fetch_position::kind::timestamp: break;
    }
    const offset limit = log.high_watermark();
    if (limit <= log.start()) co_return limit;
    constexpr std::int64_t ms_max = std::numeric_limits<std::int64_t>::max() / 1'000'000;
    if (position.timestamp_ms > ms_max) co_return limit;
    // Records show whole milliseconds, so the first one that shows this millisecond or a later one is wanted.
    const std::int64_t timestamp_ns = position.timestamp_ms * 1'000'000;
    auto found = co_await await_callback<result<std::optional<offset>>>(
        [from, timestamp_ns, limit](auto done) { from->log->leader()->find_time(timestamp_ns, limit, std::move(done)); });
    if (!found) co_return found.error();
    co_return found->value_or(limit);
}

// Whole batches below the high watermark, from memory where they are recent, else from the disk.
awaitable<result<engine_impl::held_runs>> engine_impl::read(std::shared_ptr<partition_state> from, offset at,
                                                            std::uint64_t bytes_max)
{
    const offset limit = from->log->high_watermark();
    held_runs found{from->log->tail().read(at, limit, bytes_max), nullptr};
    const bool hot = !found.runs.empty();
    std::uint64_t bytes = std::min(bytes_max, from->log->leader()->size_bytes());
    if (hot) {
        bytes = 0;
        for (const auto& run : found.runs) bytes += run.bytes.size();
    }
    found.hold = read_budget_.try_hold(bytes);
    if (!found.hold) co_return error{errc::overloaded, "too many bytes are being read"};
    if (hot) {
        counters_.fetches_hot += 1;
        co_return found;
    }
    auto outcome = co_await await_callback<result<storage::read_outcome>>(
        [from, at, limit, bytes_max](auto done) { from->log->leader()->read(at, limit, bytes_max, std::move(done)); });
    if (!outcome) co_return outcome.error();
    counters_.fetches_cold += 1;
    counters_.bytes_read_cold += outcome->bytes_read;
    if (outcome->runs.empty() && outcome->damaged) {
        counters_.damages += 1;
        co_return corrupt(*outcome->damaged);
    }
    found.runs = std::move(outcome->runs);
    co_return found;
}

awaitable<wake> engine_impl::wait_for_records(std::shared_ptr<partition_state> from, offset at, monotonic_time deadline)
{
    const auto place = from->readers.insert(from->readers.end(), {at, std::make_shared<waiter>(deadlines_)});
    const wake reason = co_await place->wait->wait(deadline, true);
    from->readers.erase(place);
    co_return reason;
}

awaitable<result<fetch_result>> engine_impl::fetch(fetch_request request)
{
    if (auto refused = read_refusal()) co_return *refused;
    auto found = find_partition(request.topic, request.partition);
    if (!found) co_return found.error();
    const std::shared_ptr<partition_state> from = *found;
    if (auto refused = from->log->read_refusal()) co_return *refused;
    const monotonic_time deadline = clock_.monotonic() + std::chrono::milliseconds{request.wait_ms};
    auto resolved = co_await resolve(from, request.position);
    if (!resolved) co_return resolved.error();
    const offset at = *resolved;

    bool waiting = request.wait_ms > 0;
    while (true) {
        const auto& log = *from->log;
        if (at < log.start() || (at > log.end() && !request.wait_past_end)) co_return out_of_range(log, at);
        if (at < log.high_watermark() || !waiting) break;
        if (draining_) break;
        if (counters_.waiting_readers >= options_.waiting_readers_max)
            co_return error{errc::overloaded, "too many readers are waiting"};
        counters_.waiting_readers += 1;
        const wake reason = co_await wait_for_records(from, at, deadline);
        counters_.waiting_readers -= 1;
        if (reason == wake::canceled) co_return error{errc::canceled, "the client went away"};
        if (auto still = find_partition(request.topic, request.partition); !still || *still != from)
            co_return error{errc::topic_not_found, "the topic was deleted"};
        waiting = reason == wake::notified;
    }
    fetch_result answer{request.partition, at, {}, from->log->start(), from->log->high_watermark(), nullptr};
    if (at < answer.high_watermark) {
        auto found_runs = co_await read(from, at, request.bytes_max);
        if (!found_runs) co_return found_runs.error();
        answer.runs = std::move(found_runs->runs);
        answer.held = std::move(found_runs->hold);
    }
    co_return answer;
}

awaitable<result<offset_lookup>> engine_impl::find_offset(std::string topic, partition_index partition, fetch_position position)
{
    if (auto refused = read_refusal()) co_return *refused;
    auto from = find_partition(topic, partition);
    if (!from) co_return from.error();
    if (auto refused = (*from)->log->read_refusal()) co_return *refused;
    auto at = co_await resolve(*from, position);
    if (!at) co_return at.error();
    offset_lookup answer{*at, std::nullopt};
    if (position.from != fetch_position::kind::timestamp || *at >= (*from)->log->high_watermark()) co_return answer;
    auto found = co_await read(*from, *at, 1);
    if (!found) co_return found.error();
    storage::record_cursor cursor(found->runs.front().bytes);
    storage::decoded_record record;
    for (auto more = cursor.next(record); more && *more; more = cursor.next(record))
        if (record.offset >= *at) {
            answer.timestamp_ms = record.timestamp_ns / 1'000'000;
            break;
        }
    co_return answer;
}

}  // namespace pystream::engine
