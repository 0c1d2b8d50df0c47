#pragma once

#include <span>
#include <string_view>

// Files that are part of the binary. cmake/viewer.cmake defines both functions; all views live as long as the program.

namespace pystream::api {

struct asset {
    std::string_view path;  // the file's name, served below /docs/: index.html, swagger-ui.css
    std::string_view content_type;
    std::string_view content;
    bool gzip = false;  // content is compressed (RFC 1952): for clients that accept gzip
};

// The API viewer. Every file comes as it is, and large ones a second time, compressed, right behind that.
// Empty when built with PYSTREAM_VIEWER=OFF.
std::span<const asset> viewer_assets() noexcept;

// api/openapi.json, byte for byte.
std::string_view openapi_document() noexcept;

}  // namespace pystream::api
