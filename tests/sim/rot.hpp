#pragma once

#include <string>

#include "tests/sim/model.hpp"
#include "tests/support/simulated_file_system.hpp"

namespace pystream::sim {

// Durable bytes change while the server is stopped, one file at a time, so many times. Whatever was there is read as it was or is answered
// with an error: never other bytes, never an end before it. `files` is as a crash left it. Empty: all is well.
std::string check_rot(const tests::simulated_file_system& files, const model& known, std::uint64_t seed, int times);

}  // namespace pystream::sim
