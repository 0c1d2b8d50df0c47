#include "core/topics/topic_name.hpp"

#include <algorithm>

#include "core/base/limits.hpp"

namespace pystream::topics {
namespace {

// Not std::isalnum: the locale has no say in what a name is.
bool is_name_byte(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

}  // namespace

base::result<void> check_name(std::string_view name, std::string_view field)
{
    const bool valid = !name.empty() && name.size() <= base::limits::name_bytes_max &&
                       std::all_of(name.begin(), name.end(), is_name_byte) && name != "." && name != "..";
    if (valid) return {};
    // The name itself may hold any bytes: it is not repeated.
    return base::invalid(std::string{field}, "a name is 1 to " + std::to_string(base::limits::name_bytes_max) +
                                                 " of the characters A-Z a-z 0-9 . _ - and neither \".\" nor \"..\"");
}

bool is_internal(std::string_view name) noexcept
{
    return name.starts_with("__");
}

}  // namespace pystream::topics
