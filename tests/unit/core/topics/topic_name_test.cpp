#include "core/topics/topic_name.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace pystream;
using topics::check_name;

BOOST_AUTO_TEST_SUITE(topic_name)

BOOST_AUTO_TEST_CASE(allowed_names)
{
    for (const std::string name : {"a", "Orders", "orders", "a.b", "a_b", "a-b", "t-1", "-", "_", "__offsets", "...", ".hidden",
                                   "0", ".deleted-1", "x.tmp", "AZaz09._-"})
        BOOST_TEST(check_name(name, "name").has_value(), name);
    BOOST_TEST(check_name(std::string(249, 'n'), "name").has_value());
}

BOOST_AUTO_TEST_CASE(refused_names)
{
    using namespace std::string_literals;
    for (const std::string& name : {""s,    "."s,          ".."s,  "a/b"s,   "../a"s,  "a b"s,   " a"s,
                                    "a\n"s, "a\0"s,        "\0"s,  "a%2Fb"s, "größe"s, "a\xff"s, "a:b"s,
                                    "a+b"s, "lost+found"s, "a@b"s, "[a]"s,   "`a"s,    "a{"s,    std::string(250, 'n')})
        BOOST_TEST(!check_name(name, "name").has_value(), name);
}

BOOST_AUTO_TEST_CASE(every_byte_alone)
{
    int allowed = 0;
    for (int byte = 0; byte < 256; ++byte) {
        const std::string name = "n" + std::string(1, static_cast<char>(byte));
        if (check_name(name, "name")) ++allowed;
    }
    BOOST_TEST(allowed == 26 + 26 + 10 + 3);
}

BOOST_AUTO_TEST_CASE(the_error_names_field_and_rule_but_not_the_bytes)
{
    const auto refused = check_name("bad\x01name", "/name");
    BOOST_REQUIRE(!refused);
    BOOST_TEST((refused.error().code == base::errc::invalid_field));
    BOOST_REQUIRE(refused.error().fields.size() == 1u);
    BOOST_TEST(refused.error().fields[0].pointer == "/name");
    BOOST_TEST(refused.error().detail.find("249") != std::string::npos);
    BOOST_TEST(refused.error().detail.find('\x01') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(internal_names_start_with_two_underscores)
{
    BOOST_TEST(topics::is_internal("__offsets"));
    BOOST_TEST(topics::is_internal("__"));
    BOOST_TEST(!topics::is_internal("_offsets"));
    BOOST_TEST(!topics::is_internal("a__"));
    BOOST_TEST(!topics::is_internal(""));
}

BOOST_AUTO_TEST_SUITE_END()
