#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace pystream::api {

// Percent-decodes one path segment or, with `plus_is_space`, one name or value of a query. bad_encoding otherwise: nullopt.
std::optional<std::string> percent_decode(std::string_view encoded, bool plus_is_space = false);

// Strict decimal: digits only, no sign, no leading zero, at most 2^53 - 1.
std::optional<std::int64_t> parse_integer(std::string_view text) noexcept;

// Milliseconds since 1970, or an RFC 3339 date and time; before 1970 counts as 1970. A fraction finer than a millisecond is rounded up, so
// that "the first record at or after this time" stays right.
std::optional<std::int64_t> parse_time_ms(std::string_view text) noexcept;

// The query of one request. Errors name the parameter.
class query_parameters {
public:
    // `known` are the names that the route takes; a name that ends with "*" may be repeated. The errors: malformed for bad
    // percent-encoding, unknown_field for an unknown or repeated parameter.
    static base::result<query_parameters> parse(std::string_view encoded, std::span<const std::string_view> known);

    std::optional<std::string_view> find(std::string_view name) const noexcept;
    std::vector<std::string> all(std::string_view name) const;
    base::result<std::optional<std::int64_t>> integer(std::string_view name, std::int64_t min, std::int64_t max) const;
    base::result<std::int64_t> integer_or(std::string_view name, std::int64_t fallback, std::int64_t min,
                                          std::int64_t max) const;
    // The index of the value in `allowed`; 0 without the parameter.
    base::result<std::size_t> choice(std::string_view name, std::span<const std::string_view> allowed) const;

private:
    std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace pystream::api
