#include "core/base/ids.hpp"

namespace pystream::base {
namespace {

int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

}  // namespace

result<topic_id> topic_id::from_hex(std::string_view text)
{
    std::array<unsigned char, size_bytes> bytes{};
    if (text.size() != 2 * size_bytes) return error{errc::invalid_field, "a topic id is 32 lower-case hex digits"};
    for (std::size_t i = 0; i < size_bytes; ++i) {
        const int high = hex_digit(text[2 * i]);
        const int low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0) return error{errc::invalid_field, "a topic id is 32 lower-case hex digits"};
        bytes[i] = static_cast<unsigned char>(high * 16 + low);
    }
    return topic_id{bytes};
}

std::string topic_id::to_hex() const
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * size_bytes);
    for (const unsigned char byte : bytes_) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

}  // namespace pystream::base
