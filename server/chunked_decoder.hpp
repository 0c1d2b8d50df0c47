#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pystream::server {

// Takes a chunked body (RFC 9112, 7.1) apart as it arrives. Chunk extensions and trailer fields are checked for form,
// bounded, and dropped. Pure; looks at every byte once.
class chunked_decoder {
public:
    enum class state : std::uint8_t { more, done, malformed, too_large };

    explicit chunked_decoder(std::size_t body_bytes_max) noexcept : body_bytes_max_(body_bytes_max) {}

    // Takes bytes off the front of `in` and appends content to `out`. After `done`, `in` starts behind the message. After
    // `malformed` and `too_large` (told by the size of a chunk, before its content) the message has no known end.
    state feed(std::string_view& in, std::string& out);

private:
    enum class part : std::uint8_t { size, extension, size_feed, data, data_return, data_feed, trailer, trailer_feed };

    state step(char c);
    state see_size(char c);
    state begin_chunk();
    state end_trailer_line();
    void take_data(std::string_view& in, std::string& out);

    static constexpr std::size_t line_bytes_max = 256;  // size and extension of one chunk
    static constexpr std::size_t trailer_bytes_max = 4 * 1024;

    std::size_t body_bytes_max_;
    std::size_t body_bytes_ = 0;
    std::size_t chunk_bytes_left_ = 0;
    std::size_t line_bytes_ = 0;
    std::size_t trailer_bytes_ = 0;
    std::string trailer_line_;
    part part_ = part::size;
};

}  // namespace pystream::server
