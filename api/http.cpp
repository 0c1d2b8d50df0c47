#include "api/http.hpp"

#include <algorithm>

#include "api/text.hpp"

namespace pystream::api {

std::optional<std::string_view> request::find(std::string_view name) const noexcept
{
    const auto found = std::ranges::find_if(headers, [name](const header& h) { return same_ignoring_case(h.name, name); });
    if (found == headers.end()) return std::nullopt;
    return trim(found->value);
}

}  // namespace pystream::api
