#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/ids.hpp"

// Names inside a partition's directory: `00000000000000000000.log`, `.index`, `checkpoint`.

namespace pystream::storage {

inline constexpr std::string_view segment_suffix = ".log";
inline constexpr std::string_view index_suffix = ".index";
inline constexpr std::string_view checkpoint_name = "checkpoint";

std::string segment_path(const std::string& directory, base::offset base);
std::string index_path(const std::string& directory, base::offset base);
std::string checkpoint_path(const std::string& directory);

// The base offset of a segment file's name (no directory); nullopt for every other name.
std::optional<base::offset> parse_segment_name(std::string_view name) noexcept;

// "." when the path has no directory.
std::string parent_directory(const std::string& path);

}  // namespace pystream::storage
