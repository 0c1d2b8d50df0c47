#pragma once

#include <thread>

#include "core/base/assert.hpp"

namespace pystream::base {

// The thread that owns an object: the first one that calls check(). A debug build stops at a call from any other; a release build
// checks nothing.
class owner_thread {
public:
    void check() const noexcept
    {
#ifndef NDEBUG
        if (owner_ == std::thread::id{}) owner_ = std::this_thread::get_id();
        PYSTREAM_ASSERT(owner_ == std::this_thread::get_id());
#endif
    }

private:
#ifndef NDEBUG
    mutable std::thread::id owner_;
#endif
};

}  // namespace pystream::base
