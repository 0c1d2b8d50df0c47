#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace pystream::base {

// An integer that names one kind of thing; two kinds never mix by accident.
template <class Tag, class Rep>
class strong_id {
public:
    using rep = Rep;
    constexpr strong_id() = default;
    constexpr explicit strong_id(Rep value) noexcept : value_(value) {}
    constexpr Rep value() const noexcept { return value_; }
    friend constexpr auto operator<=>(strong_id, strong_id) = default;
    friend std::ostream& operator<<(std::ostream& out, strong_id id) { return out << id.value_; }

private:
    Rep value_{};
};

using partition_index = strong_id<struct partition_index_tag, std::int32_t>;  // 0 ... partition count - 1
using broker_id = strong_id<struct broker_id_tag, std::int32_t>;              // 1, 2, ...
using leader_epoch = strong_id<struct leader_epoch_tag, std::int32_t>;        // starts at 1, only grows

// The position of a record in its partition: 0, 1, 2, ... A bound named `end` is exclusive.
class offset {
public:
    constexpr offset() = default;
    constexpr explicit offset(std::int64_t value) noexcept : value_(value) {}
    constexpr std::int64_t value() const noexcept { return value_; }
    friend constexpr auto operator<=>(offset, offset) = default;
    friend constexpr offset operator+(offset at, std::int64_t count) noexcept { return offset{at.value_ + count}; }
    friend constexpr std::int64_t operator-(offset to, offset from) noexcept { return to.value_ - from.value_; }
    friend std::ostream& operator<<(std::ostream& out, offset at) { return out << at.value_; }

private:
    std::int64_t value_{};
};

// Offsets, counts and sizes that JSON clients read as a double must stay exact (2^53 - 1).
inline constexpr std::int64_t json_integer_max = 9007199254740991;

// 128 random bits, written as 32 lower-case hex digits. A re-created topic gets a new one, so it never inherits anything.
class topic_id {
public:
    static constexpr std::size_t size_bytes = 16;
    constexpr topic_id() = default;
    constexpr explicit topic_id(std::array<unsigned char, size_bytes> bytes) noexcept : bytes_(bytes) {}
    static result<topic_id> from_hex(std::string_view text);
    std::string to_hex() const;
    constexpr const std::array<unsigned char, size_bytes>& bytes() const noexcept { return bytes_; }
    friend constexpr auto operator<=>(const topic_id&, const topic_id&) = default;
    friend std::ostream& operator<<(std::ostream& out, const topic_id& id) { return out << id.to_hex(); }

private:
    std::array<unsigned char, size_bytes> bytes_{};
};

}  // namespace pystream::base

template <class Tag, class Rep>
struct std::hash<pystream::base::strong_id<Tag, Rep>> {
    std::size_t operator()(pystream::base::strong_id<Tag, Rep> id) const noexcept { return std::hash<Rep>{}(id.value()); }
};
