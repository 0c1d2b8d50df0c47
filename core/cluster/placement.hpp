#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.hpp"

namespace pystream::cluster {

// Replicas of partition `index`, leader first: broker number index mod n in id order, then the next ones.
// Precondition: brokers sorted, 1 <= factor <= brokers.size(). Computed once at creation and persisted.
std::vector<base::broker_id> place_modulo(base::partition_index index, const std::vector<base::broker_id>& brokers,
                                          std::int32_t factor);

}  // namespace pystream::cluster
