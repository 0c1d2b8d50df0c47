#include "api/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace pystream::api {
namespace {

bool eight_ascii(const char* at) noexcept
{
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return (word & 0x8080808080808080U) == 0;
}

// The length of the sequence that starts with `lead`, and the range its second byte must be in (RFC 3629 section 4).
struct sequence {
    std::size_t size = 0;  // 0: `lead` starts nothing
    unsigned char second_min = 0x80;
    unsigned char second_max = 0xbf;
};

sequence sequence_of(unsigned char lead) noexcept
{
    if (lead < 0x80) return {.size = 1};
    if (lead < 0xc2) return {};
    if (lead < 0xe0) return {.size = 2};
    if (lead == 0xe0) return {.size = 3, .second_min = 0xa0};
    if (lead == 0xed) return {.size = 3, .second_max = 0x9f};
    if (lead < 0xf0) return {.size = 3};
    if (lead == 0xf0) return {.size = 4, .second_min = 0x90};
    if (lead == 0xf4) return {.size = 4, .second_max = 0x8f};
    if (lead < 0xf4) return {.size = 4};
    return {};
}

bool continues(std::string_view text, const sequence& expected) noexcept
{
    for (std::size_t i = 1; i < expected.size; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const bool second = i == 1;
        if (byte < (second ? expected.second_min : 0x80) || byte > (second ? expected.second_max : 0xbf)) return false;
    }
    return true;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept
{
    while (!text.empty()) {
        if (text.size() >= 8 && eight_ascii(text.data())) {
            text.remove_prefix(8);
            continue;
        }
        const auto expected = sequence_of(static_cast<unsigned char>(text[0]));
        if (expected.size == 0 || expected.size > text.size() || !continues(text, expected)) return false;
        text.remove_prefix(expected.size);
    }
    return true;
}

}  // namespace pystream::api
