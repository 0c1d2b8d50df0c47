#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/settings.hpp"

// The one table of settings. The environment, the command line, the env file, --help, docs/configuration.md and
// config/pystream.env.example all come from it, so none of them can differ from the others.

namespace pystream::config {

struct setting {
    std::string_view name;      // MAX_BODY_BYTES is PYSTREAM_MAX_BODY_BYTES and --max-body-bytes; units are in the name
    std::string_view fallback;  // the default, as text; empty = unset, and then an empty value is allowed
    std::string allowed;        // for people: "an integer from 1 to 256"
    std::string_view help;
    bool is_switch = false;  // --insecure alone means --insecure=true
    bool available = true;   // false: named by the design, and only the default is accepted so far
    // Stores a value when it is allowed; false (and nothing stored) otherwise. Not called for an unavailable setting.
    bool (*assign)(std::string_view text, settings& out) = nullptr;
};

inline constexpr std::string_view environment_prefix = "PYSTREAM_";

std::span<const setting> settings_table();

std::string environment_name(const setting& row);  // PYSTREAM_MAX_BODY_BYTES
std::string option_name(const setting& row);       // max-body-bytes

// The table of docs/configuration.md, and the whole of config/pystream.env.example.
std::string markdown_table();
std::string env_example();

}  // namespace pystream::config
