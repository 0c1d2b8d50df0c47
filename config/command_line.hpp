#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/settings.hpp"

namespace pystream::config {

struct given_option {
    std::string name;  // max-body-bytes
    std::string value;
};

struct command_line {
    request wanted = request::serve;
    std::optional<std::string> env_file;
    std::vector<given_option> settings;  // each at most once
    std::vector<bad_value> bad;          // unknown, repeated and left-over arguments
};

// `--name=value` or `--name value`, names in full, no positional arguments.
command_line parse_command_line(const std::vector<std::string>& arguments);

}  // namespace pystream::config
