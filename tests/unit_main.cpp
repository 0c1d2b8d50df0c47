// The one main() of the unit tests.
#define BOOST_TEST_MODULE pystream
#include <boost/test/unit_test.hpp>
