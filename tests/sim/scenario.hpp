#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace pystream::sim {

struct scenario_options {
    std::uint64_t seed = 1;
    std::optional<std::uint64_t> only_point;  // of all crash points check this one
};

struct scenario_outcome {
    std::uint64_t points = 0;      // moments at which the power went or the process ended, each recovered from and checked
    std::uint64_t recoveries = 0;  // starts of an engine, those that were cut short or met faults included
    std::uint64_t acknowledged = 0;
    std::uint64_t rots = 0;          // times that durable bytes were changed
    std::string failure;             // empty: all is well
    std::uint64_t failed_point = 0;  // 0: not at a crash point
};

// Several lives of one disk. All of it follows from the seed.
scenario_outcome run_scenario(const scenario_options& options);

// For whoever must say where the program ended.
std::uint64_t current_point() noexcept;

}  // namespace pystream::sim
