#pragma once

#include <cstdint>

#include "core/base/ids.hpp"

namespace pystream::storage {

// Where in a segment file a batch begins, and the offset it begins with.
struct place {
    std::uint64_t position = 0;
    base::offset offset;
    friend bool operator==(const place&, const place&) = default;
};

}  // namespace pystream::storage
