#pragma once

#include <array>
#include <string_view>

// The character classes of RFC 9110 and what is compared without case.

namespace pystream::server {

// A set of bytes, looked up in one step.
class byte_set {
public:
    // Letters and digits, and `marks`.
    constexpr explicit byte_set(std::string_view marks)
    {
        for (int c = 0; c < 256; ++c)
            in_[static_cast<std::size_t>(c)] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        for (const char c : marks) in_[static_cast<unsigned char>(c)] = true;
    }
    constexpr bool has(char c) const noexcept { return in_[static_cast<unsigned char>(c)]; }

private:
    std::array<bool, 256> in_{};
};

inline constexpr byte_set token_bytes{"!#$%&'*+-.^_`|~"};  // tchar (RFC 9110, 5.6.2)

inline bool is_token(std::string_view text) noexcept
{
    for (const char c : text)
        if (!token_bytes.has(c)) return false;
    return !text.empty();
}

inline bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

// Visible ASCII, no space. Here and below: no early exit, so that the compiler looks at many bytes at once.
inline bool is_visible(std::string_view text) noexcept
{
    bool good = true;
    for (const char c : text) good &= c > ' ' && c < 0x7f;
    return good;
}

// What may stand in a field value: visible characters, bytes from 0x80 up, space and tab (RFC 9110, 5.5).
inline bool is_field_value(std::string_view text) noexcept
{
    bool good = true;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        good &= (byte >= 0x20 && byte != 0x7f) || byte == '\t';
    }
    return good;
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
