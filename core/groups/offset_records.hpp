#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/groups/committed_offsets.hpp"

// Committed offsets as records of the internal topic: docs/groups.md, "Stored form". Big-endian. Decoding is strict: every byte is
// accounted for, and anything else is corrupt_record with the reason in `internal`.

namespace pystream::groups {

std::string encode_key(const offset_key& key);
std::string encode_value(const committed& value);
base::result<offset_key> decode_key(std::string_view bytes);
base::result<committed> decode_value(std::string_view bytes);

}  // namespace pystream::groups
