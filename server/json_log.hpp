#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "core/base/clock.hpp"
#include "core/base/logger.hpp"

namespace pystream::server {

// One JSON object a line: {"time":"2026-11-29T13:00:44.123Z","level":"INFO","event":"listening","port":8000}.
//
// A line is one write of at most 4096 bytes, so lines of several processes on one pipe never mix; what does not fit is cut off
// field by field. When the descriptor takes nothing, the line is dropped and the next that gets out says how many were.
class json_log final : public base::logger {
public:
    // The descriptor stays the caller's.
    json_log(int descriptor, base::severity least, const base::clock& clock) noexcept
        : descriptor_(descriptor), least_(least), clock_(clock)
    {
    }

    bool enabled(base::severity level) const noexcept override { return level >= least_; }
    void write(base::severity level, std::string_view event, std::initializer_list<base::log_field> fields) noexcept override;

private:
    void write_line(const std::string& line);

    int descriptor_;
    base::severity least_;
    const base::clock& clock_;
    std::mutex mutex_;
    std::uint64_t dropped_ = 0;
};

// One line, newline included.
std::string format_log_line(std::int64_t wall_ns, base::severity level, std::string_view event,
                            std::initializer_list<base::log_field> fields);

}  // namespace pystream::server
