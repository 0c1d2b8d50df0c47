#include "config/env_file.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>

namespace pystream::config {

namespace {

env_file_content parse(const std::string& text)
{
    std::istringstream in{text};
    return parse_env_file(in, "x.env");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(env_file_test)

BOOST_AUTO_TEST_CASE(forms_of_a_line)
{
    const auto content = parse(
        "# comment\n\n  \nA=1\nexport B=2\nC= spaced out \nD=\"quoted # not a comment \"\nE='single \"inside\"' # comment\n"
        "F=value # comment\nG=a#b\nH=\nI=x=y\r\nJ = 1\nK=\"\"\nlower=1");
    const std::pair<const char*, const char*> expected[] = {{"A", "1"},
                                                            {"B", "2"},
                                                            {"C", "spaced out"},
                                                            {"D", "quoted # not a comment "},
                                                            {"E", "single \"inside\""},
                                                            {"F", "value"},
                                                            {"G", "a#b"},
                                                            {"H", ""},
                                                            {"I", "x=y"},
                                                            {"J", "1"},
                                                            {"K", ""},
                                                            {"lower", "1"}};
    BOOST_TEST(content.bad.empty());
    BOOST_TEST_REQUIRE(content.lines.size() == std::size(expected));
    for (std::size_t i = 0; i < std::size(expected); ++i) {
        BOOST_TEST(content.lines[i].name == expected[i].first);
        BOOST_TEST(content.lines[i].value == expected[i].second);
    }
}

BOOST_AUTO_TEST_CASE(bad_lines_are_named_by_number)
{
    const auto content = parse("A=1\nnonsense\n=2\nB=\"open\nC=\"x\" y\nD-E=1\n");
    BOOST_TEST(content.lines.size() == 1U);
    BOOST_TEST_REQUIRE(content.bad.size() == 5U);
    BOOST_TEST(content.bad[0].name == "x.env line 2");
    BOOST_TEST(content.bad[0].value == "nonsense");
    BOOST_TEST(content.bad[4].name == "x.env line 6");
}

BOOST_AUTO_TEST_CASE(a_name_set_twice_is_refused)
{
    const auto content = parse("A=1\nA=2\n");
    BOOST_TEST_REQUIRE(content.bad.size() == 1U);
    BOOST_TEST(content.bad[0].reason == "it is set twice in this file");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pystream::config
