#pragma once

#include <string>

#include "tests/bench/load/runner.hpp"

namespace pystream::bench {

// One JSON object in one line.
std::string to_json(const run_result& result);

}  // namespace pystream::bench
