#include "core/storage/checkpoint.hpp"
#include "core/storage/log.hpp"
#include "core/storage/segment_files.hpp"

namespace pystream::storage {
namespace {

base::error not_half_made(const std::string& path)
{
    return {base::errc::already_exists_on_disk, {}, path + " belongs to a log that is in use"};
}

// An earlier try may have left an empty first segment and a checkpoint at 0; anything more is somebody's data.
base::result<void> check_takeover(io::file_system& files, const std::string& directory)
{
    const auto entries = files.list(directory);
    if (!entries) return entries.error();
    for (const io::directory_entry& entry : *entries) {
        const auto base = parse_segment_name(entry.name);
        if (!base) continue;
        const std::string path = segment_path(directory, *base);
        const auto file = files.open(path, io::open_mode::read);
        if (!file) return file.error();
        const auto bytes = (*file)->size();
        if (!bytes) return bytes.error();
        if (*base != base::offset{} || *bytes > 0) return not_half_made(path);
    }
    const auto saved = read_checkpoint(files, directory);
    if (!saved) return saved.error();
    if (*saved && **saved != checkpoint{}) return not_half_made(checkpoint_path(directory));
    return {};
}

base::result<void> make_first_segment(io::file_system& files, const std::string& directory)
{
    const auto file = files.open(segment_path(directory, base::offset{}), io::open_mode::create_truncate);
    if (!file) return file.error();
    return (*file)->sync_all();
}

}  // namespace

base::result<std::unique_ptr<log>> log::create(io::file_system& files, std::string directory, log_options options,
                                               base::logger& logger)
{
    const auto made = files.create_directory(directory);
    if (!made && made.error().code != base::errc::already_exists_on_disk) return made.error();
    if (!made)
        if (auto free = check_takeover(files, directory); !free) return free.error();
    if (auto segment = make_first_segment(files, directory); !segment) return segment.error();
    if (auto saved = write_checkpoint(files, directory, {}); !saved) return saved.error();  // syncs the directory
    if (auto synced = files.sync_directory(parent_directory(directory)); !synced) return synced.error();
    return open(files, std::move(directory), options, logger);
}

}  // namespace pystream::storage
