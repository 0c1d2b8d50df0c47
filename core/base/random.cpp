#include "core/base/random.hpp"

#include <random>

namespace pystream::base {

void system_random::fill(std::span<unsigned char> bytes)
{
    std::random_device device;
    for (auto& byte : bytes) byte = static_cast<unsigned char>(device());
}

}  // namespace pystream::base
