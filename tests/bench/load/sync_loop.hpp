#pragma once

#include <chrono>
#include <string>

#include "tests/bench/load/runner.hpp"

namespace pystream::bench {

// One pwrite of 4 KiB at the end of a new file and one fdatasync, again and again: what the disk can do for a lone writer. A request is
// such a pair. Throws std::system_error.
run_result run_sync_loop(const std::string& path, std::chrono::milliseconds duration);

}  // namespace pystream::bench
