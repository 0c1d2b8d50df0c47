#include "api/utf8.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

namespace pystream::api {
namespace {

BOOST_AUTO_TEST_SUITE(utf8_test)

BOOST_AUTO_TEST_CASE(well_formed)
{
    for (const std::string text :
         {"", "a", "eight by", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff"}) {
        BOOST_TEST(is_utf8(text));
        BOOST_TEST(is_utf8("padding!" + text + "and more of it"));
    }
    BOOST_TEST(is_utf8(std::string_view("\0", 1)));
}

BOOST_AUTO_TEST_CASE(ill_formed)
{
    for (const std::string text :
         {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xe1\x80",
          "\xe1\x80\xc0", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf1\x80\x80",
          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xfe"}) {
        BOOST_TEST(!is_utf8(text));
        BOOST_TEST(!is_utf8("padding!" + text));
        BOOST_TEST(!is_utf8("seven b" + text + "and more of it"));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
