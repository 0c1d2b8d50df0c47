#include "tests/bench/load/resp_reader.hpp"

#include <charconv>
#include <cstdint>

namespace pystream::bench {
namespace {

constexpr std::size_t line_bytes_max = 64 * 1024;
constexpr std::int64_t length_max = 512 << 20;

bool parse_length(std::string_view text, std::int64_t& out) noexcept
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc{} && end == text.data() + text.size() && out >= -1 && out <= length_max;
}

scan read_bulk(std::string_view in, std::int64_t length, resp_value& out)
{
    const auto bytes = static_cast<std::size_t>(length);
    if (in.size() < out.bytes + bytes + 2) return scan::more;
    out.text = in.substr(out.bytes, bytes);
    if (in.substr(out.bytes + bytes, 2) != "\r\n") return scan::malformed;
    out.bytes += bytes + 2;
    return scan::complete;
}

scan read_elements(std::string_view in, std::int64_t count, resp_value& out, unsigned depth_max)
{
    out.elements = static_cast<std::size_t>(count);
    for (std::int64_t i = 0; i < count; ++i) {
        resp_value element;
        const scan state = read_resp(in.substr(out.bytes), element, depth_max);
        if (state != scan::complete) return state;
        out.bytes += element.bytes;
        out.error_inside |= element.error_inside;
    }
    return scan::complete;
}

}  // namespace

scan read_resp(std::string_view in, resp_value& out, unsigned depth_max)
{
    if (depth_max == 0) return scan::malformed;
    const std::size_t end = in.find("\r\n");
    if (end == std::string_view::npos) return in.size() > line_bytes_max ? scan::malformed : scan::more;
    if (end == 0) return scan::malformed;
    out = {};
    out.type = in[0];
    out.text = in.substr(1, end - 1);
    out.bytes = end + 2;
    out.error_inside = out.type == '-';
    std::int64_t length = 0;
    switch (out.type) {
    case '+':
    case '-':
    case ':': return scan::complete;
    case '$':
    case '*':
        if (!parse_length(out.text, length)) return scan::malformed;
        out.null = length < 0;
        if (out.null) return scan::complete;
        return out.type == '$' ? read_bulk(in, length, out) : read_elements(in, length, out, depth_max - 1);
    default: return scan::malformed;
    }
}

}  // namespace pystream::bench
