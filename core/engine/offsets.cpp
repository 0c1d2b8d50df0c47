#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "core/base/limits.hpp"
#include "core/engine/engine_impl.hpp"

namespace pystream::engine {

std::size_t engine_impl::offsets_index(std::string_view group)
{
    return static_cast<std::size_t>(topics::route_key(group, groups::offsets_partition_count).value());
}

committed_line engine_impl::line_of(const topic_state& topic, partition_index partition,
                                    const std::optional<groups::committed>& value) const
{
    const auto& log = *topic.partitions[static_cast<std::size_t>(partition.value())]->log;
    committed_line line{topic.row.name, partition, {}, {}, {}, log.start(), log.high_watermark(), 0};
    offset next = line.start;
    if (value) {
        line.at = value->offset;
        line.metadata = value->metadata;
        line.committed_ms = value->committed_ms;
        next = std::max(next, value->offset);
    }
    line.lag = std::max<std::int64_t>(0, line.end - next);
    return line;
}

// Not served rather than served from half a log: what was committed and cannot be read must not look like "never committed".
std::optional<error> engine_impl::offsets_refusal(std::string_view group) const
{
    const auto problem = offsets_problems_.find(offsets_index(group));
    if (problem != offsets_problems_.end())
        return error{errc::partition_unavailable, "the committed offsets of this group cannot be read",
                     problem->second.internal};
    if (!topics_.contains(groups::offsets_topic_name))
        return error{errc::partition_unavailable, "the topic of committed offsets is not available"};
    return std::nullopt;
}

result<void> engine_impl::replay_run(groups::committed_offsets& machine, const storage::batch_run& run)
{
    std::string_view rest = run.bytes;
    while (!rest.empty()) {
        const auto header = storage::decode_header(rest);
        if (!header) return header.error();
        storage::record_cursor cursor(rest);
        storage::decoded_record record;
        while (true) {
            const auto more = cursor.next(record);
            if (!more) return more.error();
            if (!*more) break;
            if (!record.key) return error{errc::corrupt_record, "a committed offset has no key"};
            if (auto replayed = machine.replay(*record.key, record.value); !replayed) return replayed;
        }
        rest.remove_prefix(header->length_bytes);
    }
    return {};
}

std::optional<error> engine_impl::offsets_batch_refusal(const storage::record_set& records) const
{
    const std::size_t bytes = storage::batch_bytes_upper_bound(records);
    if (bytes > base::limits::batch_bytes_max) return error{errc::batch_too_large, "too many committed offsets for one change"};
    return pending_refusal(bytes);
}

// The prepared records as one batch in the group's partition of the internal topic; the machine learns the outcome when it is
// decided, even if the request has stopped waiting by then.
awaitable<result<void>> engine_impl::write_offsets(std::string group, groups::committed_offsets::prepared prepared)
{
    const auto partition = partition_index{static_cast<std::int32_t>(offsets_index(group))};
    auto to = find_partition(groups::offsets_topic_name, partition);
    groups::committed_offsets* machine = &machine_of(group);
    storage::record_set records;
    for (const auto& each : prepared.records) {
        storage::record_view record;
        record.key = each.key;
        record.key_is_text = false;
        if (each.value) record.value = *each.value;
        records.add(record);
    }
    struct wait_state {
        std::shared_ptr<waiter> wait;
        std::optional<result<void>> outcome;
    };
    auto waited = std::make_shared<wait_state>(wait_state{std::make_shared<waiter>(deadlines_), std::nullopt});
    auto decided = [machine, ticket = prepared.ticket, waited](const result<void>& outcome) {
        if (outcome)
            machine->applied(ticket);
        else
            machine->failed(ticket);
        waited->outcome = outcome;
        waited->wait->notify();
    };
    if (!to) {
        decided(to.error());
    } else if (auto refused = offsets_batch_refusal(records)) {
        decided(*refused);
    } else if (auto placed = append(*to, records, {}, storage::batch_attributes::internal, decided); !placed) {
        decided(placed.error());
    }
    const wake reason = co_await waited->wait->wait(clock_.monotonic() + options_.write_timeout, false);
    if (reason != wake::notified) {
        error e{errc::outcome_unknown, "the offsets were not durable within the time limit; they may become so"};
        e.outcome_unknown = true;
        co_return e;
    }
    co_return *waited->outcome;
}

awaitable<result<std::vector<committed_line>>> engine_impl::commit_offsets(commit_request request)
{
    if (auto refused = write_refusal()) co_return *refused;
    if (auto bad = topics::check_name(request.group, "group"); !bad) co_return bad.error();
    if (auto refused = offsets_refusal(request.group)) co_return *refused;
    if (request.offsets.empty()) co_return base::invalid("/offsets", "at least one offset is needed");
    std::vector<groups::commit_entry> entries;
    std::vector<std::pair<std::shared_ptr<topic_state>, std::shared_ptr<partition_state>>> places;
    for (std::size_t i = 0; i < request.offsets.size(); ++i) {
        const auto& line = request.offsets[i];
        auto topic = find_topic(line.topic);
        auto partition = find_partition(line.topic, line.partition);
        if (!topic || !partition) {
            error e = topic ? partition.error() : topic.error();
            e.fields.push_back({"/offsets/" + std::to_string(i) + (topic ? "/partition" : "/topic"), e.detail});
            co_return e;
        }
        if (auto refused = write_refusal(**topic)) co_return *refused;
        entries.push_back({(*topic)->row.id, line.partition, line.at, line.metadata, (*partition)->log->high_watermark()});
        places.emplace_back(*topic, *partition);
    }
    std::size_t kept = entries.size();
    for (const auto& machine : offsets_) kept += machine->size();
    if (kept > base::limits::committed_offsets_max) co_return error{errc::overloaded, "too many committed offsets are kept"};
    const std::int64_t now_ms = clock_.wall_ns() / 1'000'000;
    auto prepared = machine_of(request.group).prepare_commit(request.group, entries, request.reset, now_ms);
    if (!prepared) co_return prepared.error();
    auto written = co_await write_offsets(request.group, std::move(*prepared));
    if (!written) co_return written.error();
    for (const auto& [topic, partition] : places)
        if (!topic_names_.contains(topic->row.id)) machine_of(request.group).forget_topic(topic->row.id);  // deleted meanwhile
    counters_.offset_commits += 1;
    std::vector<committed_line> lines;
    for (std::size_t i = 0; i < entries.size(); ++i)
        lines.push_back(
            line_of(*places[i].first, entries[i].partition, groups::committed{entries[i].offset, entries[i].metadata, now_ms}));
    co_return lines;
}

result<std::vector<committed_line>> engine_impl::committed_offsets(std::string_view group,
                                                                   const std::vector<std::string>& names) const
{
    if (auto refused = read_refusal()) return *refused;
    if (auto bad = topics::check_name(group, "group"); !bad) return bad.error();
    if (auto refused = offsets_refusal(group)) return *refused;
    const auto& machine = machine_of(group);
    std::vector<committed_line> lines;
    for (const auto& name : names) {
        auto topic = find_topic(name);
        if (!topic) return topic.error();
        for (std::int32_t p = 0; p < (*topic)->row.partition_count; ++p)
            lines.push_back(
                line_of(**topic, partition_index{p}, machine.find({std::string{group}, (*topic)->row.id, partition_index{p}})));
    }
    if (!names.empty()) return lines;
    for (const auto& [key, value] : machine.of_group(group)) {
        // What was committed for a topic that has since been deleted belongs to nobody: its id never comes back.
        const auto name = topic_names_.find(key.topic);
        if (name == topic_names_.end()) continue;
        lines.push_back(line_of(*topics_.find(name->second)->second, key.partition, value));
    }
    std::sort(lines.begin(), lines.end(),
              [](const auto& a, const auto& b) { return std::tie(a.topic, a.partition) < std::tie(b.topic, b.partition); });
    return lines;
}

result<std::vector<std::string>> engine_impl::list_groups(std::string_view prefix, std::string_view after,
                                                          std::size_t limit) const
{
    if (auto refused = read_refusal()) return *refused;
    std::set<std::string> names;
    for (const auto& machine : offsets_)
        for (auto& name : machine->group_names())
            if (name.starts_with(prefix) && name > after) names.insert(std::move(name));
    std::vector<std::string> page;
    for (const auto& name : names) {
        if (page.size() == limit) break;
        page.push_back(name);
    }
    return page;
}

bool engine_impl::group_exists(std::string_view group) const
{
    return ready_ && machine_of(group).has_group(group);
}

awaitable<result<void>> engine_impl::delete_group(std::string group)
{
    if (auto refused = write_refusal()) co_return *refused;
    if (auto bad = topics::check_name(group, "group"); !bad) co_return bad.error();
    if (auto refused = offsets_refusal(group)) co_return *refused;
    auto prepared = machine_of(group).prepare_delete(group);
    if (!prepared) co_return prepared.error();
    auto written = co_await write_offsets(group, std::move(*prepared));
    co_return written;
}

}  // namespace pystream::engine
