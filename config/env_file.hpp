#pragma once

#include <istream>
#include <string>
#include <vector>

#include "config/settings.hpp"

namespace pystream::config {

struct env_line {
    std::string name;
    std::string value;
};

struct env_file_content {
    std::vector<env_line> lines;
    std::vector<bad_value> bad;  // named by file and line
};

// NAME=value lines. Empty lines and lines that start with # are skipped; `export ` in front is allowed; a value may stand
// in single or double quotes, taken as it is; without them blanks around it are dropped, and so is " #" and what follows.
// A name set twice is bad: whoever reads only one of the lines would be wrong.
env_file_content parse_env_file(std::istream& in, const std::string& path);

}  // namespace pystream::config
