#include "core/base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace pystream::base {

void assertion_failed(const char* expression, const char* file, int line) noexcept
{
    std::fprintf(stderr, "assertion failed: %s (%s:%d)\n", expression, file, line);
    std::abort();
}

}  // namespace pystream::base
