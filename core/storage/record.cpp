#include "core/storage/record.hpp"

#include "core/base/assert.hpp"
#include "core/base/bytes.hpp"

namespace pystream::storage {
namespace {

void append_sized(std::string& out, std::string_view bytes)
{
    base::append_varint(out, static_cast<std::int64_t>(bytes.size()));
    out.append(bytes);
}

void append_nullable(std::string& out, const std::optional<std::string_view>& bytes)
{
    if (bytes)
        append_sized(out, *bytes);
    else
        base::append_varint(out, -1);
}

}  // namespace

void record_set::add(const record_view& record)
{
    entry added{};
    added.begin = bytes_.size();
    added.has_key = record.key.has_value();
    added.key_size = record.key ? static_cast<std::uint32_t>(record.key->size()) : 0;
    added.attributes = static_cast<std::uint8_t>(static_cast<std::uint8_t>(record.kind) |
                                                 (record.key_is_text ? record_attributes::key_is_text : 0));
    append_nullable(bytes_, record.key);
    added.key_begin = static_cast<std::uint32_t>(bytes_.size() - added.begin) - added.key_size;
    append_nullable(bytes_, record.value);
    base::append_varint(bytes_, static_cast<std::int64_t>(record.headers.size()));
    for (const header_view& header : record.headers) {
        append_sized(bytes_, header.name);
        append_sized(bytes_, header.value);
    }
    added.size = bytes_.size() - added.begin;
    records_.push_back(added);
    keyed_ += added.has_key ? 1 : 0;
}

void record_set::clear() noexcept
{
    records_.clear();
    bytes_.clear();
    keyed_ = 0;
}

void record_set::reserve(std::size_t records, std::size_t bytes)
{
    records_.reserve(records);
    bytes_.reserve(bytes);
}

std::optional<std::string_view> record_set::key(std::size_t index) const noexcept
{
    const entry& record = records_[index];
    if (!record.has_key) return std::nullopt;
    return std::string_view{bytes_}.substr(record.begin + record.key_begin, record.key_size);
}

std::string_view record_set::body(std::size_t index) const noexcept
{
    return std::string_view{bytes_}.substr(records_[index].begin, records_[index].size);
}

}  // namespace pystream::storage
