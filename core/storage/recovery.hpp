#pragma once

#include <memory>
#include <string>

#include "core/storage/log_state.hpp"

namespace pystream::storage {

// What log::open promises; the rules and why are in docs/recovery.md.
base::result<std::unique_ptr<log_state>> recover_log(io::file_system& files, std::string directory, log_options options,
                                                     base::logger& logger);

}  // namespace pystream::storage
