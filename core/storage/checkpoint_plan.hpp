#pragma once

#include <memory>
#include <string>

#include "core/storage/checkpoint.hpp"
#include "core/storage/log_state.hpp"

namespace pystream::storage {

struct checkpoint_plan {
    io::file_system* files = nullptr;
    std::string directory;
    std::shared_ptr<io::file> file;
    std::string index;  // encoded
    checkpoint value;
};

// The recovery point at the log's end.
checkpoint_plan plan_checkpoint(const log_state& state);
base::result<void> run_checkpoint(checkpoint_plan& plan);

}  // namespace pystream::storage
