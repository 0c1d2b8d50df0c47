#include "core/cluster/leftovers.hpp"

namespace pystream::cluster {
namespace {

using base::result;

result<bool> holds_bytes(io::file_system& files, const std::string& directory)
{
    const auto entries = files.list(directory);
    if (!entries) return entries.error();
    for (const auto& entry : *entries) {
        const std::string path = directory + "/" + entry.name;
        if (entry.kind == io::entry_kind::directory) {
            const auto inside = holds_bytes(files, path);
            if (!inside || *inside) return inside;
        } else if (entry.name.ends_with(".log")) {
            const auto file = files.open(path, io::open_mode::read);
            if (!file) return file.error();
            const auto size = (*file)->size();
            if (!size) return size.error();
            if (*size > 0) return true;
        }
    }
    return false;
}

}  // namespace

result<bool> remove_if_empty(io::file_system& files, const std::string& root, const found_topic& found)
{
    if (!found.problem.empty()) {
        const auto meta = files.exists(found.path + "/topic.meta");
        if (!meta) return meta.error();
        if (*meta) return false;  // there is one and it is bad: for somebody to look at
    }
    const auto bytes = holds_bytes(files, found.path);
    if (!bytes) return bytes.error();
    if (*bytes) return false;
    if (auto moved = set_aside_topic(files, root, found.directory_name, found.id); !moved) return moved.error();
    if (auto gone = unlink_deleted(files, root, found.id); !gone) return gone.error();
    return true;
}

}  // namespace pystream::cluster
