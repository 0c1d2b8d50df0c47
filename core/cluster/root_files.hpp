#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/ids.hpp"
#include "core/base/logger.hpp"
#include "core/io/file_system.hpp"

// The files of one broker's storage root that are not logs. All calls block and are durable when they return success.

namespace pystream::cluster {

struct broker_meta {  // ROOT/broker.meta
    std::string cluster_id;
    base::broker_id id;
    std::string incarnation;
    friend bool operator==(const broker_meta&, const broker_meta&) = default;
};

struct topic_meta {  // ROOT/topics/NAME/topic.meta
    base::topic_id id;
    std::string name;
    std::int32_t partition_count = 0;
};

base::result<broker_meta> read_broker_meta(io::file_system& files,
                                           const std::string& root);  // not_found_on_disk, corrupt_metadata
// Makes ROOT (its parent exists), ROOT/topics and, last, broker.meta. May be repeated after a try that stopped half-way; a root that
// holds another broker.meta is already_exists_on_disk, a bad one corrupt_metadata, and neither is touched.
base::result<void> initialise_root(io::file_system& files, const std::string& root, const broker_meta& meta);

std::string topic_directory(const std::string& root, std::string_view topic);
std::string partition_directory(const std::string& root, std::string_view topic, base::partition_index index);
// Where a deleted topic waits to be unlinked: beside ROOT/topics and not in it, since ".deleted-..." is a name a topic may have.
std::string deleted_directory(const std::string& root, const base::topic_id& id);

// Makes ROOT/topics/NAME and its topic.meta. May be repeated for the same id, and takes over a directory in which an earlier try
// stopped before topic.meta. Another topic's directory is already_exists_on_disk, a bad topic.meta corrupt_metadata; neither is touched.
base::result<void> create_topic_directory(io::file_system& files, const std::string& root, const topic_meta& meta);
base::result<void> write_topic_meta(io::file_system& files, const std::string& root, const topic_meta& meta);  // the same rules
base::result<topic_meta> read_topic_meta(io::file_system& files, const std::string& root, std::string_view name);

// Renames the topic's directory to ROOT/.deleted-<id>, so that the name is free at once. Done already: there is no
// such directory, or it belongs to a later topic of that name. One that stopped before topic.meta goes under the given id.
base::result<void> set_aside_topic(io::file_system& files, const std::string& root, std::string_view name,
                                   const base::topic_id& id);
// Unlinks ROOT/.deleted-<id> and everything below. Missing = done already.
base::result<void> unlink_deleted(io::file_system& files, const std::string& root, const base::topic_id& id);

struct found_topic {
    std::string directory_name;
    std::string path;
    base::topic_id id;
    std::string problem;  // not empty: topic.meta missing or bad; the directory is left alone and reported
};
// What lies in ROOT/topics and what was set aside: for start-up, to list data that the metadata never knew. Files, and
// directories that cannot be a topic's by their name, are ignored.
base::result<std::vector<found_topic>> list_topics(io::file_system& files, const std::string& root);

}  // namespace pystream::cluster
