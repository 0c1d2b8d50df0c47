#include "core/cluster/root_files.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <optional>

#include "core/base/limits.hpp"
#include "core/cluster/json_fields.hpp"
#include "core/cluster/metadata.hpp"
#include "core/storage/atomic_file.hpp"
#include "core/topics/topic_name.hpp"

namespace pystream::cluster {
namespace {

namespace json = boost::json;
using base::errc;
using base::error;
using base::result;

constexpr std::size_t meta_bytes_max = 64 * base::limits::kibibyte;
constexpr std::string_view deleted_prefix = ".deleted-";
constexpr int directory_depth_max = 8;  // topic, partition, and room; deeper things are not ours

std::string broker_meta_path(const std::string& root)
{
    return root + "/broker.meta";
}
std::string topics_directory(const std::string& root)
{
    return root + "/topics";
}
std::string topic_meta_path(const std::string& root, std::string_view name)
{
    return topic_directory(root, name) + "/topic.meta";
}

std::string without_slash_at_end(std::string path)
{
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

std::string parent_of(const std::string& path)
{
    const std::size_t slash = path.rfind('/');
    if (slash == path.npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

// The directory and its entry are durable on success, also when it was there already: the try that made it may have
// ended before the sync.
result<void> make_directory(io::file_system& files, const std::string& given)
{
    const std::string path = without_slash_at_end(given);
    if (auto made = files.create_directory(path); !made && made.error().code != errc::already_exists_on_disk) return made;
    return files.sync_directory(parent_of(path));
}

error at_path(const std::string& path, const error& e)
{
    return corrupt(path + ": " + e.internal);
}

std::string encode(const broker_meta& meta)
{
    json::object out;
    out["version"] = metadata_version;
    out["cluster_id"] = meta.cluster_id;
    out["broker_id"] = meta.id.value();
    out["incarnation"] = meta.incarnation;
    return json::serialize(out) + "\n";
}

result<broker_meta> decode_broker_meta(std::string_view content)
{
    const auto value = parse_strictly(content);
    if (!value) return value.error();
    object_fields fields{*value};
    broker_meta out;
    fields.integer("version", metadata_version, metadata_version);
    out.cluster_id = fields.id("cluster_id");
    out.id = base::broker_id{static_cast<std::int32_t>(fields.integer("broker_id", 1, broker_id_max))};
    out.incarnation = fields.id("incarnation");
    if (auto ok = fields.finish(); !ok) return ok.error();
    return out;
}

std::string encode(const topic_meta& meta)
{
    json::object out;
    out["version"] = metadata_version;
    out["topic_id"] = meta.id.to_hex();
    out["name"] = meta.name;
    out["partition_count"] = meta.partition_count;
    return json::serialize(out) + "\n";
}

result<topic_meta> decode_topic_meta(std::string_view content, std::string_view directory_name)
{
    const auto value = parse_strictly(content);
    if (!value) return value.error();
    object_fields fields{*value};
    topic_meta out;
    fields.integer("version", metadata_version, metadata_version);
    out.id = fields.topic("topic_id");
    out.name = fields.text("name", base::limits::name_bytes_max);
    out.partition_count = static_cast<std::int32_t>(fields.integer("partition_count", 1, base::limits::partitions_max));
    if (out.name != directory_name) fields.fault("\"name\" is not the name of its directory");
    if (auto ok = fields.finish(); !ok) return ok.error();
    return out;
}

bool is_partition_directory(const io::directory_entry& entry)
{
    return entry.kind == io::entry_kind::directory && entry.name.starts_with("partition-");
}

// Whose data lie in ROOT/topics/NAME. No id: there is no such directory, or one in which creation stopped before topic.meta (which
// comes before any partition). Partitions without topic.meta are damage: their owner is not guessed.
struct occupant {
    bool directory_exists = false;
    std::optional<base::topic_id> id;
};

result<occupant> find_occupant(io::file_system& files, const std::string& root, std::string_view name)
{
    const std::string directory = topic_directory(root, name);
    const auto exists = files.exists(directory);
    if (!exists) return exists.error();
    if (!*exists) return occupant{};
    const auto meta = read_topic_meta(files, root, name);
    if (meta) return occupant{true, meta->id};
    if (meta.error().code != errc::not_found_on_disk) return meta.error();
    const auto entries = files.list(directory);
    if (!entries) return entries.error();
    if (std::any_of(entries->begin(), entries->end(), is_partition_directory))
        return corrupt(topic_meta_path(root, name) + ": missing, but there are partitions");
    return occupant{true, std::nullopt};
}

result<void> remove_tree(io::file_system& files, const std::string& path, int depth_left)
{
    if (depth_left == 0) return error{errc::io_failed, {}, path + ": directories nested too deeply"};
    const auto entries = files.list(path);
    if (!entries) return entries.error();
    for (const io::directory_entry& entry : *entries) {
        const std::string child = path + "/" + entry.name;
        auto removed =
            entry.kind == io::entry_kind::directory ? remove_tree(files, child, depth_left - 1) : files.remove(child);
        if (!removed) return removed;
    }
    return files.remove(path);
}

}  // namespace

std::string topic_directory(const std::string& root, std::string_view topic)
{
    return topics_directory(root) + "/" + std::string{topic};
}

std::string partition_directory(const std::string& root, std::string_view topic, base::partition_index index)
{
    std::string digits = std::to_string(index.value());
    digits.insert(0, digits.size() < 6 ? 6 - digits.size() : 0, '0');
    return topic_directory(root, topic) + "/partition-" + digits;
}

std::string deleted_directory(const std::string& root, const base::topic_id& id)
{
    return root + "/" + std::string{deleted_prefix} + id.to_hex();
}

result<broker_meta> read_broker_meta(io::file_system& files, const std::string& root)
{
    const std::string path = broker_meta_path(root);
    const auto content = storage::read_file(files, path, meta_bytes_max);
    if (!content) return content.error();
    auto meta = decode_broker_meta(*content);
    if (!meta) return at_path(path, meta.error());
    return meta;
}

result<void> initialise_root(io::file_system& files, const std::string& root, const broker_meta& meta)
{
    if (auto made = make_directory(files, root); !made) return made;
    const auto present = read_broker_meta(files, root);
    if (!present && present.error().code != errc::not_found_on_disk) return present.error();
    if (present && *present != meta)
        return error{errc::already_exists_on_disk, {}, broker_meta_path(root) + ": belongs to another broker"};
    if (auto made = make_directory(files, topics_directory(root)); !made) return made;
    // Last, because its presence says that the root is complete.
    return storage::replace_file(files, broker_meta_path(root), encode(meta));
}

result<void> create_topic_directory(io::file_system& files, const std::string& root, const topic_meta& meta)
{
    if (auto made = make_directory(files, topic_directory(root, meta.name)); !made) return made;
    return write_topic_meta(files, root, meta);
}

result<void> write_topic_meta(io::file_system& files, const std::string& root, const topic_meta& meta)
{
    const auto present = find_occupant(files, root, meta.name);
    if (!present) return present.error();
    const std::string path = topic_meta_path(root, meta.name);
    if (present->id && *present->id != meta.id)
        return error{errc::already_exists_on_disk, {}, path + ": belongs to another topic"};
    return storage::replace_file(files, path, encode(meta));
}

result<topic_meta> read_topic_meta(io::file_system& files, const std::string& root, std::string_view name)
{
    const std::string path = topic_meta_path(root, name);
    const auto content = storage::read_file(files, path, meta_bytes_max);
    if (!content) return content.error();
    auto meta = decode_topic_meta(*content, name);
    if (!meta) return at_path(path, meta.error());
    return meta;
}

result<void> set_aside_topic(io::file_system& files, const std::string& root, std::string_view name, const base::topic_id& id)
{
    const auto present = find_occupant(files, root, name);
    if (!present) return present.error();
    const bool ours = present->directory_exists && (!present->id || *present->id == id);
    if (ours) {
        // Left by a try whose renaming half reached the disk; the same topic, deleted all the same.
        if (auto cleared = unlink_deleted(files, root, id); !cleared) return cleared;
        if (auto moved = files.rename(topic_directory(root, name), deleted_directory(root, id)); !moved) return moved;
    }
    // Also when nothing was to be moved: the try that moved it may have ended before the sync.
    if (auto synced = files.sync_directory(root); !synced) return synced;
    return files.sync_directory(topics_directory(root));
}

result<void> unlink_deleted(io::file_system& files, const std::string& root, const base::topic_id& id)
{
    const std::string directory = deleted_directory(root, id);
    const auto exists = files.exists(directory);
    if (!exists) return exists.error();
    if (*exists)
        if (auto removed = remove_tree(files, directory, directory_depth_max); !removed) return removed;
    return files.sync_directory(root);
}

result<std::vector<found_topic>> list_topics(io::file_system& files, const std::string& root)
{
    const auto set_aside = files.list(root);
    const auto in_place = files.list(topics_directory(root));
    if (!set_aside) return set_aside.error();
    if (!in_place) return in_place.error();
    std::vector<found_topic> out;
    for (const io::directory_entry& entry : *set_aside) {
        if (entry.kind != io::entry_kind::directory || !entry.name.starts_with(deleted_prefix)) continue;
        if (const auto id = base::topic_id::from_hex(entry.name.substr(deleted_prefix.size())))
            out.push_back({entry.name, root + "/" + entry.name, *id, {}});
    }
    for (const io::directory_entry& entry : *in_place) {
        if (entry.kind != io::entry_kind::directory || !topics::check_name(entry.name, "name")) continue;
        const auto meta = read_topic_meta(files, root, entry.name);
        out.push_back({entry.name, topic_directory(root, entry.name), meta ? meta->id : base::topic_id{},
                       meta ? std::string{} : meta.error().internal});
    }
    return out;
}

}  // namespace pystream::cluster
