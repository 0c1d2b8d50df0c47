#include "api/json_writer.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <limits>

namespace pystream::api {
namespace {

std::string escaped(std::string_view text)
{
    std::string out;
    append_json_string(out, text);
    return out;
}

BOOST_AUTO_TEST_SUITE(json_writer_test)

BOOST_AUTO_TEST_CASE(commas_and_nesting)
{
    std::string out;
    json_writer json{out};
    json.begin_object().member("a", "b").name("n").begin_array().integer(1).null().begin_object().end_object().boolean(true);
    json.begin_array().end_array().base64("f").end_array().name("r").raw("{\"x\":1}").name("z").integer(-2).end_object();
    BOOST_TEST(out == R"({"a":"b","n":[1,null,{},true,[],"Zg=="],"r":{"x":1},"z":-2})");
}

BOOST_AUTO_TEST_CASE(strings_escape_what_must_be_and_nothing_else)
{
    BOOST_TEST(escaped("") == "\"\"");
    BOOST_TEST(escaped("plain /\x7f \u00e9") == "\"plain /\x7f \u00e9\"");
    BOOST_TEST(escaped("\"\\\b\f\n\r\t") == R"("\"\\\b\f\n\r\t")");
    BOOST_TEST(escaped(std::string_view("\0\x1f", 2)) == R"("\u0000\u001f")");
    std::string every;
    for (int c = 0; c < 128; ++c) every += static_cast<char>(c);
    BOOST_TEST(std::string{boost::json::parse(escaped(every)).as_string()} == every);
}

BOOST_AUTO_TEST_CASE(integers_of_every_size)
{
    for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                      std::numeric_limits<std::int64_t>::max()}) {
        std::string out;
        append_integer(out, number);
        BOOST_TEST(out == std::to_string(number));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
