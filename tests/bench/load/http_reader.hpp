#pragma once

#include <cstddef>
#include <string_view>

namespace pystream::bench {

enum class scan { more, complete, malformed };

// Finds the end of one HTTP/1.1 answer with a Content-Length, in bytes that grow behind the same beginning. Not for the chunked
// coding or interim answers: both are malformed here.
class http_reader {
public:
    scan read(std::string_view in);

    // Of a complete answer; the views point into what was read.
    unsigned status() const noexcept { return status_; }
    std::size_t bytes() const noexcept { return head_bytes_ + body_bytes_; }
    std::string_view body() const noexcept { return body_; }

    void reset() noexcept { *this = {}; }

private:
    bool take_head(std::string_view head);

    unsigned status_ = 0;
    std::size_t head_bytes_ = 0;  // 0: the head is not complete
    std::size_t body_bytes_ = 0;
    std::string_view body_;
};

}  // namespace pystream::bench
