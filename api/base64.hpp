#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pystream::api {

// Base64 of RFC 4648 section 4: the standard alphabet, with padding, no line breaks.
void append_base64(std::string& out, std::string_view bytes);

// Strict: padding is required, unused bits must be zero, nothing else may stand in it. nullopt otherwise.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace pystream::api
