#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>

#include "api/problem.hpp"
#include "api/routes.hpp"
#include "core/topics/topic_config.hpp"
#include "tests/support/schema_check.hpp"

// The document describes exactly what the tables carry out: no route, parameter or code on one side only.

namespace pystream::api {
namespace {

namespace json = boost::json;
using tests::document;
using tests::resolve;
using tests::schema;

std::string lowered(std::string_view text)
{
    std::string copy{text};
    for (char& c : copy) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return copy;
}

const json::object& operation_of(const route& one)
{
    return document().at("paths").at(one.pattern).at(lowered(to_string(one.verb))).as_object();
}

std::set<std::string> documented_parameters(const json::object& operation, std::string_view place)
{
    std::set<std::string> names;
    const auto* parameters = operation.if_contains("parameters");
    if (parameters == nullptr) return names;
    for (const auto& parameter : parameters->as_array()) {
        const auto& described = resolve(parameter.as_object());
        if (described.at("in").as_string() == place) names.emplace(described.at("name").as_string());
    }
    return names;
}

std::set<std::string> pattern_variables(std::string_view pattern)
{
    std::set<std::string> names;
    for (auto open = pattern.find('{'); open != std::string_view::npos; open = pattern.find('{', open + 1))
        names.emplace(pattern.substr(open + 1, pattern.find('}', open) - open - 1));
    return names;
}

template <class Visit>
void for_each_response(const Visit& visit)
{
    for (const auto& one : routes())
        for (const auto& [status, answer] : operation_of(one).at("responses").as_object())
            visit(one, status, resolve(answer.as_object()));
}

BOOST_AUTO_TEST_SUITE(openapi_test)

BOOST_AUTO_TEST_CASE(routes_and_operations_are_the_same)
{
    std::set<std::string> in_table;
    for (const auto& one : routes()) in_table.insert(std::string{one.pattern} + ' ' + lowered(to_string(one.verb)));
    std::set<std::string> in_document;
    for (const auto& [path, operations] : document().at("paths").as_object())
        for (const auto& [verb, operation] : operations.as_object())
            in_document.insert(std::string{path} + ' ' + std::string{verb});
    BOOST_TEST(in_table.size() == routes().size(), "a route is in the table twice");
    BOOST_TEST(in_table == in_document, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(parameters_are_the_same)
{
    for (const auto& one : routes()) {
        std::set<std::string> known;
        for (auto name : one.known_parameters()) known.emplace(name.ends_with('*') ? name.substr(0, name.size() - 1) : name);
        BOOST_TEST_CONTEXT(to_string(one.verb) << ' ' << one.pattern)
        {
            BOOST_TEST(documented_parameters(operation_of(one), "query") == known, boost::test_tools::per_element());
            BOOST_TEST(documented_parameters(operation_of(one), "path") == pattern_variables(one.pattern),
                       boost::test_tools::per_element());
        }
    }
}

BOOST_AUTO_TEST_CASE(bodies_are_the_same)
{
    for (const auto& one : routes()) {
        const auto* body = operation_of(one).if_contains("requestBody");
        BOOST_TEST((body != nullptr) == (one.body != body_form::none), one.pattern);
        if (body == nullptr) continue;
        const auto& content = body->at("content").as_object();
        BOOST_TEST(content.contains(json_type), one.pattern);
        BOOST_TEST(content.contains(ndjson_type) == (one.body == body_form::records), one.pattern);
        BOOST_TEST(content.contains("application/octet-stream") == (one.body == body_form::records), one.pattern);
    }
}

BOOST_AUTO_TEST_CASE(offered_media_types_are_the_same)
{
    for_each_response([](const route& one, std::string_view status, const json::object& answer) {
        const auto* content = answer.if_contains("content");
        if (!status.starts_with('2') || content == nullptr || one.offered().empty()) return;
        std::set<std::string_view> documented;
        for (const auto& [type, media] : content->as_object()) documented.insert(std::string_view{type});
        const std::set<std::string_view> offered{one.offered().begin(), one.offered().end()};
        BOOST_TEST(documented == offered, boost::test_tools::per_element());
    });
}

BOOST_AUTO_TEST_CASE(problem_codes_are_the_same)
{
    std::vector<std::string_view> in_table;
    for (const auto& kind : problem_kinds()) in_table.push_back(kind.code);
    std::vector<std::string_view> in_document;
    for (const auto& code : schema("problem_code").at("enum").as_array()) in_document.emplace_back(code.as_string());
    BOOST_TEST(in_table == in_document, boost::test_tools::per_element());
}

// The description of an error answer lists its codes: each must be one that comes with that status.
BOOST_AUTO_TEST_CASE(error_answers_name_codes_of_their_status)
{
    std::set<std::string_view> named;
    for_each_response([&](const route& one, std::string_view status, const json::object& answer) {
        if (status < "400") return;
        BOOST_TEST(answer.at("content").as_object().contains("application/problem+json"), one.pattern);
        const std::string_view codes = answer.at("description").as_string();
        std::size_t count = 0;
        for (const auto& kind : problem_kinds()) {
            if (codes.find('`' + std::string{kind.code} + '`') == std::string_view::npos) continue;
            BOOST_TEST(std::to_string(kind.status) == status, kind.code);
            named.insert(kind.code);
            ++count;
        }
        BOOST_TEST(count == static_cast<std::size_t>(std::ranges::count(codes, '`')) / 2, codes);
    });
    // Codes of every path or method, of start-up, and of metadata files never belong to one operation.
    const std::set<std::string_view> nowhere{"method_not_allowed", "locked", "corrupt_metadata"};
    for (const auto& kind : problem_kinds()) BOOST_TEST(named.contains(kind.code) != nowhere.contains(kind.code), kind.code);
}

BOOST_AUTO_TEST_CASE(topic_settings_and_their_ranges_are_the_same)
{
    for (const auto name : {"topic_config", "topic_config_change", "effective_config"}) {
        const auto& properties = schema(name).at("properties").as_object();
        BOOST_TEST(properties.size() == topics::config_keys().size());
        for (const auto& key : topics::config_keys()) BOOST_TEST(properties.contains(key.name), key.name);
    }
    for (const auto& key : topics::config_keys()) {
        const auto& property = schema("topic_config").at("properties").at(key.name);
        BOOST_TEST(property.at("minimum").as_int64() == key.min, key.name);
        BOOST_TEST(property.at("maximum").as_int64() == key.max, key.name);
    }
}

// Every example of a schema is valid under that schema.
BOOST_AUTO_TEST_CASE(examples_fit_their_schemas)
{
    std::size_t examples = 0;
    for (const auto& [name, described] : document().at("components").at("schemas").as_object()) {
        const auto* found = described.as_object().if_contains("examples");
        if (found == nullptr) continue;
        for (const auto& example : found->as_array()) {
            tests::schema_check check;
            for (const auto& wrong : check.check(example, described.as_object())) BOOST_ERROR(std::string{name} + wrong);
            ++examples;
        }
    }
    BOOST_TEST(examples >= 8u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
