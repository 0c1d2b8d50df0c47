#pragma once

#include "api/context.hpp"

// One handler an operation, one file a resource: decode, one call of the engine, encode.

namespace pystream::api {

handler get_health, get_live, get_ready;                                    // health.cpp
handler get_metrics;                                                        // metrics.cpp
handler get_openapi, get_docs, get_docs_asset, get_root;                    // docs.cpp
handler list_topics, create_topic, get_topic, alter_topic, delete_topic;    // topics.cpp
handler list_partitions, get_partition, find_offset;                        // partitions.cpp
handler produce;                                                            // produce.cpp
handler fetch_records;                                                      // fetch.cpp
handler get_record;                                                         // record.cpp
handler list_groups, get_group, delete_group, get_offsets, commit_offsets;  // groups.cpp
handler get_cluster;                                                        // cluster.cpp

}  // namespace pystream::api
