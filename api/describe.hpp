#pragma once

#include <string>
#include <vector>

#include "api/http.hpp"
#include "api/json_writer.hpp"
#include "core/engine/types.hpp"

// Answers as JSON: the fields that the OpenAPI document describes, a test holds them equal.

namespace pystream::api {

void write_topic(json_writer& json, const engine::topic_description& topic);
void write_partition(json_writer& json, const engine::partition_description& partition);
// {"offsets":[...]} and, with a group named, the group and its lag.
std::string offsets_body(const std::vector<engine::committed_line>& lines, std::string_view group = {});
std::string cluster_body(const engine::cluster_description& cluster);
// 201 {"results":[...],"durability":"sync","duplicate":false}, 200 for a repeat; 503 partially_written with the same results
// when some records landed and others did not: those have a code instead of a place.
response produce_response(const engine::produce_result& produced, std::string_view request_id);

}  // namespace pystream::api
