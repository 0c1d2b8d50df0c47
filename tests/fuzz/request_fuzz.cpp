#include <cstdint>
#include <string>

#include "core/base/assert.hpp"
#include "server/head_scanner.hpp"
#include "server/request_parser.hpp"

// Bytes as they come from a socket, whole and in two pieces: both ways find the same head, and a chunked body never exceeds its limit.

namespace {

using namespace pystream;

constexpr std::size_t body_bytes_max = 1000;

void take_request(std::string_view bytes, std::size_t head_bytes, const server::head_limits& limits)
{
    server::request_parser parser{limits};
    if (parser.take_head(bytes.substr(0, head_bytes)) || !parser.facts().chunked) return;
    std::string_view rest = bytes.substr(head_bytes);
    const auto state = parser.take_chunks(rest, body_bytes_max);
    PYSTREAM_ASSERT(rest.size() <= bytes.size() - head_bytes);
    PYSTREAM_ASSERT(parser.request().body.size() <= body_bytes_max || state == server::request_parser::state::too_large);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 1) return 0;
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
    const server::head_limits limits{.head_bytes_max = 2048, .line_bytes_max = 1024, .fields_max = 20};
    std::optional<server::refusal> refused;
    server::head_scanner whole{limits};
    const auto head = whole.scan(bytes, refused);
    std::optional<server::refusal> refused_in_pieces;
    server::head_scanner pieces{limits};
    auto head_in_pieces = pieces.scan(bytes.substr(0, bytes.size() * data[0] / 255), refused_in_pieces);
    if (!head_in_pieces && !refused_in_pieces) head_in_pieces = pieces.scan(bytes, refused_in_pieces);
    PYSTREAM_ASSERT(head == head_in_pieces && refused.has_value() == refused_in_pieces.has_value());
    if (head && !refused) take_request(bytes, *head, limits);
    return 0;
}
