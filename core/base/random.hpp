#pragma once

#include <span>

namespace pystream::base {

// Randomness is injected, so that a failing test can be run again from its seed.
class random_source {
public:
    virtual ~random_source() = default;
    virtual void fill(std::span<unsigned char> bytes) = 0;
};

class system_random final : public random_source {
public:
    void fill(std::span<unsigned char> bytes) override;
};

}  // namespace pystream::base
