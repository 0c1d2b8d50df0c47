#include "core/base/crc32c.hpp"

#include <isa-l/crc.h>

namespace pystream::base {

std::uint32_t crc32c(std::string_view bytes) noexcept
{
    // ISA-L takes an int length and a mutable pointer it never writes to; lengths here are bounded by the batch limit.
    std::uint32_t crc = 0xffffffff;
    while (!bytes.empty()) {
        const std::string_view part = bytes.substr(0, 1U << 30);
        crc = crc32_iscsi(reinterpret_cast<unsigned char*>(const_cast<char*>(part.data())), static_cast<int>(part.size()), crc);
        bytes.remove_prefix(part.size());
    }
    return crc ^ 0xffffffff;
}

}  // namespace pystream::base
