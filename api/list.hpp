#pragma once

#include <string>
#include <vector>

#include "api/json_writer.hpp"
#include "api/query.hpp"

namespace pystream::api {

// ?prefix&after&limit of every list.
struct list_page {
    std::string prefix;
    std::string after;
    std::size_t limit = 0;
};

base::result<list_page> read_list(const query_parameters& query);

// {"items":[...],"next":...}: at most `limit` of the items; more than that means that there is a next page, which begins after
// the last one shown.
template <class Item, class Write, class Name>
std::string list_body(const std::vector<Item>& items, std::size_t limit, const Write& write, const Name& name)
{
    std::string body;
    json_writer json{body};
    const std::size_t shown = items.size() < limit ? items.size() : limit;
    json.begin_object().name("items").begin_array();
    for (std::size_t i = 0; i < shown; ++i) write(json, items[i]);
    json.end_array().name("next");
    if (items.size() > limit)
        json.string(name(items[shown - 1]));
    else
        json.null();
    json.end_object();
    return body;
}

}  // namespace pystream::api
