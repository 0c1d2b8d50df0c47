#pragma once

#include <cstdint>
#include <string_view>

namespace pystream::base {

// CRC-32C (Castagnoli, RFC 3720 appendix B.4) by ISA-L, which picks the fastest form for this CPU at run time.
std::uint32_t crc32c(std::string_view bytes) noexcept;

}  // namespace pystream::base
