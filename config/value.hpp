#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/logger.hpp"

// Strict parsers: the whole text is the value, or there is none.

namespace pystream::config {

// Decimal digits with an optional minus; no sign +, no blanks, no leading zeros, nothing behind.
std::optional<std::int64_t> parse_integer(std::string_view text);

// true or false, in any case.
std::optional<bool> parse_boolean(std::string_view text);

// DEBUG, INFO, WARNING, ERROR or CRITICAL, in any case.
std::optional<base::severity> parse_level(std::string_view text);

// An IPv4 or IPv6 address, the latter with or without brackets, or localhost. Without brackets in the result.
std::optional<std::string> parse_host(std::string_view text);

// Whether only this machine can reach a parsed host.
bool is_loopback(std::string_view host);

// "*", or origins (scheme://host[:port], no path) separated by commas; blanks around them are dropped.
std::optional<std::vector<std::string>> parse_origins(std::string_view text);

// 1 to `bytes_max` bytes of printable ASCII.
bool is_printable(std::string_view text, std::size_t bytes_max);

}  // namespace pystream::config
