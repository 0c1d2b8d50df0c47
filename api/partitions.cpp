#include <algorithm>

#include "api/describe.hpp"
#include "api/handlers.hpp"
#include "api/list.hpp"
#include "core/base/limits.hpp"

namespace pystream::api {
namespace {

result<std::vector<engine::partition_description>> describe(const context& c, std::int64_t begin, std::int64_t end)
{
    std::vector<engine::partition_description> found;
    for (std::int64_t i = begin; i < end; ++i) {
        auto partition = c.core.describe_partition(c.path.topic, base::partition_index{static_cast<std::int32_t>(i)});
        if (!partition) return partition.error();
        found.push_back(std::move(*partition));
    }
    return found;
}

result<engine::fetch_position> read_at(const query_parameters& query)
{
    const auto at = query.find("at").value_or("");
    engine::fetch_position position;
    if (at == "earliest") return position;
    if (at == "latest") {
        position.from = engine::fetch_position::kind::latest;
        return position;
    }
    const auto ms = parse_time_ms(at);
    if (!ms) return base::invalid("at", "at must be earliest, latest, milliseconds since 1970 or like 2025-11-29T12:00:00Z");
    position.from = engine::fetch_position::kind::timestamp;
    position.timestamp_ms = *ms;
    return position;
}

}  // namespace

// Pages by partition number: `after` is the last one seen.
engine::awaitable<result<response>> list_partitions(context& c)
{
    const auto topic = c.core.describe_topic(c.path.topic);
    if (!topic) co_return topic.error();
    const auto after = c.query.integer_or("after", -1, 0, base::limits::partitions_max);
    if (!after) co_return after.error();
    const auto page = read_list(c.query);
    if (!page) co_return page.error();
    const auto limit = static_cast<std::int64_t>(page->limit);
    const auto partitions = describe(c, *after + 1, std::min<std::int64_t>(topic->partitions, *after + 1 + limit));
    if (!partitions) co_return partitions.error();
    std::string body;
    json_writer json{body};
    json.begin_object().name("items").begin_array();
    for (const auto& partition : *partitions) write_partition(json, partition);
    json.end_array().name("next");
    if (*after + 1 + limit < topic->partitions)
        json.integer(*after + limit);
    else
        json.null();
    json.end_object();
    co_return json_response(std::move(body));
}

engine::awaitable<result<response>> get_partition(context& c)
{
    const auto partition = c.core.describe_partition(c.path.topic, c.path.partition);
    if (!partition) co_return partition.error();
    std::string body;
    json_writer json{body};
    write_partition(json, *partition);
    co_return json_response(std::move(body));
}

engine::awaitable<result<response>> find_offset(context& c)
{
    const auto position = read_at(c.query);
    if (!position) co_return position.error();
    auto found = co_await c.core.find_offset(c.path.topic, c.path.partition, *position);
    if (!found) co_return found.error();
    std::string body;
    json_writer json{body};
    json.begin_object().member("topic", c.path.topic).name("partition").integer(c.path.partition.value());
    json.name("offset").integer(found->at.value()).name("timestamp");
    if (found->timestamp_ms)
        json.integer(*found->timestamp_ms);
    else
        json.null();
    json.end_object();
    co_return json_response(std::move(body));
}

}  // namespace pystream::api
