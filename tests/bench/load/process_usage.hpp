#pragma once

#include <cstdint>

namespace pystream::bench {

// What a process has used up to now, from /proc. CPU time counts in steps of 10 ms.
struct process_usage {
    std::uint64_t cpu_us = 0;
    std::uint64_t resident_bytes = 0;
};

// Zeros when there is no such process, or the pid is 0.
process_usage usage_of(int pid);

}  // namespace pystream::bench
