#include "api/media.hpp"

#include <boost/test/unit_test.hpp>

namespace pystream::api {
namespace {

constexpr std::string_view offers[] = {"application/json", "application/x-ndjson"};

int chosen(std::string_view accept)
{
    const auto index = negotiate(accept, offers);
    return index ? static_cast<int>(*index) : -1;
}

BOOST_AUTO_TEST_SUITE(media_test)

// C066: parameters, case and spaces do not matter.
BOOST_AUTO_TEST_CASE(c066_content_types)
{
    for (const auto text : {"application/json", "application/json; charset=utf-8", "APPLICATION/JSON ;charset=\"UTF-8\"",
                            " application/json ; x=y"})
        BOOST_TEST(parse_media_type(text).value().essence == "application/json", text);
    BOOST_TEST(parse_media_type("APPLICATION/JSON ;charset=\"UTF-8\"").value().charset.value() == "utf-8");
    BOOST_TEST(!parse_media_type("application/json").value().charset.has_value());
    BOOST_TEST(parse_media_type("text/plain;format=flowed; CHARSET = Latin1").value().charset.value() == "latin1");
    for (const auto text : {"", "json", "/json", "application/", "a/b/c", "text plain/x", ";", "a/b\xc3\xa9"})
        BOOST_TEST(!parse_media_type(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(accept_is_negotiated)
{
    BOOST_TEST(negotiate(std::nullopt, offers).value() == 0u);
    for (const auto text : {"", "*/*", "application/json", "application/*", "text/html, */*;q=0.1", "Application/JSON",
                            "*/*, application/x-ndjson;q=0.5"})
        BOOST_TEST(chosen(text) == 0, text);
    for (const auto text :
         {"application/x-ndjson", "application/x-ndjson, */*;q=0.5", "application/json;q=0.5, application/x-ndjson",
          "application/json;q=0, */*", "text/html,application/x-ndjson;q=0.001"})
        BOOST_TEST(chosen(text) == 1, text);
    for (const auto text : {"text/html", "text/event-stream", "application/json;q=0", "*/*;q=0", "application/xml, text/*",
                            "application/json;q=0.000"})
        BOOST_TEST(chosen(text) == -1, text);
}

BOOST_AUTO_TEST_CASE(gzip_only_where_it_is_allowed)
{
    for (const auto text : {"gzip", "deflate, GZIP;q=0.5", "br,gzip"}) BOOST_TEST(accepts_gzip(text), text);
    for (const auto text : {"", "gzip;q=0", "deflate", "x-gzip", "identity"}) BOOST_TEST(!accepts_gzip(text), text);
    BOOST_TEST(!accepts_gzip(std::nullopt));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
