#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/field_errors.hpp"

// Small JSON bodies (topics, commits) as a document, read strictly: names once, integers as integers, nothing ignored.

namespace pystream::api {

// An object. Errors: malformed with line and column; invalid_field for a name that appears twice or another kind of value.
base::result<boost::json::object> parse_object(std::string_view body);

// Reads the fields of one object and collects what is wrong. Every field that was not asked for is an unknown field.
class object_reader {
public:
    // Both outlive the reader. `pointer` names the object; "" is the document.
    object_reader(const boost::json::object& object, std::string pointer, field_errors& errors)
        : object_(object), pointer_(std::move(pointer)), errors_(errors)
    {
    }

    // Absent: nullopt, and an error when `required`. Of the wrong kind or out of range: nullopt and an error.
    std::optional<std::string> string(std::string_view name, bool required = false);
    std::optional<std::string> string_or_null(std::string_view name);
    std::optional<std::int64_t> integer(std::string_view name, std::int64_t min, std::int64_t max, bool required = false);
    bool boolean_or(std::string_view name, bool fallback);
    // Null counts as absent for none of them. The pointers live as long as the object.
    const boost::json::object* object(std::string_view name);
    const boost::json::array* array(std::string_view name);

    std::string pointer_to(std::string_view name) const { return child_pointer(pointer_, name); }
    void finish();

private:
    const boost::json::value* find(std::string_view name, bool required);
    void wrong(std::string_view name, std::string detail) { errors_.invalid(pointer_to(name), std::move(detail)); }

    const boost::json::object& object_;
    const std::string pointer_;
    field_errors& errors_;
    std::vector<std::string_view> asked_;
};

// The integer that a JSON number is, if it is one within the range: 3, not 3.0 and not 3e0.
std::optional<std::int64_t> as_integer(const boost::json::value& value, std::int64_t min, std::int64_t max);

}  // namespace pystream::api
