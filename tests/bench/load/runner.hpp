#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/load/connection.hpp"
#include "tests/bench/load/histogram.hpp"
#include "tests/bench/load/process_usage.hpp"

namespace pystream::bench {

struct run_options {
    std::uint16_t port = 0;
    std::uint64_t connections = 1;
    std::chrono::milliseconds warmup{300};
    std::chrono::milliseconds duration{3000};
    std::uint64_t requests = 0;  // instead of a duration, and without a warm-up, when not 0
    int server_pid = 0;          // whose CPU time is measured
    bool progress = false;       // a line a second on stderr
};

// What was measured between the end of the warm-up and the end of the run, and all that was acknowledged.
struct run_result {
    double seconds = 0;
    std::uint64_t requests = 0;
    std::uint64_t records = 0;
    std::uint64_t records_acknowledged = 0;  // warm-up and the answers that came after the end included
    std::uint64_t bytes_received = 0;        // of the whole run
    histogram latency_ns;
    process_usage server;  // CPU time of the measured part, memory at its end
    std::uint64_t own_cpu_us = 0;
};

// Keeps one request under way on each connection until the time is over, then takes the answers that are still to come. Throws when
// an answer is wrong or none comes.
run_result run(const work& what, const run_options& options);

}  // namespace pystream::bench
