#pragma once

#include <algorithm>
#include <string_view>

// ASCII rules of HTTP (RFC 9110 section 5.6): letters compare without case, spaces and tabs around values do not count.

namespace pystream::api {

constexpr char lower(char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool same_ignoring_case(std::string_view a, std::string_view b) noexcept
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

constexpr bool starts_ignoring_case(std::string_view text, std::string_view prefix) noexcept
{
    return text.size() >= prefix.size() && same_ignoring_case(text.substr(0, prefix.size()), prefix);
}

constexpr std::string_view trim(std::string_view text) noexcept
{
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Takes what stands before the next `separator` off the front of `rest`.
constexpr std::string_view next_part(std::string_view& rest, char separator) noexcept
{
    const auto end = std::min(rest.find(separator), rest.size());
    const auto part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}

}  // namespace pystream::api
