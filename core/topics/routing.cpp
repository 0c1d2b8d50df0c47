#include "core/topics/routing.hpp"

#include <openssl/evp.h>

#include <array>
#include <memory>

#include "core/base/assert.hpp"
#include "core/base/bytes.hpp"

namespace pystream::topics {
namespace {

constexpr std::size_t digest_bytes = 32;
using digest = std::array<char, digest_bytes>;

struct digest_deleter {
    void operator()(EVP_MD* algorithm) const noexcept { EVP_MD_free(algorithm); }
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};

// Fetching the algorithm and making a context cost four times the hash of a short key: both are made once.
const EVP_MD* sha256_algorithm()
{
    static const std::unique_ptr<EVP_MD, digest_deleter> algorithm{EVP_MD_fetch(nullptr, "SHA256", nullptr)};
    return algorithm.get();
}

EVP_MD_CTX* thread_context()
{
    thread_local const std::unique_ptr<EVP_MD_CTX, digest_deleter> context{EVP_MD_CTX_new()};
    return context.get();
}

// FIPS 180-4. OpenSSL fails here only without memory or without a provider; routing to a wrong partition would be worse.
digest sha256(std::string_view bytes)
{
    const EVP_MD* algorithm = sha256_algorithm();
    EVP_MD_CTX* context = thread_context();
    PYSTREAM_ASSERT(algorithm != nullptr && context != nullptr);
    digest out{};
    const bool hashed = EVP_DigestInit_ex2(context, algorithm, nullptr) == 1 &&
                        EVP_DigestUpdate(context, bytes.data(), bytes.size()) == 1 &&
                        EVP_DigestFinal_ex(context, reinterpret_cast<unsigned char*>(out.data()), nullptr) == 1;
    PYSTREAM_ASSERT(hashed);
    return out;
}

// Long division, 32 bits a step: the remainder is below 2^31, so each step fits in 64 bits.
std::uint64_t modulo(const digest& big_endian, std::uint64_t divisor) noexcept
{
    std::uint64_t remainder = 0;
    for (std::size_t i = 0; i < digest_bytes; i += sizeof(std::uint32_t))
        remainder = ((remainder << 32) | base::load_big_endian<std::uint32_t>(big_endian.data() + i)) % divisor;
    return remainder;
}

}  // namespace

base::partition_index route_key(std::string_view key, std::int32_t partition_count)
{
    PYSTREAM_ASSERT(partition_count >= 1);
    const std::uint64_t index = modulo(sha256(key), static_cast<std::uint64_t>(partition_count));
    return base::partition_index{static_cast<std::int32_t>(index)};
}

base::partition_index round_robin::next(std::int32_t partition_count) noexcept
{
    PYSTREAM_ASSERT(partition_count >= 1);
    // Wraps here and not at 2^32, which would break the turn for most counts.
    if (cursor_ >= static_cast<std::uint32_t>(partition_count)) cursor_ = 0;
    return base::partition_index{static_cast<std::int32_t>(cursor_++)};
}

}  // namespace pystream::topics
