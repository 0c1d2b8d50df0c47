// Scenarios on the simulated disk: pystream_sim_tests [--seed N] [--point N] [--points N | --seconds N]
#include <boost/program_options.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tests/sim/scenario.hpp"

namespace {

namespace sim = pystream::sim;
std::uint64_t seed_now = 0;

void say_where(int)
{
    std::fprintf(stderr, "ended by a signal; replay: pystream_sim_tests --seed %llu --point %llu\n",
                 static_cast<unsigned long long>(seed_now), static_cast<unsigned long long>(sim::current_point()));
    std::_Exit(1);
}

bool report(const sim::scenario_outcome& done)
{
    if (done.failure.empty()) return true;
    std::printf("FAILED: %s\n  replay: pystream_sim_tests --seed %llu", done.failure.c_str(),
                static_cast<unsigned long long>(seed_now));
    if (done.failed_point != 0) std::printf(" --point %llu", static_cast<unsigned long long>(done.failed_point));
    std::printf("\n");
    return false;
}

}  // namespace

int main(int argc, char** argv)
{
    namespace po = boost::program_options;
    std::uint64_t seed = 1;
    std::uint64_t points = 0;
    std::uint64_t seconds = 0;
    std::uint64_t point = 0;
    po::options_description known("options");
    auto add = known.add_options();
    add("help", "this text");
    add("seed", po::value(&seed), "of the first scenario");
    add("point", po::value(&point), "one crash point of one scenario");
    add("points", po::value(&points), "scenarios until so many crash points were gone through");
    add("seconds", po::value(&seconds), "scenarios for so long");
    po::variables_map given;
    po::store(po::parse_command_line(argc, argv, known), given);
    po::notify(given);
    if (given.contains("help")) {
        std::printf("one scenario, or many from --seed on\n");
        return 0;
    }
    std::signal(SIGABRT, say_where);
    std::signal(SIGSEGV, say_where);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{seconds};
    sim::scenario_outcome all;
    std::uint64_t scenarios = 0;
    bool more = true;
    for (seed_now = seed; more; ++seed_now) {
        sim::scenario_options options{seed_now, {}};
        if (point != 0) options.only_point = point;
        const auto done = sim::run_scenario(options);
        all.points += done.points;
        all.recoveries += done.recoveries;
        all.rots += done.rots;
        all.acknowledged += done.acknowledged;
        ++scenarios;
        if (!report(done)) return 1;
        more = point == 0 && (all.points < points || std::chrono::steady_clock::now() < until);
    }
    std::printf(
        "%llu scenarios from seed %llu: %llu crash points, %llu recoveries, %llu damaged files, %llu acknowledged requests; "
        "all promises held\n",
        static_cast<unsigned long long>(scenarios), static_cast<unsigned long long>(seed),
        static_cast<unsigned long long>(all.points), static_cast<unsigned long long>(all.recoveries),
        static_cast<unsigned long long>(all.rots), static_cast<unsigned long long>(all.acknowledged));
    return 0;
}
