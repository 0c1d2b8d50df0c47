#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/ids.hpp"

// Committed offsets of one partition of the internal topic, as a pure machine: requests in, decisions and records out. Whoever
// owns it writes the records through the replicated log and tells the outcome. No I/O, no clock.

namespace pystream::groups {

struct offset_key {
    std::string group;
    base::topic_id topic;
    base::partition_index partition;
    friend auto operator<=>(const offset_key&, const offset_key&) = default;
};

struct committed {
    base::offset offset;  // the next one to read
    std::optional<std::string> metadata;
    std::int64_t committed_ms = 0;  // since 1970
    friend bool operator==(const committed&, const committed&) = default;
};

// One line of a commit request. `high_watermark` is the partition's when the request was checked.
struct commit_entry {
    base::topic_id topic;
    base::partition_index partition;
    base::offset offset;
    std::optional<std::string> metadata;
    base::offset high_watermark;
};

// Key and value as they stand in the internal topic (docs/groups.md); no value = tombstone.
struct offset_record {
    std::string key;
    std::optional<std::string> value;
};

class committed_offsets {
public:
    // Checks all entries against the durable and the pending ones and stages them. Errors name the entry
    // (/offsets/3/offset): invalid_field (negative, past the high watermark, the same partition twice), offset_regression with
    // expected (the stored offset) and actual, unless `reset`. On an error nothing is staged. The records are to be
    // written as one batch, in the order of prepare_*(); `ticket` then goes to applied() or failed().
    struct prepared {
        std::uint64_t ticket = 0;
        std::vector<offset_record> records;
    };
    base::result<prepared> prepare_commit(const std::string& group, const std::vector<commit_entry>& entries, bool reset,
                                          std::int64_t now_ms);
    // Tombstones for everything of a group; group_not_found when there is nothing, durable or pending.
    base::result<prepared> prepare_delete(const std::string& group);
    // Durable on all active replicas: visible from now on. Tickets come in the order of prepare_*(), those that failed left out.
    void applied(std::uint64_t ticket);
    // Surely not written: as if it had never been asked for. In any order. What was accepted behind it on the strength of it (a commit
    // below the stored offset after its reset) keeps its own ticket: a log that loses a batch loses those behind it, too.
    void failed(std::uint64_t ticket);

    // Start-up: a record read back from the log, in log order. Error: corrupt_record with the reason in `internal`.
    base::result<void> replay(std::string_view key, std::optional<std::string_view> value);

    // The topic is no more: nothing of it is kept. Its records in the log mean nothing, since ids never come back.
    void forget_topic(const base::topic_id& topic);
    void forget_topics_unless(const std::function<bool(const base::topic_id&)>& exists);

    // Durable state only.
    std::size_t size() const noexcept { return size_; }
    std::optional<committed> find(const offset_key& key) const;
    std::vector<std::pair<offset_key, committed>> of_group(std::string_view group) const;
    std::vector<std::string> group_names() const;
    bool has_group(std::string_view group) const;

private:
    using place = std::pair<base::topic_id, base::partition_index>;
    using change = std::optional<committed>;  // nullopt: removed

    base::result<void> check(const std::string& group, const std::vector<commit_entry>& entries, bool reset) const;
    std::optional<committed> latest(const offset_key& key) const;  // pending ones first
    prepared stage(std::vector<std::pair<offset_key, change>> changes);
    std::vector<std::pair<offset_key, change>> unstage(std::uint64_t ticket);
    void store(const offset_key& key, change value);

    std::map<std::string, std::map<place, committed>, std::less<>> durable_;  // no empty groups
    std::size_t size_ = 0;                                                    // entries in durable_
    std::map<offset_key, std::map<std::uint64_t, change>> pending_;           // by ticket; no empty ones
    std::map<std::uint64_t, std::vector<offset_key>> tickets_;                // not yet told
    std::uint64_t next_ticket_ = 1;
};

// The partition of the internal topic in which a group lives: the routing hash over its name, for ever the same count.
inline constexpr std::int32_t offsets_partition_count = 16;
inline constexpr std::string_view offsets_topic_name = "__offsets";

}  // namespace pystream::groups
