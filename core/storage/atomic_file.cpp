#include "core/storage/atomic_file.hpp"

#include "core/storage/segment_files.hpp"

namespace pystream::storage {
namespace {

base::result<void> write_and_sync(io::file_system& files, const std::string& path, std::string_view content)
{
    auto file = files.open(path, io::open_mode::create_truncate);
    if (!file) return file.error();
    if (auto written = (*file)->write_at(0, content); !written) return written;
    return (*file)->sync_all();
}

}  // namespace

base::result<void> replace_file(io::file_system& files, const std::string& path, std::string_view content)
{
    const std::string temporary = path + std::string{temporary_suffix};
    if (auto written = write_and_sync(files, temporary, content); !written) {
        (void)files.remove(temporary);
        return written;
    }
    if (auto renamed = files.rename(temporary, path); !renamed) {
        (void)files.remove(temporary);
        return renamed;
    }
    auto synced = files.sync_directory(parent_directory(path));
    if (synced) return synced;
    base::error error = synced.error();
    error.outcome_unknown = true;
    return error;
}

base::result<std::string> read_file(io::file_system& files, const std::string& path, std::size_t bytes_max)
{
    auto file = files.open(path, io::open_mode::read);
    if (!file) return file.error();
    const auto size = (*file)->size();
    if (!size) return size.error();
    if (*size > bytes_max) return base::error{base::errc::corrupt_metadata, "a metadata file is larger than it can be", path};
    std::string content(static_cast<std::size_t>(*size), '\0');
    const auto count = (*file)->read_at(0, content);
    if (!count) return count.error();
    content.resize(*count);
    return content;
}

}  // namespace pystream::storage
