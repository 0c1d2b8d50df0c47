#pragma once

#include <string>

#include "tests/sim/machine.hpp"
#include "tests/sim/model.hpp"

namespace pystream::sim {

// Reads one partition like a client and compares it with the model, which remembers what it saw. Empty: all is well.
// `refused`: the fetch was answered with an error, which is for the caller to judge.
struct reading {
    std::string contradiction;
    std::optional<base::error> refused;
};
reading read_partition(machine& on, model& known, const std::string& topic, int partition);

// Committed offsets are what was committed, one of the possible where an outcome is not sure; with `settle` that is then the only one.
std::string check_groups(machine& on, model& known, bool settle);

// Everything that clients were promised, on an engine that has just started and meets no faults. What was uncertain is settled in the model.
std::string check_everything(machine& on, model& known);

// The engine takes a record in each partition and a commit, whatever happened before.
std::string check_service(machine& on, model& known);

}  // namespace pystream::sim
