#pragma once

#include <string>

#include "core/base/error.hpp"
#include "core/cluster/root_files.hpp"
#include "core/io/file_system.hpp"

namespace pystream::cluster {

// A topic directory whose name the metadata does not know, or knows with another id, is what a creation left that was never acknowledged, or data that must be kept. Without
// a single byte in its logs it is the former: then it is removed, durably. Blocking. True: removed.
base::result<bool> remove_if_empty(io::file_system& files, const std::string& root, const found_topic& found);

}  // namespace pystream::cluster
