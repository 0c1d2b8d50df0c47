#pragma once

#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/io/file_system.hpp"

namespace pystream::storage {

// Replaces `path` by `content`: temporary file, fsync, rename, fsync of the directory. On success the new content is
// durable. On an error before the rename the old content stands and the temporary file is removed; `error::outcome_unknown` is set
// when the rename was done (or may have been) but its sync failed.
base::result<void> replace_file(io::file_system& files, const std::string& path, std::string_view content);

// The whole content; not_found_on_disk when missing, corrupt_metadata above `bytes_max`.
base::result<std::string> read_file(io::file_system& files, const std::string& path, std::size_t bytes_max);

// The suffix of temporary files; start-up removes leftovers that carry it.
inline constexpr std::string_view temporary_suffix = ".tmp";

}  // namespace pystream::storage
