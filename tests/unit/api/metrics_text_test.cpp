#include "api/metrics_text.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <sstream>

// What promtool check metrics looks at, and the rules of the text format 0.0.4.

namespace pystream::api {
namespace {

struct family {
    std::string type;
    std::string help;
    std::vector<std::pair<std::string, std::string>> samples;  // name with labels, value
};

std::map<std::string, family> parsed(const std::string& text)
{
    static const std::regex meta{"# (HELP|TYPE) ([a-z_]+) (.+)"};
    static const std::regex sample{R"re(([a-z_]+)((?:\{[a-z_]+="[^"]*"\})?) (\S+))re"};
    std::map<std::string, family> families;
    std::string current;
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) {
        std::smatch parts;
        if (std::regex_match(line, parts, meta)) {
            auto& known = families[parts[2]];
            auto& member = parts[1] == "HELP" ? known.help : known.type;
            BOOST_TEST(member.empty(), "said twice: " << line);
            member = parts[3];
            current = parts[2];
        } else {
            BOOST_REQUIRE_MESSAGE(std::regex_match(line, parts, sample), line);
            BOOST_TEST(parts[1].str().starts_with(current), "a family is not in one piece: " << line);
            BOOST_TEST(std::isfinite(std::stod(parts[3])), line);
            families[current].samples.emplace_back(parts[1].str() + parts[2].str(), parts[3]);
        }
    }
    return families;
}

metrics_input sample_input()
{
    metrics_input input;
    input.engine.records_appended = 7;
    input.engine.commit_cycle_ns_total = 1'500'000'000;
    input.server.durations[0] = 2;
    for (std::size_t i = 1; i < 12; ++i) input.server.durations[i] = 2 + i;
    input.server.duration_seconds_total = 0.25;
    input.server.responses_by_class[4] = 9;
    input.server.loop_lag_max_us = 1500;
    input.ready = true;
    input.version = "0.1.0";
    return input;
}

BOOST_AUTO_TEST_SUITE(metrics_text_test)

BOOST_AUTO_TEST_CASE(every_family_is_named_as_prometheus_wants_it)
{
    const auto text = metrics_text(sample_input());
    BOOST_TEST(text.back() == '\n');
    for (const auto& [name, known] : parsed(text)) {
        BOOST_TEST(name.starts_with("pystream_"), name);
        BOOST_TEST(!known.help.empty(), name);
        BOOST_TEST(!known.samples.empty(), name);
        BOOST_TEST((known.type == "counter" || known.type == "gauge" || known.type == "histogram"), name);
        BOOST_TEST((known.type == "counter") == name.ends_with("_total"), name);
        BOOST_TEST(name.find("_ms") == std::string::npos, name);
    }
}

BOOST_AUTO_TEST_CASE(values_arrive_in_base_units)
{
    const auto families = parsed(metrics_text(sample_input()));
    BOOST_TEST(families.at("pystream_records_appended_total").samples.at(0).second == "7");
    BOOST_TEST(families.at("pystream_commit_cycle_seconds_total").samples.at(0).second == "1.5");
    BOOST_TEST(families.at("pystream_loop_lag_seconds").samples.at(0).second == "0.0015");
    BOOST_TEST(families.at("pystream_ready").samples.at(0).second == "1");
    BOOST_TEST(families.at("pystream_build_info").samples.at(0).first == "pystream_build_info{version=\"0.1.0\"}");
    const std::pair<std::string, std::string> client_errors{"pystream_http_responses_total{class=\"4xx\"}", "9"};
    BOOST_TEST((families.at("pystream_http_responses_total").samples.at(2) == client_errors));
}

BOOST_AUTO_TEST_CASE(the_histogram_is_cumulative_and_ends_at_infinity)
{
    const auto families = parsed(metrics_text(sample_input()));
    const auto& samples = families.at("pystream_http_request_duration_seconds").samples;
    BOOST_REQUIRE(samples.size() == 14u);
    BOOST_TEST(samples.front().first == "pystream_http_request_duration_seconds_bucket{le=\"0.0005\"}");
    for (std::size_t i = 1; i < 12; ++i) BOOST_TEST(std::stoul(samples[i].second) >= std::stoul(samples[i - 1].second));
    BOOST_TEST(samples[11].first == "pystream_http_request_duration_seconds_bucket{le=\"+Inf\"}");
    BOOST_TEST(samples[12].first == "pystream_http_request_duration_seconds_sum");
    BOOST_TEST(samples[13].first == "pystream_http_request_duration_seconds_count");
    BOOST_TEST(samples[13].second == samples[11].second);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
