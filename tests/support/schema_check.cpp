#include "tests/support/schema_check.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace pystream::tests {
namespace {

namespace json = boost::json;

bool has_type(const json::value& value, std::string_view type)
{
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_bool();
    if (type == "null") return value.is_null();
    if (type == "integer") return value.is_int64() || value.is_uint64();
    return type == "number" && value.is_number();
}

bool has_one_type(const json::value& value, const json::value& types)
{
    if (types.is_string()) return has_type(value, types.get_string());
    return std::ranges::any_of(types.as_array(), [&](const json::value& type) { return has_type(value, type.as_string()); });
}

bool within(const json::value& value, const json::object& schema)
{
    if (!value.is_int64()) return true;
    const auto* min = schema.if_contains("minimum");
    const auto* max = schema.if_contains("maximum");
    return (min == nullptr || value.get_int64() >= min->as_int64()) && (max == nullptr || value.get_int64() <= max->as_int64());
}

bool counts(std::size_t size, const json::object& schema, const char* min_name, const char* max_name)
{
    const auto* min = schema.if_contains(min_name);
    const auto* max = schema.if_contains(max_name);
    return (min == nullptr || size >= static_cast<std::size_t>(min->as_int64())) &&
           (max == nullptr || size <= static_cast<std::size_t>(max->as_int64()));
}

}  // namespace

const json::object& document()
{
    static const json::object parsed = [] {
        std::ifstream file{PYSTREAM_SOURCE_DIR "/api/openapi.json"};
        std::ostringstream text;
        text << file.rdbuf();
        return json::parse(text.str()).as_object();
    }();
    return parsed;
}

const json::object& schema(std::string_view name)
{
    return document().at("components").at("schemas").at(name).as_object();
}

const json::object& resolve(const json::object& node)
{
    const auto* target = node.if_contains("$ref");
    if (target == nullptr) return node;
    const auto pointer = std::string_view{target->as_string()}.substr(2);  // "#/components/schemas/problem"
    const json::object* at = &document();
    std::istringstream tokens{std::string{pointer}};
    for (std::string token; std::getline(tokens, token, '/');) at = &at->at(token).as_object();
    return resolve(*at);
}

std::vector<std::string> schema_check::check(const json::value& value, const json::object& against)
{
    wrong_.clear();
    walk(value, against, "");
    return std::move(wrong_);
}

std::vector<std::string> schema_check::unseen(const json::object& of) const
{
    std::vector<std::string> names;
    for (const auto& [name, property] : resolve(of).at("properties").as_object())
        if (!seen_.contains({&resolve(of), std::string{name}})) names.emplace_back(name);
    return names;
}

void schema_check::walk(const json::value& value, const json::object& unresolved, const std::string& at)
{
    const auto& wanted = resolve(unresolved);
    if (const auto* type = wanted.if_contains("type"); type != nullptr && !has_one_type(value, *type))
        return complain(at, "is not of type " + json::serialize(*type));
    if (!within(value, wanted)) complain(at, "is out of range");
    check_choices(value, wanted, at);
    if (value.is_object()) walk_object(value.get_object(), wanted, at);
    if (value.is_array()) walk_array(value.get_array(), wanted, at);
}

void schema_check::check_choices(const json::value& value, const json::object& wanted, const std::string& at)
{
    if (const auto* choices = wanted.if_contains("enum");
        choices != nullptr && std::ranges::find(choices->as_array(), value) == choices->as_array().end())
        complain(at, json::serialize(value) + " is not in " + json::serialize(*choices));
    const auto alternative_fits = [&](const json::value& alternative) { return fits(value, alternative.as_object()); };
    if (const auto* any = wanted.if_contains("anyOf");
        any != nullptr && std::ranges::none_of(any->as_array(), alternative_fits))
        complain(at, "fits no alternative");
    if (const auto* one = wanted.if_contains("oneOf");
        one != nullptr && std::ranges::count_if(one->as_array(), alternative_fits) != 1)
        complain(at, "does not fit exactly one alternative");
    if (const auto* no = wanted.if_contains("not"); no != nullptr && fits(value, no->as_object()))
        complain(at, "fits what it must not");
}

bool schema_check::fits(const json::value& value, const json::object& wanted)
{
    schema_check inner;
    const bool fit = inner.check(value, wanted).empty();
    if (fit) seen_.insert(inner.seen_.begin(), inner.seen_.end());
    return fit;
}

void schema_check::walk_object(const json::object& value, const json::object& wanted, const std::string& at)
{
    if (const auto* required = wanted.if_contains("required"))
        for (const auto& name : required->as_array())
            if (!value.contains(name.as_string())) complain(at, "has no " + json::serialize(name));
    const auto* properties = wanted.if_contains("properties");
    if (properties == nullptr) return;
    for (const auto& [name, member] : value) {
        const auto* property = properties->as_object().if_contains(name);
        if (property == nullptr) {
            if (wanted.contains("additionalProperties"))
                complain(at, "has " + std::string{name} + ", which no property describes");
            continue;
        }
        seen_.insert({&wanted, std::string{name}});
        walk(member, property->as_object(), at + '/' + std::string{name});
    }
}

void schema_check::walk_array(const json::array& value, const json::object& wanted, const std::string& at)
{
    if (!counts(value.size(), wanted, "minItems", "maxItems")) complain(at, "has a wrong number of items");
    const auto* items = wanted.if_contains("items");
    if (items == nullptr) return;
    for (std::size_t i = 0; i < value.size(); ++i) walk(value[i], items->as_object(), at + '/' + std::to_string(i));
}

}  // namespace pystream::tests
