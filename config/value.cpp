#include "config/value.hpp"

#include <algorithm>
#include <array>
#include <boost/url/ipv4_address.hpp>
#include <boost/url/ipv6_address.hpp>
#include <boost/url/parse.hpp>
#include <charconv>

namespace pystream::config {

namespace {

bool equal_ignoring_case(std::string_view left, std::string_view right)
{
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(left, right, {}, lower, lower);
}

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_origin(std::string_view text)
{
    const auto parsed = boost::urls::parse_uri(text);
    return parsed && !parsed->host().empty() && !parsed->has_userinfo() && parsed->encoded_path().empty() &&
           !parsed->has_query() && !parsed->has_fragment();
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text)
{
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<bool> parse_boolean(std::string_view text)
{
    if (equal_ignoring_case(text, "true")) return true;
    if (equal_ignoring_case(text, "false")) return false;
    return std::nullopt;
}

std::optional<base::severity> parse_level(std::string_view text)
{
    constexpr std::array<std::string_view, 5> names{"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"};
    const auto found = std::ranges::find_if(names, [&](std::string_view name) { return equal_ignoring_case(name, text); });
    if (found == names.end()) return std::nullopt;
    return static_cast<base::severity>(found - names.begin());
}

std::optional<std::string> parse_host(std::string_view text)
{
    if (equal_ignoring_case(text, "localhost")) return "localhost";
    if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
        text = text.substr(1, text.size() - 2);
        return boost::urls::parse_ipv6_address(text) ? std::optional<std::string>{text} : std::nullopt;
    }
    if (boost::urls::parse_ipv4_address(text) || boost::urls::parse_ipv6_address(text)) return std::string{text};
    return std::nullopt;
}

bool is_loopback(std::string_view host)
{
    if (host == "localhost") return true;
    if (const auto v4 = boost::urls::parse_ipv4_address(host)) return v4->is_loopback();
    const auto v6 = boost::urls::parse_ipv6_address(host);
    return v6 && v6->is_loopback();
}

std::optional<std::vector<std::string>> parse_origins(std::string_view text)
{
    if (text == "*") return std::vector<std::string>{"*"};
    std::vector<std::string> origins;
    while (true) {
        const auto comma = text.find(',');
        const auto origin = trimmed(text.substr(0, comma));
        if (!is_origin(origin)) return std::nullopt;
        origins.emplace_back(origin);
        if (comma == std::string_view::npos) return origins;
        text.remove_prefix(comma + 1);
    }
}

bool is_printable(std::string_view text, std::size_t bytes_max)
{
    return !text.empty() && text.size() <= bytes_max && std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace pystream::config
