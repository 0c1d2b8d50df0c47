#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/bench/load/histogram.hpp"

using pystream::bench::histogram;

BOOST_AUTO_TEST_SUITE(histogram_test)

BOOST_AUTO_TEST_CASE(empty)
{
    const histogram none;
    BOOST_TEST(none.count() == 0U);
    BOOST_TEST(none.percentile(99) == 0U);
    BOOST_TEST(none.mean() == 0);
}

BOOST_AUTO_TEST_CASE(small_values_are_exact)
{
    histogram values;
    for (std::uint64_t v = 1; v <= 200; ++v) values.add(v);
    BOOST_TEST(values.percentile(50) == 100U);
    BOOST_TEST(values.percentile(99) == 198U);
    BOOST_TEST(values.percentile(99.9) == 200U);
    BOOST_TEST(values.percentile(0) == 1U);
    BOOST_TEST(values.mean() == 100.5);
    BOOST_TEST(values.max() == 200U);
}

BOOST_AUTO_TEST_CASE(percentiles_are_at_most_a_step_too_high)
{
    std::mt19937_64 random{7};
    std::vector<std::uint64_t> sorted;
    histogram values;
    for (int i = 0; i < 20'000; ++i) {
        sorted.push_back(random() >> (random() % 64));  // every magnitude
        values.add(sorted.back());
    }
    std::sort(sorted.begin(), sorted.end());
    for (const double percent : {1.0, 25.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
        const auto rank = static_cast<std::size_t>(std::ceil(static_cast<double>(sorted.size()) * percent / 100));
        const auto exact = static_cast<double>(sorted[rank - 1]);
        const auto found = static_cast<double>(values.percentile(percent));
        BOOST_TEST(found >= exact);
        BOOST_TEST(found <= exact * (1 + 1.0 / 128));
    }
    BOOST_TEST(values.percentile(100) == sorted.back());
}

BOOST_AUTO_TEST_CASE(steps_have_no_gaps)
{
    for (unsigned bit = 0; bit < 64; ++bit)
        for (const std::uint64_t around :
             {(std::uint64_t{1} << bit) - 1, std::uint64_t{1} << bit, (std::uint64_t{1} << bit) + 1}) {
            histogram one;
            one.add(around);
            one.add(~std::uint64_t{0});  // so that the answer is the step's end, not the maximum
            BOOST_TEST(one.percentile(50) >= around);
            BOOST_TEST(one.percentile(50) - around <= around / 128);
        }
}

BOOST_AUTO_TEST_SUITE_END()
