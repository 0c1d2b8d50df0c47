#include <boost/json/array.hpp>

#include "api/describe.hpp"
#include "api/handlers.hpp"
#include "api/json_document.hpp"
#include "api/list.hpp"
#include "api/problem.hpp"
#include "core/base/limits.hpp"
#include "core/topics/topic_name.hpp"

namespace pystream::api {
namespace {

namespace limits = base::limits;

response topic_response(const engine::topic_description& topic, unsigned status = 200)
{
    std::string body;
    json_writer json{body};
    write_topic(json, topic);
    return json_response(std::move(body), status);
}

// The members of "config": integers, or null for the default.
void read_config(const boost::json::object& config, field_errors& errors,
                 std::vector<std::pair<std::string, std::optional<std::int64_t>>>& settings)
{
    topics::topic_config checked;
    for (const auto& [name, value] : config) {
        const auto number = as_integer(value, 0, base::json_integer_max);
        const auto known = topics::set_config(checked, name, number, "/config");
        if (!known && !number) {  // the name may be the trouble, whatever the value
            const auto named = topics::set_config(checked, name, std::nullopt, "/config");
            if (!named)
                errors.add(named.error());
            else
                errors.invalid(child_pointer("/config", name), "must be an integer, or null for the default");
        } else if (!known) {
            errors.add(known.error());
        } else if (!number && !value.is_null()) {
            errors.invalid(child_pointer("/config", name), "must be an integer, or null for the default");
        } else {
            settings.emplace_back(name, number);
        }
    }
}

std::optional<std::int32_t> read_partitions(object_reader& fields)
{
    const auto count = fields.integer("partitions", 1, limits::partitions_max);
    return count ? std::optional{static_cast<std::int32_t>(*count)} : std::nullopt;
}

result<engine::create_topic_request> read_create(std::string_view body)
{
    const auto document = parse_object(body);
    if (!document) return document.error();
    field_errors errors;
    object_reader fields{*document, "", errors};
    engine::create_topic_request request;
    if (auto name = fields.string("name", true)) {
        const auto valid = topics::check_name(*name, "/name");
        if (!valid) errors.add(valid.error());
        request.name = std::move(*name);
    }
    request.partitions = read_partitions(fields);
    if (const auto factor = fields.integer("replication_factor", 1, limits::brokers_max))
        request.replication_factor = static_cast<std::int32_t>(*factor);
    std::vector<std::pair<std::string, std::optional<std::int64_t>>> settings;
    if (const auto* config = fields.object("config")) read_config(*config, errors, settings);
    fields.finish();
    if (!errors.empty()) return errors.take();
    for (const auto& [name, value] : settings) {
        const auto set = topics::set_config(request.config, name, value, "/config");
        if (!set) return set.error();
    }
    return request;
}

result<engine::alter_topic_request> read_alter(std::string name, std::string_view body)
{
    const auto document = parse_object(body);
    if (!document) return document.error();
    field_errors errors;
    object_reader fields{*document, "", errors};
    engine::alter_topic_request request;
    request.name = std::move(name);
    request.partitions = read_partitions(fields);
    request.reroute_keys = fields.boolean_or("reroute_keys", false);
    if (const auto* config = fields.object("config")) read_config(*config, errors, request.config);
    fields.finish();
    if (!errors.empty()) return errors.take();
    return request;
}

// The stored values, so that a caller can see at once whether the existing topic will do.
response exists_already(const context& c, const error& failed, const std::string& name)
{
    std::string stored;
    if (const auto topic = c.core.describe_topic(name)) {
        json_writer json{stored};
        json.name("topic");
        write_topic(json, *topic);
    }
    return make_problem(failed, c.incoming.request_id, stored);
}

}  // namespace

engine::awaitable<result<response>> list_topics(context& c)
{
    const auto page = read_list(c.query);
    if (!page) co_return page.error();
    auto topics = c.core.list_topics(page->prefix, page->after, page->limit + 1);
    if (!topics) co_return topics.error();
    const auto write = [](json_writer& json, const engine::topic_description& topic) { write_topic(json, topic); };
    const auto name = [](const engine::topic_description& topic) { return topic.name; };
    co_return json_response(list_body(*topics, page->limit, write, name));
}

engine::awaitable<result<response>> create_topic(context& c)
{
    auto request = read_create(c.incoming.body);
    if (!request) co_return request.error();
    const auto name = request->name;
    auto created = co_await c.core.create_topic(std::move(*request));
    if (!created && created.error().code == errc::topic_exists) co_return exists_already(c, created.error(), name);
    if (!created) co_return created.error();
    auto answer = topic_response(*created, 201);
    answer.headers.push_back({"Location", "/api/topics/" + name});
    co_return answer;
}

engine::awaitable<result<response>> get_topic(context& c)
{
    const auto topic = c.core.describe_topic(c.path.topic);
    if (!topic) co_return topic.error();
    co_return topic_response(*topic);
}

engine::awaitable<result<response>> alter_topic(context& c)
{
    auto request = read_alter(c.path.topic, c.incoming.body);
    if (!request) co_return request.error();
    auto altered = co_await c.core.alter_topic(std::move(*request));
    if (!altered) co_return altered.error();
    co_return topic_response(*altered);
}

engine::awaitable<result<response>> delete_topic(context& c)
{
    auto deleted = co_await c.core.delete_topic(c.path.topic);
    if (!deleted) co_return deleted.error();
    response answer;
    answer.status = 204;
    co_return answer;
}

}  // namespace pystream::api
