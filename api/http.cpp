#include "api/http.hpp"

#include <algorithm>
#include <utility>

#include "api/text.hpp"

namespace pystream::api {

std::optional<std::string_view> request::find(std::string_view name) const noexcept
{
    const auto found = std::ranges::find_if(headers, [name](const header& h) { return same_ignoring_case(h.name, name); });
    if (found == headers.end()) return std::nullopt;
    return trim(found->value);
}

response json_response(std::string body, unsigned status)
{
    response answer;
    answer.status = status;
    answer.headers.reserve(4);  // with those that the service and CORS add
    answer.headers.push_back({"Content-Type", "application/json"});
    answer.body = std::move(body);
    return answer;
}

}  // namespace pystream::api
