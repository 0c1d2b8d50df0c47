#include "core/base/clock.hpp"

namespace pystream::base {

std::int64_t system_clock::wall_ns() const noexcept
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

clock::monotonic_time system_clock::monotonic() const noexcept
{
    return std::chrono::steady_clock::now();
}

}  // namespace pystream::base
