#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pystream::api {

// A media type as Content-Type has it (RFC 9110 section 8.3): case, spaces and quotes around values do not count.
struct media_type {
    std::string essence;                 // "application/json", in lower case
    std::optional<std::string> charset;  // in lower case
};

// nullopt: not of the form type/subtype followed by parameters.
std::optional<media_type> parse_media_type(std::string_view text);

// The entry of `offered` that the Accept header prefers (RFC 9110 section 12.5.1); the first one of equals, and the first of all
// without a header. nullopt: none is acceptable.
std::optional<std::size_t> negotiate(std::optional<std::string_view> accept, std::span<const std::string_view> offered);

// Whether Accept-Encoding allows gzip (RFC 9110 section 12.5.3).
bool accepts_gzip(std::optional<std::string_view> accept_encoding);

}  // namespace pystream::api
