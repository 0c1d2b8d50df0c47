#include "config/settings.hpp"

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "config/settings_table.hpp"

namespace pystream::config {

namespace {

namespace data = boost::unit_test::data;

using strings = std::vector<std::string>;

load_result load_from(strings arguments, strings environment = {}, std::string env_file = "")
{
    return load({std::move(arguments), std::move(environment), std::move(env_file)});
}

bool mentions(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

// The reasons not to start, one a line.
std::string complaints(const load_result& result)
{
    std::string out;
    for (const bad_value& bad : result.bad) out += to_string(bad) + "\n";
    return out;
}

// A file that is gone after the test.
class temporary_file {
public:
    explicit temporary_file(const std::string& content)
        : path_(std::filesystem::temp_directory_path() / ("pystream_settings_" + std::to_string(::getpid()) + ".env"))
    {
        std::ofstream{path_} << content;
    }
    ~temporary_file() { std::filesystem::remove(path_); }
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(settings_test)

BOOST_AUTO_TEST_CASE(nothing_given_means_the_defaults_of_the_design)
{
    const load_result result = load_from({});
    BOOST_TEST(complaints(result) == "");
    BOOST_TEST(result.warnings.empty());
    BOOST_TEST((result.wanted == request::serve));
    BOOST_TEST(result.values.app_name == "pystream");
    BOOST_TEST(result.values.host == "127.0.0.1");
    BOOST_TEST(result.values.port == 8000);
    BOOST_TEST((result.values.log_level == base::severity::info));
    BOOST_TEST(result.values.data_dir == "data");
    BOOST_TEST(result.values.default_partitions == 1);
    BOOST_TEST(result.values.segment_bytes == 1ULL << 30);
    BOOST_TEST(!result.values.segment_millis.has_value());
    BOOST_TEST(result.values.max_record_bytes == 1ULL << 20);
    BOOST_TEST(result.values.shutdown_grace_millis == 30000);
    BOOST_TEST(result.values.cors_origins.empty());
    BOOST_TEST(!result.values.insecure);
}

// C073: what an orchestrator or a typing mistake puts there is refused, never cut down to something that fits.
BOOST_DATA_TEST_CASE(c073_bad_port_is_refused_with_name_value_and_range,
                     data::make({"tcp://10.0.0.1:9092", "", "abc", "70000", "-1", "8080x", " 8080", "08080", "8080 ", "+8080",
                                 "0x50", "8e3", "80.0", "65536", "99999999999999999999"}),
                     value)
{
    const std::string text = value;
    for (const load_result& result : {load_from({}, {"PYSTREAM_PORT=" + text}), load_from({"--port=" + text})}) {
        BOOST_TEST_REQUIRE(result.bad.size() == 1U, complaints(result));
        BOOST_TEST(result.bad[0].value == text);
        BOOST_TEST(mentions(result.bad[0].reason, "an integer from 0 to 65535"));
    }
    BOOST_TEST(load_from({}, {"PYSTREAM_PORT=" + text}).bad[0].name == "PYSTREAM_PORT");
    BOOST_TEST(load_from({"--port", text}).bad[0].name == "--port");
}

BOOST_AUTO_TEST_CASE(c073_kubernetes_service_variables_get_a_hint)
{
    const load_result result = load_from({}, {"PYSTREAM_PORT=tcp://10.0.0.1:9092", "PYSTREAM_SERVICE_HOST=10.0.0.1"});
    BOOST_TEST(mentions(complaints(result), "PYSTREAM_PORT=\"tcp://10.0.0.1:9092\""));
    BOOST_TEST(mentions(complaints(result), "enableServiceLinks: false"));
    BOOST_TEST_REQUIRE(result.warnings.size() == 1U);
    BOOST_TEST(mentions(result.warnings[0], "enableServiceLinks: false"));
}

BOOST_AUTO_TEST_CASE(all_bad_values_are_reported_at_once)
{
    const temporary_file file{"PYSTREAM_LOG_LEVEL=LOUD\nnonsense\n"};
    const load_result result = load_from({"--env-file", file.path(), "--port=x", "--no-such-option", "--insecure=maybe"},
                                         {"PYSTREAM_HOST=nowhere", "PYSTREAM_SEGMENT_BYTES=1"});
    const std::string text = complaints(result);
    for (const char* part : {"PYSTREAM_LOG_LEVEL=\"LOUD\"", "line 2=\"nonsense\"", "--port=\"x\"", "--no-such-option",
                             "--insecure=\"maybe\"", "PYSTREAM_HOST=\"nowhere\"", "PYSTREAM_SEGMENT_BYTES=\"1\""})
        BOOST_TEST(mentions(text, part), part << " is missing in:\n" << text);
    BOOST_TEST(result.bad.size() == 7U, text);
}

BOOST_AUTO_TEST_CASE(command_line_beats_environment_beats_file_beats_default)
{
    const temporary_file file{"PYSTREAM_PORT=1\nPYSTREAM_WORKER_THREADS=1\nPYSTREAM_APP_NAME=from-file\n"};
    const load_result result =
        load_from({"--port=3", "--env-file=" + file.path()}, {"PYSTREAM_PORT=2", "PYSTREAM_WORKER_THREADS=2"});
    BOOST_TEST(complaints(result) == "");
    BOOST_TEST(result.values.port == 3);
    BOOST_TEST(result.values.worker_threads == 2U);
    BOOST_TEST(result.values.app_name == "from-file");
    const auto from = [&](std::string_view name) {
        return std::ranges::find(result.effective, name, &effective_value::name)->from;
    };
    BOOST_TEST((from("PORT") == origin::command_line));
    BOOST_TEST((from("WORKER_THREADS") == origin::environment));
    BOOST_TEST((from("APP_NAME") == origin::env_file));
    BOOST_TEST((from("DATA_DIR") == origin::fallback));
}

BOOST_AUTO_TEST_CASE(a_bad_value_that_is_overridden_does_not_count)
{
    BOOST_TEST(complaints(load_from({"--port=3"}, {"PYSTREAM_PORT=bad"})) == "");
}

BOOST_AUTO_TEST_CASE(the_default_env_file_may_be_missing_a_named_one_must_exist)
{
    BOOST_TEST(complaints(load_from({}, {}, "/nonexistent/.env")) == "");
    BOOST_TEST(mentions(complaints(load_from({"--env-file=/nonexistent/x"})), "/nonexistent/x"));
    BOOST_TEST(mentions(complaints(load_from({"--env-file=/"})), "cannot be read"));
    const temporary_file file{"PYSTREAM_PORT=1\n"};
    BOOST_TEST(load_from({}, {}, file.path()).values.port == 1);
}

BOOST_AUTO_TEST_CASE(an_unknown_variable_is_a_warning_with_the_nearest_name)
{
    const load_result result = load_from({}, {"PYSTREAM_PROT=1", "PYSTREAM_COMPLETELY_DIFFERENT=1", "PATH=/bin", "PORT=1"});
    BOOST_TEST(complaints(result) == "");
    BOOST_TEST_REQUIRE(result.warnings.size() == 2U);
    BOOST_TEST(mentions(result.warnings[0], "did you mean PYSTREAM_PORT?"), result.warnings[0]);
    BOOST_TEST(!mentions(result.warnings[1], "did you mean"), result.warnings[1]);
    BOOST_TEST(result.values.port == 8000);
}

BOOST_AUTO_TEST_CASE(limits_must_nest)
{
    BOOST_TEST(
        mentions(complaints(load_from({"--max-record-bytes=9000000"})), "at most PYSTREAM_MAX_BATCH_BYTES, which is 8388608"));
    BOOST_TEST(mentions(complaints(load_from({"--max-batch-bytes=20000000"})), "at most PYSTREAM_MAX_BODY_BYTES"));
    BOOST_TEST(mentions(complaints(load_from({"--max-body-bytes=900000000"})), "at most PYSTREAM_MAX_INFLIGHT_BYTES"));
    BOOST_TEST(complaints(load_from({"--max-record-bytes=8388608"})) == "");
    BOOST_TEST(load_from({"--max-record-bytes=9000000", "--max-batch-bytes=x"}).bad.size() == 1U);
}

BOOST_DATA_TEST_CASE(listening_beyond_loopback_needs_insecure, data::make({"0.0.0.0", "::", "[::]", "10.0.0.1", "128.0.0.1"}),
                     host)
{
    const std::string option = std::string{"--host="} + host;
    BOOST_TEST(mentions(complaints(load_from({option})), "PYSTREAM_INSECURE=true"));
    BOOST_TEST(complaints(load_from({option, "--insecure"})) == "");
}

// C075: IPv6 literals with and without brackets.
BOOST_DATA_TEST_CASE(c075_loopback_hosts, data::make({"127.0.0.1", "127.1.2.3", "localhost", "LOCALHOST", "::1", "[::1]"}),
                     host)
{
    const load_result result = load_from({std::string{"--host="} + host});
    BOOST_TEST(complaints(result) == "");
    BOOST_TEST(!mentions(result.values.host, "["));
}

BOOST_DATA_TEST_CASE(a_host_that_is_no_address_is_refused,
                     data::make({"", "example.org", "1.2.3", "1.2.3.4.5", "256.1.1.1", "[127.0.0.1]", "[::1", "::1]",
                                 ":::", "[]", "127.0.0.1:80", " 127.0.0.1"}),
                     host)
{
    BOOST_TEST(load_from({std::string{"--host="} + host, "--insecure"}).bad.size() == 1U);
}

BOOST_AUTO_TEST_CASE(what_this_version_does_not_have_is_refused_and_not_ignored)
{
    for (const setting& row : settings_table()) {
        if (row.available) continue;
        const std::string option = "--" + option_name(row) + "=";
        BOOST_TEST(complaints(load_from({option + std::string{row.fallback}})) == "");
        BOOST_TEST(mentions(complaints(load_from({option + "3"})), "not available yet"), row.name);
    }
}

BOOST_AUTO_TEST_CASE(every_default_is_allowed_and_every_available_setting_refuses_control_characters)
{
    for (const setting& row : settings_table()) {
        if (!row.available || row.name == "DATA_DIR") continue;
        settings out;
        BOOST_TEST(row.assign(row.fallback, out), row.name);
        BOOST_TEST(!row.assign("\x01", out), row.name);
    }
}

BOOST_AUTO_TEST_CASE(values_reach_their_fields)
{
    const load_result result =
        load_from({"--log-level=warning", "--cors-origins=https://a.example, http://b.example:8080", "--segment-millis=60000",
                   "--default-partitions=3", "--max-connections=7", "--max-inflight-bytes=33554432", "--tail-cache-bytes=0",
                   "--shutdown-grace-millis=5", "--data-dir=/x y", "--segment-bytes=4294967296", "--app-name=orders log"});
    BOOST_TEST(complaints(result) == "");
    BOOST_TEST((result.values.log_level == base::severity::warning));
    BOOST_TEST((result.values.cors_origins == strings{"https://a.example", "http://b.example:8080"}));
    BOOST_TEST((result.values.segment_millis == 60000));
    BOOST_TEST(result.values.default_partitions == 3);
    BOOST_TEST(result.values.max_connections == 7U);
    BOOST_TEST(result.values.max_inflight_bytes == 33554432U);
    BOOST_TEST(result.values.tail_cache_bytes == 0U);
    BOOST_TEST(result.values.shutdown_grace_millis == 5);
    BOOST_TEST(result.values.data_dir == "/x y");
    BOOST_TEST(result.values.segment_bytes == 4294967296U);
    BOOST_TEST(result.values.app_name == "orders log");
}

BOOST_DATA_TEST_CASE(bad_cors_origins_are_refused,
                     data::make({"a.example", "https://a.example/", "https://a.example/x", "https://", "*,https://a.example",
                                 "https://a.example,", "https://u@a.example", "https://a.example?x"}),
                     origins)
{
    BOOST_TEST(load_from({std::string{"--cors-origins="} + origins}).bad.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pystream::config
