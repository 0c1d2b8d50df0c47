#include "api/query.hpp"

#include <boost/test/unit_test.hpp>

#include "core/base/ids.hpp"

namespace pystream::api {
namespace {

using base::errc;

constexpr std::string_view known[] = {"key", "n", "topic*"};

query_parameters parsed(std::string_view text)
{
    return query_parameters::parse(text, known).value();
}

BOOST_AUTO_TEST_SUITE(query_test)

BOOST_AUTO_TEST_CASE(values_are_decoded_once)
{
    BOOST_TEST(parsed("key=a%20b+c%2B%2526").find("key").value() == "a b c+%26");
    BOOST_TEST(parsed("key").find("key").value().empty());
    BOOST_TEST(parsed("key=").find("key").value().empty());
    BOOST_TEST(parsed("key=a=b").find("key").value() == "a=b");
    BOOST_TEST(parsed("%6bey=a").find("key").value() == "a");
    BOOST_TEST(parsed("key=%00").find("key").value() == std::string_view("\0", 1));
    BOOST_TEST(parsed("&&n=1&").find("n").value() == "1");
    BOOST_TEST(!parsed("").find("key").has_value());
}

BOOST_AUTO_TEST_CASE(unknown_and_repeated_parameters_are_named)
{
    for (const auto text : {"keys=1", "Key=1", "key=1&x", "=1", "topic*=1"})
        BOOST_TEST((query_parameters::parse(text, known).error().code == errc::unknown_field), text);
    const auto repeated = query_parameters::parse("n=1&n=1", known).error();
    BOOST_TEST((repeated.code == errc::unknown_field));
    BOOST_TEST(repeated.fields.front().pointer == "n");
    const auto both = parsed("topic=a&topic=b").all("topic");
    BOOST_TEST(both.size() == 2u);
    BOOST_TEST((query_parameters::parse("a=1", {}).error().code == errc::unknown_field));
}

BOOST_AUTO_TEST_CASE(bad_percent_encoding_is_malformed)
{
    for (const auto text : {"key=%", "key=%1", "key=%zz", "%=1", "key=a%2"})
        BOOST_TEST((query_parameters::parse(text, known).error().code == errc::malformed), text);
    BOOST_TEST(!percent_decode("%2").has_value());
    BOOST_TEST(percent_decode("a+b%2F").value() == "a+b/");
}

BOOST_AUTO_TEST_CASE(integers_are_strict)
{
    BOOST_TEST(parse_integer("0").value() == 0);
    BOOST_TEST(parse_integer("9007199254740991").value() == base::json_integer_max);
    for (const auto text : {"", "-1", "-0", "+1", "01", "00", " 1", "1 ", "1.0", "1e3", "0x10", "9007199254740992",
                            "18446744073709551617", "99999999999999999999999999", "1\n", "\xef\xbc\x91"})
        BOOST_TEST(!parse_integer(text).has_value(), text);
    BOOST_TEST(parsed("n=5").integer("n", 1, 5).value().value() == 5);
    for (const auto text : {"n=0", "n=6", "n=-1", "n=%2B1", "n=+1", "n=", "n=a"}) {
        const auto failed = parsed(text).integer("n", 1, 5);
        BOOST_REQUIRE(failed.has_error());
        BOOST_TEST(failed.error().fields.front().pointer == "n");
    }
    BOOST_TEST(parsed("").integer_or("n", 3, 1, 5).value() == 3);
}

BOOST_AUTO_TEST_CASE(choices_name_what_is_allowed)
{
    constexpr std::string_view ends[] = {"earliest", "latest"};
    BOOST_TEST(parsed("").choice("key", ends).value() == 0u);
    BOOST_TEST(parsed("key=latest").choice("key", ends).value() == 1u);
    for (const auto text : {"key=", "key=Latest", "key=latest%20"})
        BOOST_TEST(parsed(text).choice("key", ends).error().detail.find("earliest, latest") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(times_are_milliseconds_or_rfc3339)
{
    BOOST_TEST(parse_time_ms("1764400000000").value() == 1764400000000);
    BOOST_TEST(parse_time_ms("1970-01-01T00:00:00Z").value() == 0);
    BOOST_TEST(parse_time_ms("2025-11-29T12:34:56.789Z").value() == 1764419696789);
    BOOST_TEST(parse_time_ms("2025-11-29t12:34:56z").value() == 1764419696000);
    BOOST_TEST(parse_time_ms("2025-11-29T13:34:56+01:00").value() == 1764419696000);
    BOOST_TEST(parse_time_ms("2025-11-29T07:04:56-05:30").value() == 1764419696000);
    BOOST_TEST(parse_time_ms("2024-02-29T00:00:00Z").value() == 1709164800000);
    BOOST_TEST(parse_time_ms("2025-11-29T12:34:56.7Z").value() == 1764419696700);
    BOOST_TEST(parse_time_ms("2025-11-29T12:34:56.7890001Z").value() == 1764419696790);
    BOOST_TEST(parse_time_ms("0317-12-02T04:41:53Z").value() == 0);
    BOOST_TEST(parse_time_ms("2016-12-31T23:59:60Z").value() == 1483228800000);
    for (const auto text : {"", "now", "-1", "2025-11-29", "2025-11-29T12:34:56", "2025-11-29T12:34Z", "2025-13-01T00:00:00Z",
                            "2025-02-29T00:00:00Z", "2025-11-29T24:00:00Z", "2025-11-29T12:60:00Z", "2025-11-29T12:34:61Z",
                            "2025-11-29T12:34:56.Z", "2025-11-29T12:34:56Zx", "2025-11-29T12:34:56+24:00",
                            "2025-11-29T12:34:56+0100", "25-11-29T12:34:56Z", "2025-11-29T-1:34:56Z", "2025-1-29T12:34:56Z"})
        BOOST_TEST(!parse_time_ms(text).has_value(), text);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
