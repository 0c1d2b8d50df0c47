#pragma once

#include <memory>

#include "core/io/file_system.hpp"

namespace pystream::io {

// The real disk. Calls may come from any thread at once. sync_all_files is supported on ext4, XFS and btrfs from Linux 5.8 on, the
// first kernel whose syncfs reports write-back errors; the descriptor of each root is opened at the first question about it.
std::unique_ptr<file_system> make_posix_file_system();

}  // namespace pystream::io
