#include "config/nearest.hpp"

#include <boost/test/unit_test.hpp>

namespace pystream::config {

BOOST_AUTO_TEST_SUITE(nearest_test)

BOOST_AUTO_TEST_CASE(a_typing_mistake_finds_its_name)
{
    const std::vector<std::string> known{"HOST", "PORT", "MAX_BODY_BYTES", "MAX_BATCH_BYTES"};
    BOOST_TEST(nearest("PROT", known).value() == "PORT");
    BOOST_TEST(nearest("MAX_BODY_BYTE", known).value() == "MAX_BODY_BYTES");
    BOOST_TEST(nearest("MAXBATCHBYTES", known).value() == "MAX_BATCH_BYTES");
    BOOST_TEST(nearest("HOST", known).value() == "HOST");
}

BOOST_AUTO_TEST_CASE(something_else_finds_nothing)
{
    BOOST_TEST(!nearest("COLOUR", {"HOST", "PORT"}).has_value());
    BOOST_TEST(!nearest("", {"HOST", "PORT"}).has_value());
    BOOST_TEST(!nearest("PORT", {}).has_value());
    BOOST_TEST(!nearest(std::string(1000, 'x'), {"HOST"}).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pystream::config
