#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/ids.hpp"

namespace pystream::topics {

// SHA-256(key), all 256 bits as one big-endian integer, modulo the partition count: the same partition in every
// process, after every restart and in every client that can hash. Precondition: partition_count >= 1.
base::partition_index route_key(std::string_view key, std::int32_t partition_count);

// Records without a key: one partition after the other, record by record; the cursor lives in memory and starts at 0.
class round_robin {
public:
    base::partition_index next(std::int32_t partition_count) noexcept;

private:
    std::uint32_t cursor_ = 0;
};

}  // namespace pystream::topics
