#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Records on their way in: the form the API builds and the log encodes.

namespace pystream::storage {

// How the value came in, so that it goes out the same way. The payload is opaque bytes all the same.
enum class value_kind : std::uint8_t { bytes = 0, text = 1, json = 2 };

struct header_view {
    std::string_view name;
    std::string_view value;
};

// A record as the caller has it. No key and an empty key differ; no value with a key is a tombstone.
struct record_view {
    std::optional<std::string_view> key{};
    bool key_is_text = true;  // false: bytes (key_base64)
    std::optional<std::string_view> value{};
    value_kind kind = value_kind::bytes;
    std::span<const header_view> headers{};
};

// Per-record attributes byte (docs/formats.md): bits 0-1 value_kind, bit 2 the key is text.
struct record_attributes {
    static constexpr std::uint8_t kind_mask = 0x03;
    static constexpr std::uint8_t key_is_text = 0x04;
};

// An ordered set of records, each already in its encoded form except for the two deltas that only the log knows.
// Owns all bytes; views are valid until the next add.
class record_set {
public:
    void add(const record_view& record);
    void clear() noexcept;
    void reserve(std::size_t records, std::size_t bytes);

    bool empty() const noexcept { return records_.empty(); }
    std::size_t size() const noexcept { return records_.size(); }
    std::optional<std::string_view> key(std::size_t index) const noexcept;
    std::uint8_t attributes(std::size_t index) const noexcept { return records_[index].attributes; }
    // Key, value and headers, encoded (everything behind the deltas).
    std::string_view body(std::size_t index) const noexcept;
    std::size_t body_bytes() const noexcept { return bytes_.size(); }
    std::size_t keyed() const noexcept { return keyed_; }  // records with a key

private:
    struct entry {
        std::size_t begin;
        std::size_t size;
        std::uint32_t key_begin;  // from begin
        std::uint32_t key_size;
        bool has_key;
        std::uint8_t attributes;
    };
    std::vector<entry> records_;
    std::string bytes_;
    std::size_t keyed_ = 0;
};

}  // namespace pystream::storage
