#include "api/routes.hpp"

#include <boost/test/unit_test.hpp>

namespace pystream::api {
namespace {

std::string pattern_of(method verb, std::string_view path)
{
    const auto* match = match_route(verb, path);
    return match != nullptr ? std::string{match->pattern} : "";
}

result<path_values> values_of(std::string_view path)
{
    return read_path(*match_route(method::get, path), path);
}

BOOST_AUTO_TEST_SUITE(routes_test)

BOOST_AUTO_TEST_CASE(paths_match_whole)
{
    BOOST_TEST(pattern_of(method::get, "/") == "/");
    BOOST_TEST(pattern_of(method::get, "/api/topics") == "/api/topics");
    BOOST_TEST(pattern_of(method::get, "/api/topics/t") == "/api/topics/{topic}");
    BOOST_TEST(pattern_of(method::get, "/api/topics/t/partitions/0/records/7") ==
               "/api/topics/{topic}/partitions/{partition}/records/{offset}");
    for (const auto path : {"", "*", "/api/topics/", "/api//topics", "//api/topics", "/api/topics/t/", "/api/topics//records",
                            "/api", "/API/topics", "/api/topics/t/partitions/0/records/", "/api/topics/t/x", "api/topics",
                            "/docs/", "/docs/a/b", "http://x/api/topics"}) {
        BOOST_TEST(match_route(method::get, path) == nullptr, path);
        BOOST_TEST(allowed_methods(path).empty(), path);
    }
}

BOOST_AUTO_TEST_CASE(the_methods_of_a_path_are_told)
{
    BOOST_TEST(allowed_methods("/api/topics") == "GET, HEAD, POST, OPTIONS");
    BOOST_TEST(allowed_methods("/api/topics/t") == "GET, HEAD, PATCH, DELETE, OPTIONS");
    BOOST_TEST(allowed_methods("/api/topics/t/records") == "POST, OPTIONS");
    BOOST_TEST(allowed_methods("/metrics") == "GET, HEAD, OPTIONS");
    BOOST_TEST(pattern_of(method::head, "/api/topics/t") == "/api/topics/{topic}");
}

BOOST_AUTO_TEST_CASE(every_part_is_decoded_once_and_checked)
{
    const auto values = values_of("/api/topics/a%2Db/partitions/12/records/9007199254740991").value();
    BOOST_TEST(values.topic == "a-b");
    BOOST_TEST(values.partition.value() == 12);
    BOOST_TEST(values.has_partition);
    BOOST_TEST(values.offset.value() == 9007199254740991);
    BOOST_TEST(values_of("/api/groups/%67").value().group == "g");
    BOOST_TEST(!values_of("/api/topics/t").value().has_partition);
}

// C044: an encoded slash is part of a name, and no name may have one.
BOOST_AUTO_TEST_CASE(c044_an_encoded_slash_never_separates)
{
    BOOST_TEST(pattern_of(method::get, "/api/groups/g%2F1") == "/api/groups/{group}");
    BOOST_TEST((values_of("/api/groups/g%2F1").error().code == errc::invalid_field));
    BOOST_TEST((values_of("/api/topics/%252F").error().code == errc::invalid_field));
    BOOST_TEST(pattern_of(method::get, "/api/topics%2Ft").empty());
}

BOOST_AUTO_TEST_CASE(bad_parts_are_named)
{
    for (const auto path : {"/api/topics/%", "/api/topics/%f", "/api/topics/%gg"})
        BOOST_TEST((values_of(path).error().code == errc::malformed), path);
    for (const auto path : {"/api/topics/.", "/api/topics/..", "/api/topics/%2e%2E", "/api/topics/a%20b", "/api/topics/%00",
                            "/api/topics/%C3%A9"})
        BOOST_TEST(values_of(path).error().fields.front().pointer == "topic", path);
    BOOST_TEST((values_of("/api/topics/" + std::string(250, 'a')).error().code == errc::invalid_field));
    BOOST_TEST(values_of("/api/topics/" + std::string(249, 'a')).has_value());
    for (const auto number : {"-1", "+1", "01", "1.0", "x", "2147483648", "99999999999999999999", "%2B1", "1%20"})
        BOOST_TEST(values_of("/api/topics/t/partitions/" + std::string{number}).error().fields.front().pointer == "partition",
                   number);
    for (const auto number : {"-1", "01", "x", "9007199254740992"})
        BOOST_TEST(
            values_of("/api/topics/t/partitions/0/records/" + std::string{number}).error().fields.front().pointer == "offset",
            number);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
