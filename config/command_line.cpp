#include "config/command_line.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <set>
#include <utility>

#include "config/nearest.hpp"
#include "config/settings_table.hpp"

namespace pystream::config {

namespace {

namespace po = boost::program_options;

po::options_description describe()
{
    po::options_description options;
    options.add_options()("help", "")("version", "")("env-file", po::value<std::string>(), "");
    for (const setting& row : settings_table()) {
        auto* value = po::value<std::string>();
        if (row.is_switch) value->implicit_value("");
        options.add_options()(option_name(row).c_str(), value, "");
    }
    return options;
}

// Boost refuses `--name=` by an exception that would hide every other mistake; as two arguments it is an empty value.
std::vector<std::string> with_empty_values_apart(const std::vector<std::string>& arguments)
{
    std::vector<std::string> out;
    for (const std::string& argument : arguments) {
        const bool empty_value = argument.size() > 3 && argument.starts_with("--") && argument.find('=') == argument.size() - 1;
        out.push_back(empty_value ? argument.substr(0, argument.size() - 1) : argument);
        if (empty_value) out.emplace_back();
    }
    return out;
}

std::string unknown_option_hint(const std::string& name)
{
    std::vector<std::string> known{"help", "version", "env-file"};
    for (const setting& row : settings_table()) known.push_back(option_name(row));
    const auto near = nearest(name, known);
    return near ? "there is no such option; did you mean --" + *near + "?" : "there is no such option; --help lists them";
}

// The name and, joined to it by =, the value of an argument that is no known option.
void add_unknown(const std::string& token, command_line& out)
{
    const auto equals = token.find('=');
    const std::string name = token.substr(0, equals);
    out.bad.push_back({name, equals == std::string::npos ? "" : token.substr(equals + 1), unknown_option_hint(name.substr(2))});
}

void add_known(const po::option& option, command_line& out)
{
    const std::string value = option.value.empty() ? "true" : option.value.front();  // only a switch may have none
    if (option.string_key == "help")
        out.wanted = request::help;
    else if (option.string_key == "version")
        out.wanted = out.wanted == request::help ? request::help : request::version;
    else if (option.string_key == "env-file")
        out.env_file = value;
    else
        out.settings.push_back({option.string_key, value});
}

void sort_out(const std::vector<po::option>& options, command_line& out)
{
    std::set<std::string> seen;
    bool after_unknown = false;
    for (const po::option& option : options) {
        const bool may_be_its_value = std::exchange(after_unknown, option.unregistered);
        if (option.unregistered)
            add_unknown(option.original_tokens.front(), out);
        else if (option.position_key >= 0) {
            if (!may_be_its_value)
                out.bad.push_back({"argument", option.value.front(), "options start with --; --help lists them"});
        } else if (!seen.insert(option.string_key).second)
            out.bad.push_back(
                {"--" + option.string_key, option.value.empty() ? "" : option.value.front(), "it is given twice"});
        else
            add_known(option, out);
    }
}

}  // namespace

command_line parse_command_line(const std::vector<std::string>& arguments)
{
    namespace style = po::command_line_style;
    command_line out;
    try {
        const po::options_description known = describe();
        po::command_line_parser parser{with_empty_values_apart(arguments)};
        parser.options(known).allow_unregistered();
        parser.style(style::allow_long | style::long_allow_adjacent | style::long_allow_next);
        sort_out(parser.run().options, out);
    } catch (const po::error& failure) {
        out.bad.push_back({"command line", "", failure.what()});
    }
    return out;
}

}  // namespace pystream::config
