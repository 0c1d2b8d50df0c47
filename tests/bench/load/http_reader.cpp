#include "tests/bench/load/http_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace pystream::bench {
namespace {

constexpr std::size_t head_bytes_max = 64 * 1024;
constexpr std::string_view head_end = "\r\n\r\n";

char lower(char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// The rest of the line when it starts with the name, which is in lower case.
bool take_name(std::string_view& line, std::string_view name) noexcept
{
    const auto same = [](char in, char wanted) { return lower(in) == wanted; };
    if (line.size() < name.size() ||
        !std::equal(name.begin(), name.end(), line.begin(), [&](char wanted, char in) { return same(in, wanted); }))
        return false;
    line.remove_prefix(name.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return true;
}

template <class Integer>
bool parse(std::string_view text, Integer& out) noexcept
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

bool http_reader::take_head(std::string_view head)
{
    if (!head.starts_with("HTTP/1.1 ") || head.size() < 12 || !parse(head.substr(9, 3), status_) || status_ < 200) return false;
    bool has_length = status_ == 204 || status_ == 304;
    for (std::size_t at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at)) {
        at += 2;
        std::string_view line = head.substr(at, head.find("\r\n", at) - at);
        if (take_name(line, "content-length:")) {
            if (!parse(line, body_bytes_)) return false;
            has_length = true;
        } else if (take_name(line, "transfer-encoding:")) {
            return false;
        }
    }
    return has_length;
}

scan http_reader::read(std::string_view in)
{
    if (head_bytes_ == 0) {
        const std::size_t end = in.find(head_end);
        if (end == std::string_view::npos) return in.size() > head_bytes_max ? scan::malformed : scan::more;
        if (!take_head(in.substr(0, end))) return scan::malformed;
        head_bytes_ = end + head_end.size();
    }
    if (in.size() - head_bytes_ < body_bytes_) return scan::more;
    body_ = in.substr(head_bytes_, body_bytes_);
    return scan::complete;
}

}  // namespace pystream::bench
