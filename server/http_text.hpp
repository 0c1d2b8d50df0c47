#pragma once

#include <array>
#include <string_view>

// The character classes of RFC 9110 and what is compared without case.

namespace pystream::server {

namespace detail {

// token = 1*tchar (RFC 9110, 5.6.2)
constexpr std::array<bool, 256> make_token_table()
{
    std::array<bool, 256> table{};
    for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = true;
    for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = true;
    for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = true;
    for (const char c : std::string_view{"!#$%&'*+-.^_`|~"}) table[static_cast<unsigned char>(c)] = true;
    return table;
}

inline constexpr std::array<bool, 256> token_table = make_token_table();

}  // namespace detail

inline bool is_token(std::string_view text) noexcept
{
    for (const char c : text)
        if (!detail::token_table[static_cast<unsigned char>(c)]) return false;
    return !text.empty();
}

inline bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

// VCHAR: visible ASCII, no space.
inline bool is_visible(char c) noexcept
{
    return c > ' ' && c < 0x7f;
}

// What may stand in a field value: visible characters, bytes from 0x80 up, space and tab (RFC 9110, 5.5).
inline bool is_field_value(std::string_view text) noexcept
{
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte < 0x20 && byte != '\t') || byte == 0x7f) return false;
    }
    return true;
}

inline char lower(char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

inline bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept
{
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (lower(a[i]) != lower(b[i])) return false;
    return true;
}

// Without the optional white space (space, tab) at both ends.
inline std::string_view trim(std::string_view text) noexcept
{
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

}  // namespace pystream::server
