#include "tests/bench/load/process_usage.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace pystream::bench {

process_usage usage_of(int pid)
{
    process_usage usage;
    std::ifstream stat{"/proc/" + std::to_string(pid) + "/stat"};
    std::string line;
    if (pid == 0 || !std::getline(stat, line)) return usage;
    // The name in parentheses may hold anything; behind it come 11 fields, then user and system time, and the pages 9 fields later.
    std::istringstream fields{line.substr(line.rfind(')') + 1)};
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    std::uint64_t user = 0, system = 0, pages = 0;
    fields >> user >> system;
    for (int i = 0; i < 8; ++i) fields >> skipped;
    fields >> pages;
    usage.cpu_us = (user + system) * 1'000'000 / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
    usage.resident_bytes = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return usage;
}

}  // namespace pystream::bench
