#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pystream::config {

// The known name that a typing mistake most likely meant; none when even the nearest differs in over half of its length.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& known);

}  // namespace pystream::config
