#include "config/command_line.hpp"

#include <boost/test/unit_test.hpp>

namespace pystream::config {

BOOST_AUTO_TEST_SUITE(command_line_test)

BOOST_AUTO_TEST_CASE(both_forms_of_a_value)
{
    const command_line line =
        parse_command_line({"--port=1", "--host", "::1", "--data-dir", "-odd", "--tls-cert=", "--insecure"});
    BOOST_TEST(line.bad.empty());
    BOOST_TEST_REQUIRE(line.settings.size() == 5U);
    BOOST_TEST(line.settings[0].value == "1");
    BOOST_TEST(line.settings[1].name == "host");
    BOOST_TEST(line.settings[1].value == "::1");
    BOOST_TEST(line.settings[2].value == "-odd");
    BOOST_TEST(line.settings[3].value == "");
    BOOST_TEST(line.settings[4].value == "true");
}

BOOST_AUTO_TEST_CASE(names_are_never_guessed)
{
    for (const char* argument : {"--por=1", "--PORT=1", "--p=1", "--port_=1", "-p"}) {
        const command_line line = parse_command_line({argument});
        BOOST_TEST(line.settings.empty(), argument);
        BOOST_TEST(line.bad.size() == 1U, argument);
    }
    BOOST_TEST(parse_command_line({"--prot=1"}).bad.at(0).reason == "there is no such option; did you mean --port?");
}

BOOST_AUTO_TEST_CASE(an_unknown_option_and_its_value_are_one_mistake)
{
    const command_line line = parse_command_line({"--prot", "1", "--host=::1", "stray"});
    BOOST_TEST_REQUIRE(line.bad.size() == 2U);
    BOOST_TEST(line.bad[0].name == "--prot");
    BOOST_TEST(line.bad[1].value == "stray");
    BOOST_TEST(line.settings.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_repeated_option_is_refused)
{
    BOOST_TEST(parse_command_line({"--port=1", "--port=2"}).bad.at(0).reason == "it is given twice");
}

BOOST_AUTO_TEST_CASE(a_missing_value_is_refused)
{
    BOOST_TEST(parse_command_line({"--port"}).bad.size() == 1U);
}

BOOST_AUTO_TEST_CASE(help_wins_over_version)
{
    BOOST_TEST((parse_command_line({"--help"}).wanted == request::help));
    BOOST_TEST((parse_command_line({"--version"}).wanted == request::version));
    BOOST_TEST((parse_command_line({"--version", "--help"}).wanted == request::help));
    BOOST_TEST((parse_command_line({"--help", "--version"}).wanted == request::help));
    BOOST_TEST((parse_command_line({}).wanted == request::serve));
    BOOST_TEST(parse_command_line({"--env-file", "x"}).env_file.value() == "x");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pystream::config
