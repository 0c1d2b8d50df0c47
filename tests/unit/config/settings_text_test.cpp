#include <boost/test/unit_test.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "config/env_file.hpp"
#include "config/settings_table.hpp"

namespace pystream::config {

namespace {

std::string read_source(const std::string& path)
{
    std::ifstream file{std::string{PYSTREAM_SOURCE_DIR} + "/" + path};
    BOOST_TEST_REQUIRE(file.is_open(), path);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}

bool mentions(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(settings_text_test)

// ./scripts/generate.sh makes both again.
BOOST_AUTO_TEST_CASE(documentation_and_example_equal_the_table)
{
    BOOST_TEST(mentions(read_source("docs/configuration.md"), markdown_table()),
               "docs/configuration.md: run ./scripts/generate.sh");
    BOOST_TEST(read_source("config/pystream.env.example") == env_example(),
               "config/pystream.env.example: run ./scripts/generate.sh");
}

BOOST_AUTO_TEST_CASE(the_example_is_an_env_file_that_changes_nothing)
{
    std::string text;
    std::istringstream example{env_example()};
    for (std::string line; std::getline(example, line);)
        text += (line.starts_with("#PYSTREAM_") ? line.substr(1) : line) + "\n";
    std::istringstream in{text};
    const auto content = parse_env_file(in, "example");
    BOOST_TEST(content.bad.empty());
    BOOST_TEST_REQUIRE(content.lines.size() == settings_table().size());
    for (std::size_t i = 0; i < content.lines.size(); ++i) {
        BOOST_TEST(content.lines[i].name == environment_name(settings_table()[i]));
        BOOST_TEST(content.lines[i].value == settings_table()[i].fallback);
    }
}

BOOST_AUTO_TEST_CASE(help_names_every_option_with_its_default)
{
    const std::string help = help_text();
    for (const setting& row : settings_table()) {
        BOOST_TEST(mentions(help, "  --" + option_name(row) + (row.is_switch ? "[=BOOL]" : "=VALUE")), row.name);
        BOOST_TEST(mentions(help, row.allowed), row.name);
    }
    for (const char* option : {"--help", "--version", "--env-file"}) BOOST_TEST(mentions(help, option), option);
}

// design.md, section 8: every variable that it names is known, so that none is ignored without a word.
BOOST_AUTO_TEST_CASE(every_setting_of_the_design_is_in_the_table)
{
    std::set<std::string_view> names;
    for (const setting& row : settings_table()) BOOST_TEST(names.insert(row.name).second, row.name);
    for (const char* name : {"APP_NAME",
                             "HOST",
                             "PORT",
                             "LOG_LEVEL",
                             "DATA_DIR",
                             "BROKERS",
                             "PLACEMENT",
                             "DEFAULT_PARTITIONS",
                             "DEFAULT_REPLICATION_FACTOR",
                             "DURABILITY",
                             "SYNC_RECORDS",
                             "SYNC_MILLIS",
                             "SEGMENT_BYTES",
                             "SEGMENT_MILLIS",
                             "RETENTION_BYTES",
                             "RETENTION_MILLIS",
                             "WORKER_THREADS",
                             "MAX_BODY_BYTES",
                             "MAX_RECORD_BYTES",
                             "MAX_BATCH_BYTES",
                             "MAX_CONNECTIONS",
                             "MAX_INFLIGHT_BYTES",
                             "TAIL_CACHE_BYTES",
                             "SESSION_TIMEOUT_MILLIS",
                             "SHUTDOWN_GRACE_MILLIS",
                             "AUTH_TOKENS_FILE",
                             "TLS_CERT",
                             "TLS_KEY",
                             "CORS_ORIGINS",
                             "INSECURE",
                             "ADVERTISED_URL"})
        BOOST_TEST(names.contains(name), name);
}

BOOST_AUTO_TEST_CASE(version_is_one_line)
{
    BOOST_TEST(version_text() == "pystream " + std::string{version()} + "\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pystream::config
