#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/ids.hpp"
#include "core/io/file_system.hpp"
#include "core/storage/place.hpp"

// What a log remembers outside of its segments, in the file `checkpoint` (docs/formats.md).

namespace pystream::storage {

struct checkpoint {
    base::offset log_start;
    base::offset segment_base;                         // of the newest segment when it was written
    place recovery_point;                              // in that segment; everything below is durable
    std::optional<std::uint64_t> last_batch_position;  // of the batch that ends at the recovery point, if it is in that segment
    bool has_keys = false;                             // some record below the recovery point has a key
    friend bool operator==(const checkpoint&, const checkpoint&) = default;
};

std::string encode_checkpoint(const checkpoint& value);
// corrupt_metadata, with the reason in `internal`.
base::result<checkpoint> decode_checkpoint(std::string_view bytes);

base::result<void> write_checkpoint(io::file_system& files, const std::string& directory, const checkpoint& value);
// nullopt when there is none.
base::result<std::optional<checkpoint>> read_checkpoint(io::file_system& files, const std::string& directory);

}  // namespace pystream::storage
