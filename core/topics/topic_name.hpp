#pragma once

#include <string_view>

#include "core/base/error.hpp"

namespace pystream::topics {

// Topic, group and producer names: [A-Za-z0-9._-]{1,249}, not "." or "..". Checked after percent-decoding. `field` is the
// pointer or parameter that the error names. "a.b" and "a_b", "Orders" and "orders" are different names everywhere.
base::result<void> check_name(std::string_view name, std::string_view field);

// Names that start with "__" belong to the broker: readable, never written, altered or deleted by users.
bool is_internal(std::string_view name) noexcept;

}  // namespace pystream::topics
