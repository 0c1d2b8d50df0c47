#pragma once

#include <string>
#include <vector>

#include "api/json_writer.hpp"
#include "core/engine/types.hpp"

// Answers as JSON: the fields that the OpenAPI document describes, a test holds them equal.

namespace pystream::api {

void write_topic(json_writer& json, const engine::topic_description& topic);
void write_partition(json_writer& json, const engine::partition_description& partition);
// {"offsets":[...]} and, with a group named, the group and its lag.
std::string offsets_body(const std::vector<engine::committed_line>& lines, std::string_view group = {});
std::string cluster_body(const engine::cluster_description& cluster);
// {"results":[...],"durability":"sync","duplicate":false}
std::string produce_body(const engine::produce_result& produced);
// "results":[...], for a problem: records that landed have their place, the others a code.
std::string partial_results(const engine::produce_result& produced);

}  // namespace pystream::api
