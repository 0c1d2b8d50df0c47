#include "core/topics/topic_config.hpp"

#include <algorithm>

#include "core/base/limits.hpp"

namespace pystream::topics {
namespace {

namespace limits = base::limits;

// A hundred years: as nanoseconds it still fits in 64 bits.
constexpr std::int64_t duration_ms_max = 100LL * 365 * 24 * 60 * 60 * 1000;

constexpr std::array integer_keys{
    config_key{"segment_bytes", &topic_config::segment_bytes, &effective_config::segment_bytes,
               static_cast<std::int64_t>(limits::segment_bytes_min), static_cast<std::int64_t>(limits::segment_bytes_max),
               "a new segment file is begun before one would grow beyond this many bytes"},
    config_key{"segment_ms", &topic_config::segment_ms, &effective_config::segment_ms, 0, duration_ms_max,
               "a new segment file is begun when the first record of the newest one is older; 0 = never"},
    config_key{"max_record_bytes", &topic_config::max_record_bytes, &effective_config::max_record_bytes, 1,
               static_cast<std::int64_t>(limits::batch_bytes_max), "a larger record is refused"},
    config_key{"min_active_replicas", &topic_config::min_active_replicas, &effective_config::min_active_replicas, 1,
               limits::brokers_max, "with fewer active replicas, writes are refused"},
};

constexpr std::array<std::string_view, 7> unavailable_keys{
    "retention_ms", "retention_bytes", "cleanup_policy", "tombstone_ms", "compression", "on_follower_failure", "durability",
};

// One more step of a JSON pointer (RFC 6901 section 3).
std::string child_pointer(std::string_view pointer, std::string_view name)
{
    std::string out{pointer};
    out += '/';
    for (const char c : name) {
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    }
    return out;
}

base::error unknown_key(std::string pointer)
{
    std::string detail = "there is no such topic setting; known:";
    for (const config_key& key : integer_keys) detail.append(" ").append(key.name);
    base::error e{base::errc::unknown_field, detail};
    e.fields.push_back({std::move(pointer), std::move(detail)});
    return e;
}

}  // namespace

std::span<const config_key> config_keys() noexcept
{
    return integer_keys;
}

std::span<const std::string_view> unavailable_config_keys() noexcept
{
    return unavailable_keys;
}

effective_config resolve(const topic_config& own, const effective_config& defaults) noexcept
{
    effective_config result = defaults;
    for (const config_key& key : integer_keys) result.*key.effective = (own.*key.member).value_or(defaults.*key.effective);
    return result;
}

base::result<void> set_config(topic_config& config, std::string_view key, std::optional<std::int64_t> value,
                              std::string_view pointer)
{
    const auto found =
        std::find_if(integer_keys.begin(), integer_keys.end(), [&](const config_key& k) { return k.name == key; });
    if (found == integer_keys.end()) {
        if (std::find(unavailable_keys.begin(), unavailable_keys.end(), key) == unavailable_keys.end())
            return unknown_key(child_pointer(pointer, key));
        return base::invalid(child_pointer(pointer, key), std::string{key} + " cannot be set in this version");
    }
    if (value && (*value < found->min || *value > found->max))
        return base::invalid(child_pointer(pointer, key), std::string{key} + " must be from " + std::to_string(found->min) +
                                                              " to " + std::to_string(found->max));
    config.*found->member = value;
    return {};
}

}  // namespace pystream::topics
