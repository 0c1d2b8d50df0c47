#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/io/file_system.hpp"

namespace pystream::io {

// Runs task(0) ... task(count - 1), on several threads if it likes, and returns when all are done.
using parallel_runner = std::function<void(std::size_t count, const std::function<void(std::size_t)>& task)>;

// From this many files on one syncfs beats fdatasync each (docs/durability.md has the measurement).
inline constexpr std::size_t sync_all_files_threshold = 32;

// Makes the content and size of `files_to_sync` durable; all of them lie on the file system that holds `root`. Blocking: runs on a worker.
// One result a file, in order: a file whose result is an error may hold anything, the others are on the disk.
std::vector<base::result<void>> make_durable(file_system& files, const std::string& root,
                                             std::span<const std::shared_ptr<file>> files_to_sync,
                                             const parallel_runner& run_in_parallel);

}  // namespace pystream::io
