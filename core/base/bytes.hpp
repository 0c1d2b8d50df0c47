#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

// Big-endian integers and LEB128 varints (zigzag for signed), the encodings of docs/formats.md.

namespace pystream::base {

template <class Integer>
Integer load_big_endian(const char* from) noexcept
{
    std::make_unsigned_t<Integer> value = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i)
        value = static_cast<std::make_unsigned_t<Integer>>((static_cast<std::uint64_t>(value) << 8) |
                                                           static_cast<unsigned char>(from[i]));
    return static_cast<Integer>(value);
}

template <class Integer>
void store_big_endian(char* to, Integer value) noexcept
{
    auto bits = static_cast<std::make_unsigned_t<Integer>>(value);
    for (std::size_t i = sizeof(Integer); i-- > 0;) {
        to[i] = static_cast<char>(bits & 0xff);
        bits = static_cast<std::make_unsigned_t<Integer>>(static_cast<std::uint64_t>(bits) >> 8);
    }
}

template <class Integer>
void append_big_endian(std::string& out, Integer value)
{
    char bytes[sizeof(Integer)];
    store_big_endian(bytes, value);
    out.append(bytes, sizeof bytes);
}

constexpr std::uint64_t zigzag(std::int64_t value) noexcept
{
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

constexpr std::int64_t unzigzag(std::uint64_t bits) noexcept
{
    return static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
}

inline constexpr std::size_t varint_bytes_max = 10;

inline void append_varint(std::string& out, std::int64_t value)
{
    std::uint64_t bits = zigzag(value);
    char bytes[varint_bytes_max];
    std::size_t size = 0;
    while (bits >= 0x80) {
        bytes[size++] = static_cast<char>(bits | 0x80);
        bits >>= 7;
    }
    bytes[size++] = static_cast<char>(bits);
    out.append(bytes, size);
}

// Takes a varint off the front of `in`. False (and `in` unspecified) when it is cut short, over 64 bits or not minimal.
inline bool read_varint(std::string_view& in, std::int64_t& value) noexcept
{
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < varint_bytes_max && i < in.size(); ++i) {
        const auto byte = static_cast<unsigned char>(in[i]);
        if (i == varint_bytes_max - 1 && byte > 1) return false;
        bits |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
        if ((byte & 0x80) != 0) continue;
        if (byte == 0 && i > 0) return false;
        value = unzigzag(bits);
        in.remove_prefix(i + 1);
        return true;
    }
    return false;
}

}  // namespace pystream::base
