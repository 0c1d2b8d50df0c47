#include "core/storage/segment_files.hpp"

#include <charconv>

namespace pystream::storage {
namespace {

constexpr std::size_t name_digits = 20;

std::string path_of(const std::string& directory, base::offset base, std::string_view suffix)
{
    const std::string digits = std::to_string(base.value());
    std::string path = directory;
    path += '/';
    path.append(name_digits - digits.size(), '0');
    path += digits;
    path += suffix;
    return path;
}

}  // namespace

std::string segment_path(const std::string& directory, base::offset base)
{
    return path_of(directory, base, segment_suffix);
}

std::string index_path(const std::string& directory, base::offset base)
{
    return path_of(directory, base, index_suffix);
}

std::string checkpoint_path(const std::string& directory)
{
    return directory + "/" + std::string{checkpoint_name};
}

std::optional<base::offset> parse_segment_name(std::string_view name) noexcept
{
    if (name.size() != name_digits + segment_suffix.size() || !name.ends_with(segment_suffix)) return std::nullopt;
    std::int64_t base = 0;
    const char* const end = name.data() + name_digits;
    const auto [stop, failed] = std::from_chars(name.data(), end, base);
    if (failed != std::errc{} || stop != end || name.front() == '-' || base > base::json_integer_max) return std::nullopt;
    return base::offset{base};
}

std::string parent_directory(const std::string& path)
{
    const std::size_t slash = path.find_last_of('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace pystream::storage
