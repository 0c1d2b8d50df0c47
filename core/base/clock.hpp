#pragma once

#include <chrono>
#include <cstdint>

namespace pystream::base {

// Time is injected, so that tests can hold it still and make it jump. All methods may be called from any thread.
class clock {
public:
    using monotonic_time = std::chrono::steady_clock::time_point;
    virtual ~clock() = default;
    // Nanoseconds since 1970-01-01 UTC; may jump either way. Only for timestamps that people see.
    virtual std::int64_t wall_ns() const noexcept = 0;
    // Never goes back. For every deadline and lease.
    virtual monotonic_time monotonic() const noexcept = 0;
};

class system_clock final : public clock {
public:
    std::int64_t wall_ns() const noexcept override;
    monotonic_time monotonic() const noexcept override;
};

}  // namespace pystream::base
