#include <boost/json/array.hpp>

#include "api/describe.hpp"
#include "api/handlers.hpp"
#include "api/json_document.hpp"
#include "api/list.hpp"
#include "core/base/limits.hpp"
#include "core/topics/topic_name.hpp"

namespace pystream::api {
namespace {

namespace limits = base::limits;

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

}  // namespace

boost::asio::awaitable<result<response>> list_groups(context& c)
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

boost::asio::awaitable<result<response>> get_group(context& c)
{
    const auto offsets = c.core.committed_offsets(c.path.group, {});
    if (!offsets) co_return offsets.error();
    if (!c.core.group_exists(c.path.group)) co_return error{errc::group_not_found, "this group has committed nothing"};
    co_return json_response(offsets_body(*offsets, c.path.group));
}

boost::asio::awaitable<result<response>> delete_group(context& c)
{
    auto deleted = co_await c.core.delete_group(c.path.group);
    if (!deleted) co_return deleted.error();
    response answer;
    answer.status = 204;
    co_return answer;
}

boost::asio::awaitable<result<response>> get_offsets(context& c)
{
    const auto names = c.query.all("topic");
    for (const auto& topic : names) {
        const auto valid = topics::check_name(topic, "topic");
        if (!valid) co_return valid.error();
    }
    const auto offsets = c.core.committed_offsets(c.path.group, names);
    if (!offsets) co_return offsets.error();
    co_return json_response(offsets_body(*offsets));
}

boost::asio::awaitable<result<response>> commit_offsets(context& c)
{
    auto request = read_commit(c.path.group, c.incoming.body);
    if (!request) co_return request.error();
    auto offsets = co_await c.core.commit_offsets(std::move(*request));
    if (!offsets) co_return offsets.error();
    co_return json_response(offsets_body(*offsets));
}

}  // namespace pystream::api
