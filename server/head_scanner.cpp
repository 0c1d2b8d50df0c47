#include "server/head_scanner.hpp"

#include <cstring>

namespace pystream::server {
namespace {

using api::http_errc;

refusal bad(std::string_view detail)
{
    return {http_errc::bad_request, detail};
}

}  // namespace

std::optional<refusal> head_scanner::check_length(std::size_t line_bytes, std::size_t head_bytes) const noexcept
{
    if (line_bytes > limits_->line_bytes_max && !request_line_seen_)
        return refusal{http_errc::uri_too_long, "The request line is too long."};
    if (line_bytes > limits_->line_bytes_max || head_bytes > limits_->head_bytes_max)
        return refusal{http_errc::headers_too_large, "The header fields are too large."};
    return std::nullopt;
}

std::optional<std::size_t> head_scanner::scan(std::string_view bytes, std::optional<refusal>& refused) noexcept
{
    while (scanned_ < bytes.size()) {
        const void* found = std::memchr(bytes.data() + scanned_, '\n', bytes.size() - scanned_);
        if (found == nullptr) break;
        const auto feed = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
        if (feed == 0 || bytes[feed - 1] != '\r') {
            refused = bad("Lines must end with CR LF.");
            return std::nullopt;
        }
        const std::size_t line_bytes = feed - 1 - line_start_;
        if (request_line_seen_ && line_bytes > 0 && (bytes[line_start_] == ' ' || bytes[line_start_] == '\t')) {
            refused = bad("Header fields must not be folded over lines.");
            return std::nullopt;
        }
        if ((refused = check_length(line_bytes, feed + 1))) return std::nullopt;
        scanned_ = line_start_ = feed + 1;
        if (line_bytes == 0 && request_line_seen_) return scanned_;
        if (line_bytes > 0) request_line_seen_ = true;  // empty lines before a request are skipped (RFC 9112, 2.2)
    }
    scanned_ = bytes.size();
    const bool cr_waits_for_lf = !bytes.empty() && bytes.back() == '\r';
    refused = check_length(bytes.size() - line_start_ - (cr_waits_for_lf ? 1 : 0), bytes.size());
    return std::nullopt;
}

}  // namespace pystream::server
