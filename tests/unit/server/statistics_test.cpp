#include "server/statistics.hpp"

#include <boost/test/unit_test.hpp>

using namespace pystream;
using namespace pystream::server;
using namespace std::chrono_literals;

namespace {

struct manual_clock final : base::clock {
    monotonic_time now{};
    std::int64_t wall_ns() const noexcept override { return 0; }
    monotonic_time monotonic() const noexcept override { return now; }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(statistics_)

BOOST_AUTO_TEST_CASE(a_budget_refuses_what_does_not_fit_and_takes_back_what_was_held)
{
    byte_budget budget{100};
    {
        byte_reservation first{budget};
        BOOST_TEST(first.try_grow(60));
        byte_reservation second{budget};
        BOOST_TEST(!second.try_grow(41));
        BOOST_TEST(second.try_grow(40));
        BOOST_TEST(budget.used() == 100u);
        byte_reservation third{budget};
        BOOST_TEST(!third.try_grow(0));  // used up: nothing new gets in, however small
        third.grow(50);                  // memory that is there already is counted all the same
        BOOST_TEST(budget.used() == 150u);
        BOOST_TEST(!first.try_grow(1));
    }
    BOOST_TEST(budget.used() == 0u);
}

BOOST_AUTO_TEST_CASE(counts_answers_by_class_and_duration)
{
    manual_clock clock;
    const byte_budget budget{1};
    statistics stats{clock, budget};
    stats.count_answer(201, 400us);
    stats.count_answer(404, 3ms);
    stats.count_answer(503, 6s);
    const auto counters = stats.server();
    BOOST_TEST(counters.responses_by_class[2] == 1u);
    BOOST_TEST(counters.responses_by_class[4] == 1u);
    BOOST_TEST(counters.responses_by_class[5] == 1u);
    BOOST_TEST(counters.durations[0] == 1u);   // <= 0.5 ms
    BOOST_TEST(counters.durations[3] == 2u);   // <= 5 ms
    BOOST_TEST(counters.durations[10] == 2u);  // <= 5 s
    BOOST_TEST(counters.durations[11] == 3u);
    BOOST_TEST(counters.duration_seconds_total == 6.0034, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(remembers_the_worst_lag_of_the_last_ten_seconds_or_a_little_more)
{
    manual_clock clock;
    const byte_budget budget{1};
    statistics stats{clock, budget};
    stats.count_lag(70ms);
    stats.count_lag(1ms);
    BOOST_TEST(stats.server().loop_lag_max_us == 70'000u);
    clock.now += 11s;
    stats.count_lag(2ms);
    BOOST_TEST(stats.server().loop_lag_max_us == 70'000u);
    clock.now += 11s;
    stats.count_lag(3ms);
    BOOST_TEST(stats.server().loop_lag_max_us == 3'000u);
    BOOST_TEST(stats.server().uptime_seconds == 22u);
}

BOOST_AUTO_TEST_SUITE_END()
