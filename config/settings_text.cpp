#include <algorithm>

#include "config/settings_table.hpp"

// Everything that people read about the settings, made from the table.

namespace pystream::config {

namespace {

std::string_view shown_default(const setting& row)
{
    return row.fallback.empty() ? "(unset)" : row.fallback;
}

void add_option(std::string& out, std::string_view option, std::string_view text)
{
    constexpr std::size_t column = 34;
    std::string left = std::string{"  --"}.append(option);
    left.resize(std::max(left.size() + 2, column), ' ');
    out.append(left).append(text).append("\n");
}

void add_settings(std::string& out, bool available)
{
    for (const setting& row : settings_table()) {
        if (row.available != available) continue;
        add_option(out, option_name(row) + (row.is_switch ? "[=BOOL]" : "=VALUE"), row.help);
        out.append(34, ' ').append(row.allowed).append("; default ").append(shown_default(row)).append("\n");
    }
}

}  // namespace

std::string help_text()
{
    std::string out =
        "pystream: a durable, partitioned event log that you talk to with curl.\n\n"
        "usage: pystream [--option=value ...]\n\n"
        "Every option is also a variable: --max-body-bytes is PYSTREAM_MAX_BODY_BYTES, in the environment or in an env file.\n"
        "The command line wins over the environment, the environment over the env file.\n\n";
    add_option(out, "help", "print this and exit");
    add_option(out, "version", "print the version and exit");
    add_option(out, "env-file=PATH", "a file of NAME=value lines; default ./.env when it exists");
    out += "\n";
    add_settings(out, true);
    out += "\nNot available in this version; anything but the default is refused:\n\n";
    add_settings(out, false);
    return out;
}

std::string version_text()
{
    return std::string{"pystream "}.append(version()).append("\n");
}

std::string_view version() noexcept
{
    return PYSTREAM_VERSION;
}

std::string markdown_table()
{
    std::string out = "| variable | option | default | allowed | meaning |\n| --- | --- | --- | --- | --- |\n";
    for (const setting& row : settings_table()) {
        out.append("| `").append(environment_name(row)).append("` | `--").append(option_name(row)).append("` | ");
        out.append(row.fallback.empty() ? "unset" : "`" + std::string{row.fallback} + "`");
        out.append(" | ").append(row.allowed).append(" | ").append(row.help).append(" |\n");
    }
    return out;
}

std::string env_example()
{
    std::string out =
        "# Every setting with its default. Copy to .env, or name the copy with --env-file; remove the # of what you change.\n"
        "# docs/configuration.md has the rules. Made by pystream_print_settings.\n";
    for (const setting& row : settings_table()) {
        out.append("\n# ").append(row.help).append("\n# allowed: ").append(row.allowed).append("\n");
        out.append("#").append(environment_name(row)).append("=").append(row.fallback).append("\n");
    }
    return out;
}

}  // namespace pystream::config
