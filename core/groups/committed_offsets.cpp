#include "core/groups/committed_offsets.hpp"

#include <set>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/groups/offset_records.hpp"

namespace pystream::groups {
namespace {

namespace limits = base::limits;
using base::errc;
using base::error;

std::string pointer(std::size_t entry, std::string_view field)
{
    return "/offsets/" + std::to_string(entry) + "/" + std::string{field};
}

error regression(std::size_t entry, base::offset stored, base::offset wanted)
{
    const std::string detail = "offset " + std::to_string(wanted.value()) + " is below the committed offset " +
                               std::to_string(stored.value()) + "; only a commit with \"reset\": true goes back";
    error e{errc::offset_regression, detail};
    e.fields.push_back({pointer(entry, "offset"), detail});
    e.expected = stored.value();
    e.actual = wanted.value();
    return e;
}

base::result<void> check_entry(std::size_t index, const commit_entry& entry)
{
    if (entry.offset.value() < 0) return base::invalid(pointer(index, "offset"), "an offset is 0 or more");
    if (entry.offset > entry.high_watermark)
        return base::invalid(pointer(index, "offset"), "the next offset to read is at most the high watermark, " +
                                                           std::to_string(entry.high_watermark.value()));
    if (entry.metadata && entry.metadata->size() > limits::commit_metadata_bytes_max)
        return base::invalid(pointer(index, "metadata"),
                             "metadata is at most " + std::to_string(limits::commit_metadata_bytes_max) + " bytes");
    return {};
}

}  // namespace

base::result<void> committed_offsets::check(const std::string& group, const std::vector<commit_entry>& entries,
                                            bool reset) const
{
    if (entries.empty() || entries.size() > limits::commits_per_request_max)
        return base::invalid("/offsets", "a commit has 1 to " + std::to_string(limits::commits_per_request_max) + " offsets");
    std::set<place> seen;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const commit_entry& entry = entries[i];
        if (auto ok = check_entry(i, entry); !ok) return ok;
        if (!seen.emplace(entry.topic, entry.partition).second)
            return base::invalid(pointer(i, "partition"), "the same partition stands twice in one commit");
        const auto stored = reset ? std::nullopt : latest({group, entry.topic, entry.partition});
        if (stored && entry.offset < stored->offset) return regression(i, stored->offset, entry.offset);
    }
    return {};
}

base::result<committed_offsets::prepared> committed_offsets::prepare_commit(const std::string& group,
                                                                            const std::vector<commit_entry>& entries,
                                                                            bool reset, std::int64_t now_ms)
{
    if (auto ok = check(group, entries, reset); !ok) return ok.error();
    std::vector<std::pair<offset_key, change>> changes;
    changes.reserve(entries.size());
    for (const commit_entry& entry : entries)
        changes.emplace_back(offset_key{group, entry.topic, entry.partition}, committed{entry.offset, entry.metadata, now_ms});
    return stage(std::move(changes));
}

base::result<committed_offsets::prepared> committed_offsets::prepare_delete(const std::string& group)
{
    // Keys that a pending delete covers already are taken again: that one may fail.
    std::set<offset_key> keys;
    if (const auto found = durable_.find(group); found != durable_.end())
        for (const auto& [at, value] : found->second) keys.insert({group, at.first, at.second});
    for (auto at = pending_.lower_bound({group, {}, {}}); at != pending_.end() && at->first.group == group; ++at)
        keys.insert(at->first);
    if (keys.empty()) return error{errc::group_not_found, "the group has no committed offsets"};
    std::vector<std::pair<offset_key, change>> changes;
    changes.reserve(keys.size());
    for (const offset_key& key : keys) changes.emplace_back(key, std::nullopt);
    return stage(std::move(changes));
}

committed_offsets::prepared committed_offsets::stage(std::vector<std::pair<offset_key, change>> changes)
{
    prepared out{next_ticket_++, {}};
    out.records.reserve(changes.size());
    std::vector<offset_key>& keys = tickets_[out.ticket];
    keys.reserve(changes.size());
    for (auto& [key, value] : changes) {
        out.records.push_back({encode_key(key), value ? std::optional{encode_value(*value)} : std::nullopt});
        pending_[key].emplace(out.ticket, std::move(value));
        keys.push_back(std::move(key));
    }
    return out;
}

std::vector<std::pair<offset_key, committed_offsets::change>> committed_offsets::unstage(std::uint64_t ticket)
{
    const auto keys = tickets_.extract(ticket);
    PYSTREAM_ASSERT(!keys.empty());  // told once, and only what was prepared
    std::vector<std::pair<offset_key, change>> out;
    out.reserve(keys.mapped().size());
    for (const offset_key& key : keys.mapped()) {
        const auto waiting = pending_.find(key);
        out.emplace_back(key, std::move(waiting->second.extract(ticket).mapped()));
        if (waiting->second.empty()) pending_.erase(waiting);
    }
    return out;
}

void committed_offsets::applied(std::uint64_t ticket)
{
    PYSTREAM_ASSERT(!tickets_.empty() && tickets_.begin()->first == ticket);  // out of order, progress would move by itself
    for (auto& [key, value] : unstage(ticket)) store(key, std::move(value));
}

void committed_offsets::failed(std::uint64_t ticket)
{
    unstage(ticket);
}

void committed_offsets::store(const offset_key& key, change value)
{
    const place at{key.topic, key.partition};
    if (value) {
        size_ += durable_[key.group].insert_or_assign(at, std::move(*value)).second ? 1 : 0;
        return;
    }
    const auto group = durable_.find(key.group);
    if (group == durable_.end()) return;
    size_ -= group->second.erase(at);
    if (group->second.empty()) durable_.erase(group);
}

void committed_offsets::forget_topic(const base::topic_id& topic)
{
    forget_topics_unless([&topic](const base::topic_id& id) { return id != topic; });
}

void committed_offsets::forget_topics_unless(const std::function<bool(const base::topic_id&)>& exists)
{
    for (auto group = durable_.begin(); group != durable_.end();) {
        size_ -= std::erase_if(group->second, [&](const auto& each) { return !exists(each.first.first); });
        group = group->second.empty() ? durable_.erase(group) : std::next(group);
    }
}

base::result<void> committed_offsets::replay(std::string_view key, std::optional<std::string_view> value)
{
    const auto at = decode_key(key);
    if (!at) return at.error();
    if (!value) {
        store(*at, std::nullopt);
        return {};
    }
    auto decoded = decode_value(*value);
    if (!decoded) return decoded.error();
    store(*at, std::move(*decoded));
    return {};
}

std::optional<committed> committed_offsets::latest(const offset_key& key) const
{
    const auto waiting = pending_.find(key);
    return waiting != pending_.end() ? waiting->second.rbegin()->second : find(key);
}

std::optional<committed> committed_offsets::find(const offset_key& key) const
{
    const auto group = durable_.find(key.group);
    if (group == durable_.end()) return std::nullopt;
    const auto at = group->second.find({key.topic, key.partition});
    return at == group->second.end() ? std::nullopt : std::optional{at->second};
}

std::vector<std::pair<offset_key, committed>> committed_offsets::of_group(std::string_view group) const
{
    std::vector<std::pair<offset_key, committed>> out;
    if (const auto found = durable_.find(group); found != durable_.end())
        for (const auto& [at, value] : found->second) out.emplace_back(offset_key{found->first, at.first, at.second}, value);
    return out;
}

std::vector<std::string> committed_offsets::group_names() const
{
    std::vector<std::string> out;
    out.reserve(durable_.size());
    for (const auto& [name, offsets] : durable_) out.push_back(name);
    return out;
}

bool committed_offsets::has_group(std::string_view group) const
{
    return durable_.contains(group);
}

}  // namespace pystream::groups
