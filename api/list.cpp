#include "api/list.hpp"

#include "core/base/limits.hpp"

namespace pystream::api {

base::result<list_page> read_list(const query_parameters& query)
{
    constexpr std::int64_t limit_default = 100;
    const auto limit = query.integer_or("limit", limit_default, 1, base::limits::list_items_max);
    if (!limit) return limit.error();
    return list_page{std::string{query.find("prefix").value_or("")}, std::string{query.find("after").value_or("")},
                     static_cast<std::size_t>(*limit)};
}

}  // namespace pystream::api
