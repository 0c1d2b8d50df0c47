#include "core/base/bytes.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <random>

using namespace pystream::base;

namespace {

std::string hex(std::string_view bytes)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        out += digits[static_cast<unsigned char>(c) >> 4];
        out += digits[static_cast<unsigned char>(c) & 15];
    }
    return out;
}

std::string varint(std::int64_t value)
{
    std::string out;
    append_varint(out, value);
    return out;
}

bool reads(std::string_view bytes)
{
    std::int64_t value = 0;
    return read_varint(bytes, value);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(bytes_test)

BOOST_AUTO_TEST_CASE(integers_are_big_endian)
{
    std::string out;
    append_big_endian<std::uint16_t>(out, 0x0102);
    append_big_endian<std::int32_t>(out, -2);
    append_big_endian<std::uint64_t>(out, 0x0102030405060708);
    append_big_endian<std::uint8_t>(out, 0xff);
    BOOST_TEST(hex(out) == "0102fffffffe0102030405060708ff");
    BOOST_TEST(load_big_endian<std::uint16_t>(out.data()) == 0x0102);
    BOOST_TEST(load_big_endian<std::int32_t>(out.data() + 2) == -2);
    BOOST_TEST(load_big_endian<std::uint64_t>(out.data() + 6) == 0x0102030405060708U);
    BOOST_TEST(load_big_endian<std::int8_t>(out.data() + 14) == -1);
}

BOOST_AUTO_TEST_CASE(varints_are_zigzag_and_little_groups_first)
{
    BOOST_TEST(hex(varint(0)) == "00");
    BOOST_TEST(hex(varint(-1)) == "01");
    BOOST_TEST(hex(varint(1)) == "02");
    BOOST_TEST(hex(varint(63)) == "7e");
    BOOST_TEST(hex(varint(64)) == "8001");
    BOOST_TEST(hex(varint(-65)) == "8101");
    BOOST_TEST(hex(varint(std::numeric_limits<std::int64_t>::max())) == "feffffffffffffffff01");
    BOOST_TEST(hex(varint(std::numeric_limits<std::int64_t>::min())) == "ffffffffffffffffff01");
}

BOOST_AUTO_TEST_CASE(every_varint_is_read_back)
{
    std::mt19937_64 random{1};
    for (int i = 0; i < 20'000; ++i) {
        const auto value = static_cast<std::int64_t>(random() >> (random() % 64)) * (random() % 2 == 0 ? 1 : -1);
        const std::string bytes = varint(value) + "rest";
        std::string_view rest = bytes;
        std::int64_t read = 0;
        BOOST_REQUIRE(read_varint(rest, read));
        BOOST_REQUIRE(read == value);
        BOOST_REQUIRE(rest == "rest");
    }
}

BOOST_AUTO_TEST_CASE(varints_that_are_cut_too_long_or_not_minimal_are_refused)
{
    BOOST_TEST(!reads(""));
    BOOST_TEST(!reads("\x80"));
    BOOST_TEST(!reads(std::string_view{"\x80\x00", 2}));
    BOOST_TEST(!reads("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"));
    BOOST_TEST(!reads("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x01"));
    BOOST_TEST(reads("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
}

BOOST_AUTO_TEST_SUITE_END()
