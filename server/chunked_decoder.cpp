#include "server/chunked_decoder.hpp"

#include <algorithm>

#include "server/http_text.hpp"

namespace pystream::server {
namespace {

int hex_value(char c) noexcept
{
    if (is_digit(c)) return c - '0';
    const char letter = lower(c);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

bool is_trailer_field(std::string_view line) noexcept
{
    const std::size_t colon = line.find(':');
    return colon != std::string_view::npos && is_token(line.substr(0, colon)) && is_field_value(line.substr(colon + 1));
}

}  // namespace

chunked_decoder::state chunked_decoder::feed(std::string_view& in, std::string& out)
{
    while (!in.empty()) {
        if (part_ == part::data) {
            take_data(in, out);
            continue;
        }
        const char c = in.front();
        in.remove_prefix(1);
        const state now = step(c);
        if (now != state::more) return now;
    }
    return state::more;
}

void chunked_decoder::take_data(std::string_view& in, std::string& out)
{
    const std::size_t bytes = std::min(in.size(), chunk_bytes_left_);
    out.append(in.substr(0, bytes));
    in.remove_prefix(bytes);
    chunk_bytes_left_ -= bytes;
    if (chunk_bytes_left_ == 0) part_ = part::data_return;
}

chunked_decoder::state chunked_decoder::step(char c)
{
    const auto expect = [&](char wanted, part next) {
        part_ = next;
        return c == wanted ? state::more : state::malformed;
    };
    switch (part_) {
    case part::size: return see_size(c);
    case part::extension:
        if (c == '\r') return expect('\r', part::size_feed);
        return is_field_value({&c, 1}) && ++line_bytes_ <= line_bytes_max ? state::more : state::malformed;
    case part::size_feed: return c == '\n' ? begin_chunk() : state::malformed;
    case part::data: return state::malformed;  // not reached: feed() takes content itself
    case part::data_return: return expect('\r', part::data_feed);
    case part::data_feed: line_bytes_ = 0; return expect('\n', part::size);
    case part::trailer:
        if (c == '\r') return expect('\r', part::trailer_feed);
        trailer_line_ += c;
        return c != '\n' && ++trailer_bytes_ <= trailer_bytes_max ? state::more : state::malformed;
    case part::trailer_feed: return c == '\n' ? end_trailer_line() : state::malformed;
    }
    return state::malformed;
}

chunked_decoder::state chunked_decoder::see_size(char c)
{
    if (const int digit = hex_value(c); digit >= 0) {
        if (++line_bytes_ > line_bytes_max) return state::malformed;
        chunk_bytes_left_ = chunk_bytes_left_ * 16 + static_cast<std::size_t>(digit);
        return chunk_bytes_left_ <= body_bytes_max_ ? state::more : state::too_large;
    }
    if (line_bytes_ == 0 || (c != '\r' && c != ';')) return state::malformed;
    part_ = c == '\r' ? part::size_feed : part::extension;
    return state::more;
}

chunked_decoder::state chunked_decoder::begin_chunk()
{
    if (chunk_bytes_left_ > body_bytes_max_ - body_bytes_) return state::too_large;
    body_bytes_ += chunk_bytes_left_;
    part_ = chunk_bytes_left_ == 0 ? part::trailer : part::data;
    return state::more;
}

chunked_decoder::state chunked_decoder::end_trailer_line()
{
    if (trailer_line_.empty()) return state::done;
    if (!is_trailer_field(trailer_line_)) return state::malformed;
    trailer_line_.clear();
    part_ = part::trailer;
    return state::more;
}

}  // namespace pystream::server
