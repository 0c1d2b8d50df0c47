#include "api/query.hpp"

#include <boost/url/decode_view.hpp>
#include <boost/url/pct_string_view.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "api/text.hpp"
#include "core/base/ids.hpp"

namespace pystream::api {
namespace {

using base::errc;
using base::error;
using base::result;

error unknown_parameter(std::string name, std::string detail)
{
    constexpr std::size_t shown_bytes_max = 100;
    name.resize(std::min(name.size(), shown_bytes_max));
    error e{errc::unknown_field, "the parameter " + name + ' ' + detail};
    e.fields.push_back({std::move(name), std::move(detail)});
    return e;
}

enum class known_as : std::uint8_t { nothing, single, repeatable };

known_as find_known(std::string_view name, std::span<const std::string_view> known)
{
    for (const auto candidate : known) {
        if (!candidate.ends_with('*') && candidate == name) return known_as::single;
        if (candidate.ends_with('*') && candidate.substr(0, candidate.size() - 1) == name) return known_as::repeatable;
    }
    return known_as::nothing;
}

std::string list_of(std::span<const std::string_view> names)
{
    std::string text;
    for (auto name : names) {
        if (!text.empty()) text += ", ";
        if (name.ends_with('*')) name.remove_suffix(1);
        text += name;
    }
    return text;
}

// Takes `digits` decimal digits off the front; -1 when they are not there.
int take_number(std::string_view& text, std::size_t digits) noexcept
{
    int value = 0;
    if (text.size() < digits) return -1;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + digits, value);
    if (failed != std::errc{} || end != text.data() + digits || value < 0) return -1;
    text.remove_prefix(digits);
    return value;
}

bool take(std::string_view& text, char expected) noexcept
{
    if (text.empty() || lower(text[0]) != lower(expected)) return false;
    text.remove_prefix(1);
    return true;
}

// ".123456" in milliseconds, rounded up; nullopt when there is a point and no digit.
std::optional<std::int64_t> take_fraction_ms(std::string_view& text) noexcept
{
    if (!take(text, '.')) return 0;
    const auto size = std::min(text.find_first_not_of("0123456789"), text.size());
    if (size == 0) return std::nullopt;
    const auto digits = text.substr(0, size);
    text.remove_prefix(size);
    std::int64_t ms = 0;
    for (std::size_t i = 0; i < 3; ++i) ms = ms * 10 + (i < size ? digits[i] - '0' : 0);
    const bool finer = size > 3 && digits.find_first_not_of('0', 3) != std::string_view::npos;
    return ms + (finer ? 1 : 0);
}

std::optional<std::chrono::minutes> take_zone(std::string_view& text) noexcept
{
    if (take(text, 'Z')) return std::chrono::minutes{0};
    const bool east = take(text, '+');
    if (!east && !take(text, '-')) return std::nullopt;
    const int hours = take_number(text, 2);
    if (!take(text, ':')) return std::nullopt;
    const int minutes = take_number(text, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
    const auto offset = std::chrono::minutes{hours * 60 + minutes};
    return east ? offset : -offset;
}

// RFC 3339 section 5.6; a leap second counts as the second after it.
std::optional<std::int64_t> parse_rfc3339(std::string_view text) noexcept
{
    const int year = take_number(text, 4);
    if (!take(text, '-')) return std::nullopt;
    const int month = take_number(text, 2);
    if (!take(text, '-')) return std::nullopt;
    const int day = take_number(text, 2);
    if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
    const int hour = take_number(text, 2);
    if (!take(text, ':')) return std::nullopt;
    const int minute = take_number(text, 2);
    if (!take(text, ':')) return std::nullopt;
    const int second = take_number(text, 2);
    const auto fraction_ms = take_fraction_ms(text);
    const auto zone = take_zone(text);
    if (year < 0 || month < 1 || day < 1 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 ||
        !fraction_ms || !zone || !text.empty())
        return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)}};
    if (!date.ok()) return std::nullopt;
    const auto seconds = std::chrono::sys_days{date}.time_since_epoch() + std::chrono::hours{hour} +
                         std::chrono::minutes{minute} + std::chrono::seconds{second} - *zone;
    const std::int64_t ms = std::chrono::duration_cast<std::chrono::milliseconds>(seconds).count() + *fraction_ms;
    return std::max<std::int64_t>(ms, 0);
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view encoded, bool plus_is_space)
{
    if (encoded.find_first_of("%+") == std::string_view::npos) return std::string{encoded};
    const auto checked = boost::urls::make_pct_string_view(encoded);
    if (!checked) return std::nullopt;
    boost::urls::encoding_opts options;
    options.space_as_plus = plus_is_space;
    return checked->decode(options);
}

std::optional<std::int64_t> parse_integer(std::string_view text) noexcept
{
    if (text.empty() || text[0] < '0' || text[0] > '9' || (text[0] == '0' && text.size() > 1)) return std::nullopt;
    std::int64_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{} || end != text.data() + text.size() || value > base::json_integer_max) return std::nullopt;
    return value;
}

std::optional<std::int64_t> parse_time_ms(std::string_view text) noexcept
{
    if (const auto ms = parse_integer(text)) return ms;
    return parse_rfc3339(text);
}

result<query_parameters> query_parameters::parse(std::string_view encoded, std::span<const std::string_view> known)
{
    query_parameters query;
    while (!encoded.empty()) {
        auto value = next_part(encoded, '&');
        if (value.empty()) continue;
        const auto name = percent_decode(next_part(value, '='), true);
        auto decoded = percent_decode(value, true);
        if (!name || !decoded) return error{errc::malformed, "the query has a % that is not followed by two hex digits"};
        const auto kind = find_known(*name, known);
        if (kind == known_as::nothing)
            return unknown_parameter(*name, known.empty() ? "does not exist: this request takes none"
                                                          : "does not exist: this request takes " + list_of(known));
        if (kind == known_as::single && query.find(*name)) return unknown_parameter(*name, "may be given once");
        query.values_.emplace_back(*name, std::move(*decoded));
    }
    return query;
}

std::optional<std::string_view> query_parameters::find(std::string_view name) const noexcept
{
    const auto found = std::ranges::find(values_, name, &std::pair<std::string, std::string>::first);
    if (found == values_.end()) return std::nullopt;
    return found->second;
}

std::vector<std::string> query_parameters::all(std::string_view name) const
{
    std::vector<std::string> found;
    for (const auto& [known, value] : values_)
        if (known == name) found.push_back(value);
    return found;
}

result<std::optional<std::int64_t>> query_parameters::integer(std::string_view name, std::int64_t min, std::int64_t max) const
{
    const auto text = find(name);
    if (!text) return std::optional<std::int64_t>{};
    const auto value = parse_integer(*text);
    if (!value || *value < min || *value > max)
        return base::invalid(std::string{name}, std::string{name} + " must be an integer from " + std::to_string(min) + " to " +
                                                    std::to_string(max));
    return value;
}

result<std::int64_t> query_parameters::integer_or(std::string_view name, std::int64_t fallback, std::int64_t min,
                                                  std::int64_t max) const
{
    const auto value = integer(name, min, max);
    if (!value) return value.error();
    return value->value_or(fallback);
}

result<std::size_t> query_parameters::choice(std::string_view name, std::span<const std::string_view> allowed) const
{
    const auto text = find(name);
    if (!text) return std::size_t{0};
    const auto found = std::ranges::find(allowed, *text);
    if (found == allowed.end())
        return base::invalid(std::string{name}, std::string{name} + " must be one of " + list_of(allowed));
    return static_cast<std::size_t>(found - allowed.begin());
}

}  // namespace pystream::api
