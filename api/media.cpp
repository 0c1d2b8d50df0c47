#include "api/media.hpp"

#include <algorithm>
#include <array>

#include "api/text.hpp"

namespace pystream::api {
namespace {

constexpr std::array<bool, 256> make_token_bytes()
{
    std::array<bool, 256> table{};
    for (const char c : std::string_view{"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"})
        table[static_cast<unsigned char>(c)] = true;
    return table;
}
constexpr auto token_bytes = make_token_bytes();

bool is_token_byte(char c) noexcept
{
    return token_bytes[static_cast<unsigned char>(c)];
}

std::string lowered(std::string_view text)
{
    std::string copy{text};
    std::ranges::transform(copy, copy.begin(), lower);
    return copy;
}

std::string_view unquoted(std::string_view text) noexcept
{
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
    return text;
}

// "q=0.8" in thousandths; a weight that makes no sense counts as 1000.
int weight_of(std::string_view parameters) noexcept
{
    while (!parameters.empty()) {
        const auto parameter = trim(next_part(parameters, ';'));
        if (!starts_ignoring_case(parameter, "q=")) continue;
        const auto digits = parameter.substr(2);
        if (digits.empty() || digits[0] != '0') return 1000;
        int weight = 0;
        for (std::size_t i = 2; i < 5; ++i) weight = weight * 10 + (i < digits.size() ? std::clamp(digits[i] - '0', 0, 9) : 0);
        return weight;
    }
    return 1000;
}

// How exactly `range` names `type`: 0 not at all, 1 */*, 2 type/*, 3 type/subtype.
int match(std::string_view range, std::string_view type) noexcept
{
    if (range == "*/*" || range == "*") return 1;
    if (same_ignoring_case(range, type)) return 3;
    const auto family = type.substr(0, type.find('/') + 1);
    return range.ends_with("/*") && same_ignoring_case(range.substr(0, range.size() - 1), family) ? 2 : 0;
}

// The weight that the most exact matching range gives to `type`; 0: not acceptable.
int weight_for(std::string_view accept, std::string_view type) noexcept
{
    int best_match = 0;
    int weight = 0;
    while (!accept.empty()) {
        auto parameters = next_part(accept, ',');
        const auto range = trim(next_part(parameters, ';'));
        const int exactness = match(range, type);
        if (exactness <= best_match) continue;
        best_match = exactness;
        weight = weight_of(parameters);
    }
    return weight;
}

}  // namespace

std::optional<media_type> parse_media_type(std::string_view text)
{
    media_type type;
    const auto essence = trim(next_part(text, ';'));
    const auto slash = essence.find('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == essence.size()) return std::nullopt;
    const auto is_type_byte = [](char c) { return is_token_byte(c) || c == '/'; };
    if (!std::ranges::all_of(essence, is_type_byte) || essence.find('/', slash + 1) != std::string_view::npos)
        return std::nullopt;
    type.essence = lowered(essence);
    while (!text.empty()) {
        auto value = trim(next_part(text, ';'));
        const auto name = trim(next_part(value, '='));
        if (same_ignoring_case(name, "charset")) type.charset = lowered(unquoted(trim(value)));
    }
    return type;
}

std::optional<std::size_t> negotiate(std::optional<std::string_view> accept, std::span<const std::string_view> offered)
{
    if (!accept || accept->empty() || *accept == "*/*") return 0;
    std::optional<std::size_t> best;
    int best_weight = 0;
    for (std::size_t i = 0; i < offered.size(); ++i) {
        const int weight = weight_for(*accept, offered[i]);
        if (weight <= best_weight) continue;
        best_weight = weight;
        best = i;
    }
    return best;
}

bool accepts_gzip(std::optional<std::string_view> accept_encoding)
{
    auto rest = accept_encoding.value_or("");
    while (!rest.empty()) {
        auto parameters = next_part(rest, ',');
        if (same_ignoring_case(trim(next_part(parameters, ';')), "gzip")) return weight_of(parameters) > 0;
    }
    return false;
}

}  // namespace pystream::api
