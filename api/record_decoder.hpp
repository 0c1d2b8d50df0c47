#pragma once

#include <string_view>

#include "core/base/error.hpp"
#include "core/storage/record.hpp"

// Produce bodies, straight from the JSON parser's events into a record set: no document in between. Nothing is changed on the
// way: a value that is not a string is stored as its JSON text without white space, numbers digit for digit, members in
// order and duplicate names included.
//
// Errors: malformed (not JSON, not UTF-8, nested deeper than 32 levels within a value) with line and column; otherwise
// invalid_field or unknown_field with up to ten places (/records/3/value; for NDJSON /lines/4/value, lines counted from 1).

namespace pystream::api {

// {"records":[{"key":...,"value":...,"headers":[["name","value"]]}]}
base::result<storage::record_set> decode_json_records(std::string_view body);

// One such record a line. Lines that hold nothing but white space do not count.
base::result<storage::record_set> decode_ndjson_records(std::string_view body);

}  // namespace pystream::api
