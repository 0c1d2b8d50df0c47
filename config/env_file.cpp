#include "config/env_file.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace pystream::config {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_name(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
}

std::string_view without_comment(std::string_view text)
{
    for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1))
        if (at == 0 || blanks.find(text[at - 1]) != std::string_view::npos) return text.substr(0, at);
    return text;
}

std::optional<std::string_view> unquoted(std::string_view text)
{
    if (text.empty() || (text.front() != '"' && text.front() != '\'')) return trimmed(without_comment(text));
    const auto end = text.find(text.front(), 1);
    if (end == std::string_view::npos || !trimmed(without_comment(text.substr(end + 1))).empty()) return std::nullopt;
    return text.substr(1, end - 1);
}

std::optional<env_line> parse_line(std::string_view line)
{
    if (line.starts_with("export ")) line = trimmed(line.substr(7));
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const auto name = trimmed(line.substr(0, equals));
    const auto value = unquoted(trimmed(line.substr(equals + 1)));
    if (!is_name(name) || !value) return std::nullopt;
    return env_line{std::string{name}, std::string{*value}};
}

}  // namespace

env_file_content parse_env_file(std::istream& in, const std::string& path)
{
    env_file_content content;
    std::set<std::string> seen;
    std::string text;
    for (int number = 1; std::getline(in, text); ++number) {
        const auto line = trimmed(text);
        if (line.empty() || line.front() == '#') continue;
        auto parsed = parse_line(line);
        if (parsed && seen.insert(parsed->name).second) {
            content.lines.push_back(std::move(*parsed));
            continue;
        }
        const auto* reason = parsed ? "it is set twice in this file" : "allowed: NAME=value, quoted or not";
        content.bad.push_back({path + " line " + std::to_string(number), std::string{line}, reason});
    }
    return content;
}

}  // namespace pystream::config
