#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace pystream::topics {

// What a topic may set for itself. Unset = the server's default. Names are those of the API.
struct topic_config {
    std::optional<std::int64_t> segment_bytes;
    std::optional<std::int64_t> segment_ms;
    std::optional<std::int64_t> max_record_bytes;
    std::optional<std::int64_t> min_active_replicas;
    friend bool operator==(const topic_config&, const topic_config&) = default;
};

// The values in force for a topic: its own, else the server's.
struct effective_config {
    std::int64_t segment_bytes = 1LL << 30;
    std::int64_t segment_ms = 0;  // 0: never roll by age
    std::int64_t max_record_bytes = 1 << 20;
    std::int64_t min_active_replicas = 1;
};

effective_config resolve(const topic_config& own, const effective_config& defaults) noexcept;

// One integer key of the table that the API, the metadata file and the documentation share.
struct config_key {
    std::string_view name;
    std::optional<std::int64_t> topic_config::* member;
    std::int64_t effective_config::* effective;
    std::int64_t min;
    std::int64_t max;
    std::string_view help;
};
std::span<const config_key> config_keys() noexcept;

// Keys that design names but this version does not carry out yet; setting one is refused, never ignored.
std::span<const std::string_view> unavailable_config_keys() noexcept;

// Sets one key, or clears it (nullopt). `pointer` prefixes the field in errors: invalid_field with the allowed range,
// unknown_field for a key that does not exist.
base::result<void> set_config(topic_config& config, std::string_view key, std::optional<std::int64_t> value,
                              std::string_view pointer);

}  // namespace pystream::topics
