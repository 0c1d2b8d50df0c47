#include "core/storage/batch_scanner.hpp"

#include <algorithm>

#include "core/base/limits.hpp"

namespace pystream::storage {
namespace {

constexpr std::size_t piece_bytes = base::limits::mebibyte;

}  // namespace

base::result<std::optional<scanned_batch>> batch_scanner::next()
{
    if (at_.position >= end_ || !fault_.empty()) return std::optional<scanned_batch>{};
    auto bytes = peek(batch_layout::header_bytes);
    if (!bytes) return bytes.error();
    auto header = decode_header(*bytes);
    if (header && header->length_bytes > bytes->size()) {
        bytes = peek(header->length_bytes);
        if (!bytes) return bytes.error();
    }
    if (header) header = verify_batch(*bytes);
    if (!header) {
        fault_ = header.error().internal;
        return std::optional<scanned_batch>{};
    }
    if (header->base_offset != at_.offset) {
        fault_ = "offset " + std::to_string(header->base_offset.value()) + " stands where " +
                 std::to_string(at_.offset.value()) + " is due";
        return std::optional<scanned_batch>{};
    }
    const scanned_batch batch{at_.position, *header, bytes->substr(0, header->length_bytes)};
    at_ = {at_.position + header->length_bytes, header->end()};
    return std::optional{batch};
}

base::result<std::string_view> batch_scanner::peek(std::size_t bytes)
{
    const std::uint64_t left = end_ - at_.position;
    bytes = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, left));
    const std::uint64_t buffer_end = buffer_position_ + buffer_.size();
    if (at_.position < buffer_position_ || at_.position + bytes > buffer_end) {
        buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(std::max(bytes, piece_bytes), left)));
        const auto count = file_->read_at(at_.position, buffer_);
        if (!count) return count.error();
        buffer_.resize(*count);
        buffer_position_ = at_.position;
        bytes_read_ += *count;
    }
    return std::string_view{buffer_}.substr(static_cast<std::size_t>(at_.position - buffer_position_));
}

}  // namespace pystream::storage
