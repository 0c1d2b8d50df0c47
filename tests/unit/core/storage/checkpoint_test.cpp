#include "core/storage/checkpoint.hpp"

#include <boost/test/unit_test.hpp>

#include "core/base/bytes.hpp"
#include "core/base/crc32c.hpp"
#include "tests/support/simulated_file_system.hpp"

using namespace pystream;
using namespace pystream::storage;

BOOST_AUTO_TEST_SUITE(checkpoint_test)

BOOST_AUTO_TEST_CASE(what_is_written_is_read)
{
    tests::simulated_file_system files;
    BOOST_TEST(!read_checkpoint(files, ".")->has_value());
    const checkpoint value{base::offset{5}, base::offset{7}, {400, base::offset{9}}, 100, true};
    BOOST_REQUIRE(write_checkpoint(files, ".", value));
    files.crash(tests::crash_keeps::only_durable);
    const auto read = read_checkpoint(files, ".");
    BOOST_REQUIRE(read && *read);
    BOOST_TEST((**read == value));
}

BOOST_AUTO_TEST_CASE(any_changed_byte_or_length_is_refused)
{
    const std::string bytes = encode_checkpoint({base::offset{5}, base::offset{7}, {400, base::offset{9}}, {}, false});
    BOOST_REQUIRE(decode_checkpoint(bytes));
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ 0x40);
        BOOST_TEST(!decode_checkpoint(changed));
        BOOST_TEST(!decode_checkpoint(bytes.substr(0, at)));
    }
    BOOST_TEST(!decode_checkpoint(bytes + '\0'));
}

BOOST_AUTO_TEST_CASE(fields_that_contradict_each_other_are_refused)
{
    const auto refused = [](const checkpoint& value) { return !decode_checkpoint(encode_checkpoint(value)); };
    BOOST_TEST(refused({base::offset{10}, base::offset{7}, {400, base::offset{9}}, {}, false}));
    BOOST_TEST(refused({base::offset{5}, base::offset{10}, {400, base::offset{9}}, {}, false}));
    BOOST_TEST(refused({base::offset{-1}, base::offset{7}, {400, base::offset{9}}, {}, false}));
    BOOST_TEST(refused({base::offset{5}, base::offset{7}, {400, base::offset{9}}, 400, false}));
}

BOOST_AUTO_TEST_CASE(an_unknown_version_is_refused_with_a_valid_checksum)
{
    std::string bytes = encode_checkpoint({});
    bytes[5] = 2;
    base::store_big_endian(bytes.data() + bytes.size() - 4, base::crc32c(std::string_view{bytes}.substr(0, bytes.size() - 4)));
    const auto read = decode_checkpoint(bytes);
    BOOST_REQUIRE(!read);
    BOOST_TEST(read.error().internal == "unknown version");
}

BOOST_AUTO_TEST_SUITE_END()
