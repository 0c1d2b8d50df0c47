#pragma once

#include <optional>
#include <string_view>

#include "api/problem.hpp"

namespace pystream::server {

// Why a request is refused before any handler sees it.
struct refusal {
    api::http_errc code = api::http_errc::bad_request;
    std::string_view detail;  // lives as long as the program
};

struct head_limits {
    std::size_t head_bytes_max = 16 * 1024;  // request line and all fields
    std::size_t line_bytes_max = 8 * 1024;   // the request line, or one field
    std::size_t fields_max = 100;
};

// Finds the end of a request's head in bytes that arrive piece by piece, and refuses lines that end with a bare LF, lines folded
// over several, and what is too long. Looks at every byte once.
class head_scanner {
public:
    explicit head_scanner(const head_limits& limits) noexcept : limits_(&limits) {}
    // `bytes`: everything received since the start of the request, each time at least as much as before. The length of
    // the head, its empty line included; nullopt: not complete yet, or refused.
    std::optional<std::size_t> scan(std::string_view bytes, std::optional<refusal>& refused) noexcept;
    void reset() noexcept { *this = head_scanner{*limits_}; }

private:
    std::optional<refusal> check_length(std::size_t line_bytes, std::size_t head_bytes) const noexcept;

    const head_limits* limits_;
    std::size_t scanned_ = 0;
    std::size_t line_start_ = 0;
    bool request_line_seen_ = false;
};

}  // namespace pystream::server
