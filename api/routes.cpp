#include "api/routes.hpp"

#include <algorithm>
#include <limits>

#include "api/handlers.hpp"
#include "api/text.hpp"
#include "core/topics/topic_name.hpp"

namespace pystream::api {
namespace {

// The hot paths come first.
constexpr route table[] = {
    {method::post, "/api/topics/{topic}/records", produce, body_form::records, {"key", "key_base64"}, {json_type}},
    {method::post,
     "/api/topics/{topic}/partitions/{partition}/records",
     produce,
     body_form::records,
     {"key", "key_base64", "expected_offset"},
     {json_type}},
    {method::get,
     "/api/topics/{topic}/partitions/{partition}/records",
     fetch_records,
     body_form::none,
     {"offset", "from", "timestamp", "max_records", "max_bytes", "wait_ms", "past_end", "values"},
     {json_type, ndjson_type}},
    {method::post, "/api/groups/{group}/offsets", commit_offsets, body_form::json, {}, {json_type}},
    {method::get, "/api/groups/{group}/offsets", get_offsets, body_form::none, {"topic*"}, {json_type}},
    {method::get, "/api/topics/{topic}/partitions/{partition}/records/{offset}", get_record},
    {method::get, "/api/topics/{topic}/partitions/{partition}/offsets", find_offset, body_form::none, {"at"}, {json_type}},

    {method::get, "/api/health", get_health, body_form::none, {}, {json_type}, true},
    {method::get, "/api/health/live", get_live, body_form::none, {}, {json_type}, true},
    {method::get, "/api/health/ready", get_ready, body_form::none, {}, {json_type}, true},
    {method::get, "/metrics", get_metrics, body_form::none, {}, {}, true},

    {method::get, "/api/topics", list_topics, body_form::none, {"prefix", "after", "limit"}, {json_type}},
    {method::post, "/api/topics", create_topic, body_form::json, {}, {json_type}},
    {method::get, "/api/topics/{topic}", get_topic, body_form::none, {}, {json_type}},
    {method::patch, "/api/topics/{topic}", alter_topic, body_form::json, {}, {json_type}},
    {method::del, "/api/topics/{topic}", delete_topic},
    {method::get, "/api/topics/{topic}/partitions", list_partitions, body_form::none, {"after", "limit"}, {json_type}},
    {method::get, "/api/topics/{topic}/partitions/{partition}", get_partition, body_form::none, {}, {json_type}},
    {method::get, "/api/groups", list_groups, body_form::none, {"prefix", "after", "limit"}, {json_type}},
    {method::get, "/api/groups/{group}", get_group, body_form::none, {}, {json_type}},
    {method::del, "/api/groups/{group}", delete_group},
    {method::get, "/api/cluster", get_cluster, body_form::none, {}, {json_type}},

    {method::get, "/openapi.json", get_openapi},
    {method::get, "/docs", get_docs},
    {method::get, "/docs/{asset}", get_docs_asset},
    {method::get, "/", get_root},
};

bool is_variable(std::string_view pattern_part) noexcept
{
    return pattern_part.starts_with('{');
}

// Both start with a slash. An empty part never matches a variable: "/api/topics/" and "/api/topics//records" are nothing.
bool matches(std::string_view pattern, std::string_view path) noexcept
{
    while (!pattern.empty() && !path.empty()) {
        pattern.remove_prefix(1);
        path.remove_prefix(1);
        const auto expected = pattern.substr(0, pattern.find('/'));
        const auto part = path.substr(0, path.find('/'));
        if (is_variable(expected) ? part.empty() : part != expected) return false;
        pattern.remove_prefix(expected.size());
        path.remove_prefix(part.size());
    }
    return pattern.empty() && path.empty();
}

error bad_number(std::string_view part, std::string_view allowed)
{
    return base::invalid(std::string{part}, std::string{part}.append(" must be an integer from 0 to ").append(allowed));
}

result<void> read_part(path_values& values, std::string_view name, std::string_view encoded)
{
    auto text = percent_decode(encoded);
    if (!text) return error{errc::malformed, "the path has a % that is not followed by two hex digits"};
    if (name == "partition") {
        const auto number = parse_integer(*text);
        if (!number || *number > std::numeric_limits<std::int32_t>::max()) return bad_number(name, "2147483647");
        values.partition = base::partition_index{static_cast<std::int32_t>(*number)};
        values.has_partition = true;
        return {};
    }
    if (name == "offset") {
        const auto number = parse_integer(*text);
        if (!number) return bad_number(name, std::to_string(base::json_integer_max));
        values.offset = base::offset{*number};
        return {};
    }
    if (name == "asset") {
        values.asset = std::move(*text);
        return {};
    }
    const auto valid = topics::check_name(*text, name);
    if (!valid) return valid.error();
    (name == "topic" ? values.topic : values.group) = std::move(*text);
    return {};
}

void append_allowed(std::string& allow, method verb)
{
    if (!allow.empty()) allow += ", ";
    allow += to_string(verb);
    if (verb == method::get) allow += ", HEAD";
}

}  // namespace

std::span<const route> routes() noexcept
{
    return table;
}

const route* match_route(method verb, std::string_view path) noexcept
{
    const method wanted = verb == method::head ? method::get : verb;
    const auto fits = [&](const route& candidate) { return candidate.verb == wanted && matches(candidate.pattern, path); };
    const auto* found = path.starts_with('/') ? std::ranges::find_if(table, fits) : std::end(table);
    return found == std::end(table) ? nullptr : found;
}

std::string allowed_methods(std::string_view path)
{
    std::string allow;
    if (!path.starts_with('/')) return allow;
    for (const auto& candidate : table)
        if (matches(candidate.pattern, path)) append_allowed(allow, candidate.verb);
    if (!allow.empty()) allow += ", OPTIONS";
    return allow;
}

result<path_values> read_path(const route& matched, std::string_view path)
{
    path_values values;
    auto pattern = matched.pattern.substr(1);
    path.remove_prefix(1);
    while (!pattern.empty()) {
        auto name = next_part(pattern, '/');
        const auto part = next_part(path, '/');
        if (!is_variable(name)) continue;
        name.remove_prefix(1);
        name.remove_suffix(1);
        const auto read = read_part(values, name, part);
        if (!read) return read.error();
    }
    return values;
}

std::string_view to_string(method verb) noexcept
{
    switch (verb) {
    case method::get: return "GET";
    case method::head: return "HEAD";
    case method::post: return "POST";
    case method::put: return "PUT";
    case method::patch: return "PATCH";
    case method::del: return "DELETE";
    case method::options: return "OPTIONS";
    case method::other: return "other";
    }
    return "other";
}

}  // namespace pystream::api
