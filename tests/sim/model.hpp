#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pystream::sim {

// What clients know: what they asked for, what was answered, what they saw. A value: a crash point takes a copy of it.

enum class fate : std::uint8_t {
    open,     // no answer yet, or an unknown outcome: whole or not at all
    refused,  // outcome none: it must leave nothing
    stored,
};

struct record_id {
    std::uint32_t request = 0;
    std::uint32_t index = 0;
    friend auto operator<=>(const record_id&, const record_id&) = default;
};

struct produced {
    std::string topic;  // its name; `born` tells which of that name
    std::uint32_t born = 0;
    int partition = 0;
    std::uint32_t records = 0;
    std::uint32_t value_bytes = 0;
    fate state = fate::open;
    std::int64_t base = -1;
};

struct topic_model {
    std::uint32_t born = 0;  // counts creations
    int partitions = 0;
    std::optional<std::string> id;               // known once it was seen
    bool exists = false;                         // acknowledged, or seen after a start
    bool may_appear = false;                     // a creation without a sure answer
    bool may_vanish = false;                     // a deletion without a sure answer
    int may_grow_to = 0;                         // an enlargement without a sure answer
    int appears_with = 0;                        // partitions, if it does
    std::map<int, std::vector<record_id>> seen;  // by readers
};

using positions = std::map<std::pair<std::string, int>, std::int64_t>;  // by topic id and partition

struct group_model {
    std::vector<positions> possible{{}};  // more than one after commits without a sure answer
    std::optional<positions> open;        // asked for, not answered
};

struct model {
    std::vector<produced> requests;
    std::map<std::string, topic_model> topics;
    std::map<std::string, group_model> groups;
    std::uint32_t births = 0;
};

inline std::string value_of(record_id id, std::uint32_t bytes)
{
    std::string value = std::to_string(id.request) + "/" + std::to_string(id.index) + "/";
    for (std::uint32_t i = 0; value.size() < bytes; ++i)
        value += static_cast<char>('a' + (id.request * 7 + id.index * 3 + i) % 26);
    return value;
}

inline positions with(positions from, const positions& changes)
{
    for (const auto& [where, at] : changes) from[where] = at;
    return from;
}

}  // namespace pystream::sim
