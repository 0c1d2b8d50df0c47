#include "core/base/ids.hpp"

#include <boost/test/unit_test.hpp>

#include <type_traits>
#include <unordered_set>

using namespace pystream::base;

BOOST_AUTO_TEST_SUITE(ids_test)

BOOST_AUTO_TEST_CASE(kinds_do_not_mix)
{
    static_assert(!std::is_convertible_v<int, broker_id>);
    static_assert(!std::is_convertible_v<broker_id, partition_index>);
    static_assert(!std::is_convertible_v<std::int64_t, offset>);
    BOOST_TEST((broker_id{1} < broker_id{2}));
    BOOST_TEST((offset{3} + 4 == offset{7}));
    BOOST_TEST(offset{7} - offset{3} == 4);
    BOOST_TEST((std::unordered_set<broker_id>{broker_id{1}, broker_id{1}, broker_id{2}}.size() == 2));
}

BOOST_AUTO_TEST_CASE(topic_ids_are_written_and_read_as_hex)
{
    const std::string text = "000102030405060708090a0b0c0d0eff";
    const auto id = topic_id::from_hex(text);
    BOOST_REQUIRE(id);
    BOOST_TEST(id->to_hex() == text);
    BOOST_TEST((*id != topic_id{}));
    for (const char* bad : {"", "00", "000102030405060708090a0b0c0d0eF0", "000102030405060708090a0b0c0d0eg0",
                            "000102030405060708090a0b0c0d0e0f0", " 00102030405060708090a0b0c0d0e0f"})
        BOOST_TEST(!topic_id::from_hex(bad), bad);
}

BOOST_AUTO_TEST_SUITE_END()
