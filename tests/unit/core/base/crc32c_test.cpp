#include "core/base/crc32c.hpp"

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>

using pystream::base::crc32c;

namespace {

std::uint32_t bit_by_bit(std::string_view bytes)
{
    std::uint32_t crc = 0xffffffff;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0U);
    }
    return ~crc;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(crc32c_test)

// RFC 3720, appendix B.4, and the check value of the CRC catalogue.
BOOST_AUTO_TEST_CASE(published_vectors)
{
    BOOST_TEST(crc32c("") == 0U);
    BOOST_TEST(crc32c("123456789") == 0xe3069283U);
    BOOST_TEST(crc32c(std::string(32, '\0')) == 0x8a9136aaU);
    BOOST_TEST(crc32c(std::string(32, '\xff')) == 0x62a8ab43U);
    std::string ascending;
    std::string descending;
    for (int i = 0; i < 32; ++i) {
        ascending += static_cast<char>(i);
        descending += static_cast<char>(31 - i);
    }
    BOOST_TEST(crc32c(ascending) == 0x46dd794eU);
    BOOST_TEST(crc32c(descending) == 0x113fdb5cU);
}

BOOST_AUTO_TEST_CASE(every_length_and_alignment_agrees_with_the_definition)
{
    std::mt19937_64 random{1};
    std::string bytes(5000, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    for (std::size_t size = 0; size < 300; ++size) {
        const std::string_view part = std::string_view{bytes}.substr(size % 17, size);
        BOOST_REQUIRE(crc32c(part) == bit_by_bit(part));
    }
    BOOST_TEST(crc32c(bytes) == bit_by_bit(bytes));
}

BOOST_AUTO_TEST_SUITE_END()
