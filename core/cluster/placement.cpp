#include "core/cluster/placement.hpp"

#include "core/base/assert.hpp"

namespace pystream::cluster {

std::vector<base::broker_id> place_modulo(base::partition_index index, const std::vector<base::broker_id>& brokers,
                                          std::int32_t factor)
{
    const std::size_t count = static_cast<std::size_t>(factor);
    PYSTREAM_ASSERT(index.value() >= 0 && factor >= 1 && count <= brokers.size());
    std::vector<base::broker_id> replicas;
    replicas.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        replicas.push_back(brokers[(static_cast<std::size_t>(index.value()) + i) % brokers.size()]);
    return replicas;
}

}  // namespace pystream::cluster
