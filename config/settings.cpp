#include "config/settings.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "config/command_line.hpp"
#include "config/env_file.hpp"
#include "config/nearest.hpp"
#include "config/settings_table.hpp"
#include "config/value.hpp"

namespace pystream::config {

namespace {

struct given_value {
    std::string as_written;  // PYSTREAM_PORT or --port
    std::string value;
    origin from = origin::fallback;
};

// By the name of the setting; later calls of offer() win, so sources are offered in rising precedence.
using given_values = std::map<std::string, given_value, std::less<>>;

const setting* find_by_environment_name(std::string_view name)
{
    const auto rows = settings_table();
    const auto found = std::ranges::find_if(rows, [&](const setting& row) { return environment_name(row) == name; });
    return found == rows.end() ? nullptr : &*found;
}

std::string unknown_variable(const std::string& name, origin from)
{
    std::string warning = name + " (" + std::string{to_string(from)} + ") is not a setting and is ignored";
    if (name.starts_with("PYSTREAM_SERVICE_") || name.starts_with("PYSTREAM_PORT_"))
        return warning + "; Kubernetes injects it for a Service called pystream: set enableServiceLinks: false in the pod";
    std::vector<std::string> known;
    for (const setting& row : settings_table()) known.emplace_back(row.name);
    const auto near = nearest(std::string_view{name}.substr(environment_prefix.size()), known);
    return near ? warning + "; did you mean PYSTREAM_" + *near + "?" : warning;
}

void offer_variable(const env_line& line, origin from, given_values& given, load_result& out)
{
    if (!line.name.starts_with(environment_prefix)) return;
    if (const setting* row = find_by_environment_name(line.name))
        given[std::string{row->name}] = {line.name, line.value, from};
    else
        out.warnings.push_back(unknown_variable(line.name, from));
}

void offer_env_file(const command_line& arguments, const load_input& input, given_values& given, load_result& out)
{
    const std::string path = arguments.env_file.value_or(input.default_env_file);
    std::error_code unused;
    if (!arguments.env_file && !std::filesystem::exists(path, unused)) return;
    std::ifstream file{path};
    const bool opened = file.is_open();
    const auto content = parse_env_file(file, path);
    if (!opened || file.bad()) out.bad.push_back({"env file", path, "it cannot be read"});
    out.bad.insert(out.bad.end(), content.bad.begin(), content.bad.end());
    for (const env_line& line : content.lines) offer_variable(line, origin::env_file, given, out);
}

void offer_environment(const load_input& input, given_values& given, load_result& out)
{
    for (const std::string& variable : input.environment) {
        const auto equals = variable.find('=');
        if (equals == std::string::npos) continue;
        offer_variable({variable.substr(0, equals), variable.substr(equals + 1)}, origin::environment, given, out);
    }
}

void offer_arguments(const command_line& arguments, given_values& given)
{
    for (const given_option& option : arguments.settings) {
        const auto has_name = [&](const setting& row) { return option_name(row) == option.name; };
        const auto row = std::ranges::find_if(settings_table(), has_name);
        given[std::string{row->name}] = {"--" + option.name, option.value, origin::command_line};
    }
}

bad_value refused(const setting& row, const given_value& given)
{
    std::string reason = "allowed: " + row.allowed;
    if (given.value.starts_with("tcp://"))
        reason += "; Kubernetes injects this for a Service called pystream: set enableServiceLinks: false in the pod";
    return {given.as_written, given.value, reason};
}

// Takes over one setting, the default first so that every field has a value.
bool apply(const setting& row, const given_value& given, settings& out)
{
    if (!row.available) return given.value == row.fallback;
    return row.assign(row.fallback, out) && row.assign(given.value, out);
}

given_value given_or_default(const setting& row, const given_values& given)
{
    const auto found = given.find(row.name);
    return found == given.end() ? given_value{environment_name(row), std::string{row.fallback}, origin::fallback}
                                : found->second;
}

struct limit {
    std::string_view name;
    std::size_t settings::* value;
};

// Each must not exceed the next: a record fits a batch, a batch a body, a body the memory for requests under way.
constexpr limit rising_limits[] = {{"MAX_RECORD_BYTES", &settings::max_record_bytes},
                                   {"MAX_BATCH_BYTES", &settings::max_batch_bytes},
                                   {"MAX_BODY_BYTES", &settings::max_body_bytes},
                                   {"MAX_INFLIGHT_BYTES", &settings::max_inflight_bytes}};

void check_together(const std::set<std::string_view>& refused_names, load_result& out)
{
    const auto variable = [](std::string_view name) { return std::string{environment_prefix}.append(name); };
    for (std::size_t i = 0; i + 1 < std::size(rising_limits); ++i) {
        const limit& lower = rising_limits[i];
        const limit& upper = rising_limits[i + 1];
        if (refused_names.contains(lower.name) || refused_names.contains(upper.name)) continue;
        if (out.values.*lower.value <= out.values.*upper.value) continue;
        out.bad.push_back(
            {variable(lower.name), std::to_string(out.values.*lower.value),
             "allowed: at most " + variable(upper.name) + ", which is " + std::to_string(out.values.*upper.value)});
    }
    if (refused_names.contains("HOST") || refused_names.contains("INSECURE")) return;
    if (!is_loopback(out.values.host) && !out.values.insecure)
        out.bad.push_back({variable("HOST"), out.values.host,
                           "anyone who reaches this address could read and write everything; "
                           "allowed: a loopback address, or any with PYSTREAM_INSECURE=true"});
}

}  // namespace

std::string_view to_string(origin from) noexcept
{
    constexpr std::string_view names[] = {"default", "env file", "environment", "command line"};
    return names[static_cast<std::size_t>(from)];
}

std::string to_string(const bad_value& bad)
{
    return bad.name + "=\"" + bad.value + "\": " + bad.reason;
}

load_input process_input(int argc, const char* const* argv, const char* const* environment)
{
    load_input input;
    if (argc > 1) input.arguments.assign(argv + 1, argv + argc);
    for (; *environment != nullptr; ++environment) input.environment.emplace_back(*environment);
    return input;
}

load_result load(const load_input& input)
{
    load_result out;
    const command_line arguments = parse_command_line(input.arguments);
    out.wanted = arguments.wanted;
    given_values given;
    offer_env_file(arguments, input, given, out);
    offer_environment(input, given, out);
    offer_arguments(arguments, given);
    out.bad.insert(out.bad.end(), arguments.bad.begin(), arguments.bad.end());
    std::set<std::string_view> refused_names;
    for (const setting& row : settings_table()) {
        const given_value value = given_or_default(row, given);
        out.effective.push_back({row.name, value.value, value.from});
        if (apply(row, value, out.values)) continue;
        out.bad.push_back(refused(row, value));
        refused_names.insert(row.name);
    }
    check_together(refused_names, out);
    return out;
}

}  // namespace pystream::config
