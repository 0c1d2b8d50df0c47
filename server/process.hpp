#pragma once

#include <cstdint>

namespace pystream::server {

// Every partition and connection has open files: raises the soft limit to the hard one. Returns the limit in force.
std::uint64_t raise_open_files_limit() noexcept;

// A peer that goes away is an error of that write (SIGPIPE), and so is a terminal that goes away no reason to stop (SIGHUP).
void ignore_signals() noexcept;

}  // namespace pystream::server
