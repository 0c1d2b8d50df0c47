#include <boost/json/array.hpp>

#include <set>

#include "api/describe.hpp"
#include "api/handlers.hpp"
#include "api/json_document.hpp"
#include "api/list.hpp"
#include "core/base/limits.hpp"
#include "core/topics/topic_name.hpp"

namespace pystream::api {
namespace {

namespace limits = base::limits;

constexpr std::size_t line_bytes = 256;  // about what one committed offset takes in the answer

std::optional<engine::commit_line> read_line(const boost::json::value& entry, const std::string& pointer, field_errors& errors)
{
    if (!entry.is_object()) {
        errors.invalid(pointer, "must be an object");
        return std::nullopt;
    }
    object_reader fields{entry.get_object(), pointer, errors};
    auto topic = fields.string("topic", true);
    const auto partition = fields.integer("partition", 0, limits::partitions_max - 1, true);
    const auto at = fields.integer("offset", 0, base::json_integer_max, true);
    auto metadata = fields.string_or_null("metadata");
    fields.finish();
    if (metadata && metadata->size() > limits::commit_metadata_bytes_max)
        errors.invalid(fields.pointer_to("metadata"),
                       "must be at most " + std::to_string(limits::commit_metadata_bytes_max) + " bytes");
    if (!topic || !partition || !at) return std::nullopt;
    if (const auto valid = topics::check_name(*topic, fields.pointer_to("topic")); !valid) errors.add(valid.error());
    return engine::commit_line{std::move(*topic), base::partition_index{static_cast<std::int32_t>(*partition)},
                               base::offset{*at}, std::move(metadata)};
}

result<engine::commit_request> read_commit(std::string group, std::string_view body)
{
    const auto document = parse_object(body);
    if (!document) return document.error();
    field_errors errors;
    object_reader fields{*document, "", errors};
    engine::commit_request request;
    request.group = std::move(group);
    const auto* lines = fields.array("offsets");
    request.reset = fields.boolean_or("reset", false);
    fields.finish();
    const std::size_t count = lines == nullptr ? 0 : lines->size();
    if (lines != nullptr && (count == 0 || count > limits::commits_per_request_max))
        errors.invalid("/offsets", "must hold 1 to " + std::to_string(limits::commits_per_request_max) + " offsets");
    for (std::size_t i = 0; i < count && errors.empty(); ++i) {
        auto line = read_line((*lines)[i], "/offsets/" + std::to_string(i), errors);
        if (line) request.offsets.push_back(std::move(*line));
    }
    if (!errors.empty()) return errors.take();
    return request;
}

// A topic costs a line of the answer for each partition, so it may be named once, and all of them together may have no more
// partitions than one topic can have.
result<std::vector<std::string>> read_topics(const context& c)
{
    auto names = c.query.all("topic");
    std::set<std::string_view> seen;
    std::int64_t partitions = 0;
    for (const auto& name : names) {
        if (const auto valid = topics::check_name(name, "topic"); !valid) return valid.error();
        if (!seen.insert(name).second) return base::invalid("topic", "topic names " + name + " more than once");
        const auto topic = c.core.describe_topic(name);
        if (!topic) return topic.error();
        partitions += topic->partitions;
        if (partitions > c.options.partitions_asked_max)
            return base::invalid("topic", "one request takes " + std::to_string(c.options.partitions_asked_max) +
                                              " partitions of all its topics together: ask for fewer topics at a time");
    }
    return names;
}

engine::awaitable<result<engine::commit_request>> decode_commit(context& c)
{
    if (c.incoming.body.size() <= c.options.offload_above_bytes) co_return read_commit(c.path.group, c.incoming.body);
    auto work = [group = c.path.group, body = std::move(c.incoming.body)] { return read_commit(group, body); };
    auto request = co_await c.core.offload(std::move(work));
    co_return request;
}

// `group` as in offsets_body().
engine::awaitable<response> offsets_response(context& c, std::vector<engine::committed_line> lines, std::string group = {})
{
    if (lines.size() * line_bytes <= c.options.offload_above_bytes) co_return json_response(offsets_body(lines, group));
    auto work = [lines = std::move(lines), group = std::move(group)] { return offsets_body(lines, group); };
    auto body = co_await c.core.offload(std::move(work));
    co_return json_response(std::move(body));
}

}  // namespace

engine::awaitable<result<response>> list_groups(context& c)
{
    const auto page = read_list(c.query);
    if (!page) co_return page.error();
    const auto groups = c.core.list_groups(page->prefix, page->after, page->limit + 1);
    if (!groups) co_return groups.error();
    const auto write = [](json_writer& json, const std::string& name) {
        json.begin_object().member("name", name).end_object();
    };
    co_return json_response(list_body(*groups, page->limit, write, [](const std::string& name) { return name; }));
}

engine::awaitable<result<response>> get_group(context& c)
{
    auto offsets = c.core.committed_offsets(c.path.group, {});
    if (!offsets) co_return offsets.error();
    if (!c.core.group_exists(c.path.group)) co_return error{errc::group_not_found, "this group has committed nothing"};
    co_return co_await offsets_response(c, std::move(*offsets), c.path.group);
}

engine::awaitable<result<response>> delete_group(context& c)
{
    auto deleted = co_await c.core.delete_group(c.path.group);
    if (!deleted) co_return deleted.error();
    response answer;
    answer.status = 204;
    co_return answer;
}

engine::awaitable<result<response>> get_offsets(context& c)
{
    const auto names = read_topics(c);
    if (!names) co_return names.error();
    auto offsets = c.core.committed_offsets(c.path.group, *names);
    if (!offsets) co_return offsets.error();
    co_return co_await offsets_response(c, std::move(*offsets));
}

engine::awaitable<result<response>> commit_offsets(context& c)
{
    auto request = co_await decode_commit(c);
    if (!request) co_return request.error();
    auto offsets = co_await c.core.commit_offsets(std::move(*request));
    if (!offsets) co_return offsets.error();
    co_return co_await offsets_response(c, std::move(*offsets));
}

}  // namespace pystream::api
