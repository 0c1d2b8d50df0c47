#pragma once

#include <boost/json.hpp>

#include <set>
#include <string>
#include <vector>

namespace pystream::tests {

// The OpenAPI document in the source tree.
const boost::json::object& document();
const boost::json::object& schema(std::string_view name);
// Follows $ref as often as needed.
const boost::json::object& resolve(const boost::json::object& node);

// Holds values against schemas of the document: the part of JSON Schema 2020-12 that the document uses. Remembers which
// properties were seen, so that a test can ask for the ones that no sample had.
class schema_check {
public:
    // What does not fit, each with its place; empty: it fits.
    std::vector<std::string> check(const boost::json::value& value, const boost::json::object& schema);
    // Names in `properties` of the schema that no checked value had.
    std::vector<std::string> unseen(const boost::json::object& schema) const;

private:
    void walk(const boost::json::value& value, const boost::json::object& unresolved, const std::string& at);
    void walk_object(const boost::json::object& value, const boost::json::object& schema, const std::string& at);
    void walk_array(const boost::json::array& value, const boost::json::object& schema, const std::string& at);
    void check_choices(const boost::json::value& value, const boost::json::object& schema, const std::string& at);
    bool fits(const boost::json::value& value, const boost::json::object& schema);
    void complain(const std::string& at, std::string what) { wrong_.push_back(at + ": " + std::move(what)); }

    std::vector<std::string> wrong_;
    std::set<std::pair<const void*, std::string>> seen_;
};

}  // namespace pystream::tests
