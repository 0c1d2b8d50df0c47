#include "api/json_document.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>

#include <algorithm>

#include "core/base/limits.hpp"

namespace pystream::api {
namespace {

namespace json = boost::json;
using base::errc;
using base::error;
using base::result;

// Builds a document and remembers names that an object has twice, which the document cannot show.
class document_handler {
public:
    static constexpr std::size_t max_object_size = json::object::max_size();
    static constexpr std::size_t max_array_size = json::array::max_size();
    static constexpr std::size_t max_key_size = json::string::max_size();
    static constexpr std::size_t max_string_size = json::string::max_size();
    using text = json::string_view;

    json::value release() { return stack_.release(); }
    const std::optional<std::string>& repeated() const noexcept { return repeated_; }

    bool on_document_begin(json::error_code&) { return stack_.reset({}), true; }
    bool on_document_end(json::error_code&) { return true; }
    bool on_object_begin(json::error_code&) { return names_.emplace_back(), true; }
    bool on_object_end(std::size_t size, json::error_code&) { return names_.pop_back(), stack_.push_object(size), true; }
    bool on_array_begin(json::error_code&) { return true; }
    bool on_array_end(std::size_t size, json::error_code&) { return stack_.push_array(size), true; }
    bool on_key_part(text part, std::size_t, json::error_code&) { return name_ += part, stack_.push_chars(part), true; }
    bool on_key(text part, std::size_t, json::error_code&) { return remember(name_ += part), stack_.push_key(part), true; }
    bool on_string_part(text part, std::size_t, json::error_code&) { return stack_.push_chars(part), true; }
    bool on_string(text part, std::size_t, json::error_code&) { return stack_.push_string(part), true; }
    bool on_number_part(text, json::error_code&) { return true; }
    bool on_int64(std::int64_t number, text, json::error_code&) { return stack_.push_int64(number), true; }
    bool on_uint64(std::uint64_t number, text, json::error_code&) { return stack_.push_uint64(number), true; }
    bool on_double(double number, text, json::error_code&) { return stack_.push_double(number), true; }
    bool on_bool(bool value, json::error_code&) { return stack_.push_bool(value), true; }
    bool on_null(json::error_code&) { return stack_.push_null(), true; }
    bool on_comment_part(text, json::error_code&) { return true; }
    bool on_comment(text, json::error_code&) { return true; }

private:
    void remember(std::string& name)
    {
        auto& known = names_.back();
        if (std::ranges::find(known, name) != known.end() && !repeated_) repeated_ = name;
        // A hostile body with thousands of names: objects of ours have few, and one more is an unknown field anyway.
        if (known.size() < names_max) known.push_back(std::move(name));
        name.clear();
    }

    static constexpr std::size_t names_max = 64;
    json::value_stack stack_;
    std::vector<std::vector<std::string>> names_;
    std::string name_;
    std::optional<std::string> repeated_;
};

}  // namespace

result<json::object> parse_object(std::string_view body)
{
    if (body.empty()) return error{errc::malformed, "the body is empty; expected a JSON object"};
    json::basic_parser<document_handler> reader{json::parse_options{}};
    json::error_code failed;
    const auto consumed = reader.write_some(false, body.data(), body.size(), failed);
    if (!failed && consumed < body.size()) failed = json::error::extra_data;
    if (failed) return malformed_at(failed.message(), body, consumed);
    if (const auto& name = reader.handler().repeated()) return base::invalid(child_pointer("", *name), "appears twice");
    auto document = reader.handler().release();
    if (!document.is_object()) return base::invalid("", "the body must be a JSON object");
    return std::move(document.get_object());
}

std::optional<std::int64_t> as_integer(const json::value& value, std::int64_t min, std::int64_t max)
{
    if (!value.is_int64() || value.get_int64() < min || value.get_int64() > max) return std::nullopt;
    return value.get_int64();
}

const json::value* object_reader::find(std::string_view name, bool required)
{
    asked_.push_back(name);
    const auto* value = object_.if_contains(name);
    if (value == nullptr && required) wrong(name, "is missing");
    return value;
}

std::optional<std::string> object_reader::string(std::string_view name, bool required)
{
    const auto* value = find(name, required);
    if (value == nullptr) return std::nullopt;
    if (value->is_string()) return std::string{value->get_string()};
    wrong(name, "must be a string");
    return std::nullopt;
}

std::optional<std::string> object_reader::string_or_null(std::string_view name)
{
    const auto* value = find(name, false);
    if (value == nullptr || value->is_null()) return std::nullopt;
    if (value->is_string()) return std::string{value->get_string()};
    wrong(name, "must be a string or null");
    return std::nullopt;
}

std::optional<std::int64_t> object_reader::integer(std::string_view name, std::int64_t min, std::int64_t max, bool required)
{
    const auto* value = find(name, required);
    if (value == nullptr) return std::nullopt;
    const auto number = as_integer(*value, min, max);
    if (!number) wrong(name, "must be an integer from " + std::to_string(min) + " to " + std::to_string(max));
    return number;
}

bool object_reader::boolean_or(std::string_view name, bool fallback)
{
    const auto* value = find(name, false);
    if (value == nullptr) return fallback;
    if (value->is_bool()) return value->get_bool();
    wrong(name, "must be true or false");
    return fallback;
}

const json::object* object_reader::object(std::string_view name)
{
    const auto* value = find(name, false);
    if (value == nullptr || value->is_object()) return value == nullptr ? nullptr : &value->get_object();
    wrong(name, "must be an object");
    return nullptr;
}

const json::array* object_reader::array(std::string_view name)
{
    const auto* value = find(name, true);
    if (value == nullptr || value->is_array()) return value == nullptr ? nullptr : &value->get_array();
    wrong(name, "must be an array");
    return nullptr;
}

void object_reader::finish()
{
    std::string known;
    for (const auto name : asked_) known.append(known.empty() ? "" : ", ").append(name);
    for (const auto& [name, value] : object_)
        if (std::ranges::find(asked_, std::string_view{name}) == asked_.end()) errors_.unknown(pointer_, name, known);
}

}  // namespace pystream::api
