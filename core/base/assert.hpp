#pragma once

// Invariants that must hold in every build: a broker that goes on after one is broken can only do harm.

namespace pystream::base {

[[noreturn]] void assertion_failed(const char* expression, const char* file, int line) noexcept;

}  // namespace pystream::base

#define PYSTREAM_ASSERT(expression) \
    (static_cast<bool>(expression) ? static_cast<void>(0) : ::pystream::base::assertion_failed(#expression, __FILE__, __LINE__))
