#include "api/base64.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <limits>

namespace pystream::api {
namespace {

bool in_alphabet(char c) noexcept
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
}

// RFC 4648 section 3.5: an encoder leaves the bits behind the last byte zero, so that every byte string has one form.
bool unused_bits_are_zero(char last, std::size_t padding) noexcept
{
    constexpr std::string_view two_bits_unused = "AEIMQUYcgkosw048";  // one '='
    constexpr std::string_view four_bits_unused = "AQgw";             // two
    return (padding == 1 ? two_bits_unused : four_bits_unused).find(last) != std::string_view::npos;
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes)
{
    // EVP_EncodeBlock takes an int and ends its output with a zero byte, which is cut off again.
    constexpr std::size_t chunk_bytes = 3 << 20;
    while (!bytes.empty()) {
        const auto chunk = bytes.substr(0, chunk_bytes);
        const std::size_t before = out.size();
        out.resize(before + (chunk.size() + 2) / 3 * 4 + 1);
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data() + before),
                        reinterpret_cast<const unsigned char*>(chunk.data()), static_cast<int>(chunk.size()));
        out.pop_back();
        bytes.remove_prefix(chunk.size());
    }
}

std::optional<std::string> decode_base64(std::string_view text)
{
    if (text.empty()) return std::string{};
    if (text.size() % 4 != 0 || text.size() > std::numeric_limits<int>::max()) return std::nullopt;
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    const auto symbols = text.substr(0, text.size() - padding);
    // Checked here because EVP_DecodeBlock skips white space and does not look at unused bits.
    if (!std::ranges::all_of(symbols, in_alphabet)) return std::nullopt;
    if (padding != 0 && !unused_bits_are_zero(symbols.back(), padding)) return std::nullopt;
    std::string bytes(text.size() / 4 * 3, '\0');
    if (EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), reinterpret_cast<const unsigned char*>(text.data()),
                        static_cast<int>(text.size())) < 0)
        return std::nullopt;
    bytes.resize(bytes.size() - padding);
    return bytes;
}

}  // namespace pystream::api
