#include "core/storage/segment_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace pystream;
using namespace pystream::storage;

BOOST_AUTO_TEST_SUITE(segment_files_test)

BOOST_AUTO_TEST_CASE(names_are_the_base_offset_in_twenty_digits)
{
    BOOST_TEST(segment_path("p", base::offset{0}) == "p/00000000000000000000.log");
    BOOST_TEST(index_path("p", base::offset{9007199254740991}) == "p/00009007199254740991.index");
    BOOST_TEST(parse_segment_name("00000000000000000042.log")->value() == 42);
}

BOOST_AUTO_TEST_CASE(every_other_name_is_not_a_segment)
{
    for (const char* name :
         {"", ".log", "42.log", "0000000000000000004.log", "000000000000000000042.log", "0000000000000000004x.log",
          "-0000000000000000042.log", "+0000000000000000042.log", " 0000000000000000042.log", "00000000000000000042.log.tmp",
          "00000000000000000042.index", "99999999999999999999.log", "00009007199254740992.log", "00000000000000000042.LOG"})
        BOOST_TEST(!parse_segment_name(name).has_value(), name);
}

BOOST_AUTO_TEST_CASE(parents)
{
    BOOST_TEST(parent_directory("a/b/c") == "a/b");
    BOOST_TEST(parent_directory("a") == ".");
    BOOST_TEST(parent_directory("/a") == "/");
}

BOOST_AUTO_TEST_SUITE_END()
