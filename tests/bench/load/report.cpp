#include "tests/bench/load/report.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace pystream::bench {
namespace {

double per(double amount, double count)
{
    return count > 0 ? amount / count : 0;
}

double micros(std::uint64_t nanoseconds)
{
    return static_cast<double>(nanoseconds) / 1000;
}

}  // namespace

std::string to_json(const run_result& result)
{
    const auto requests = static_cast<double>(result.requests);
    const histogram& latency = result.latency_ns;
    const boost::json::object latency_us{
        {"mean", latency.mean() / 1000},         {"p50", micros(latency.percentile(50))},
        {"p99", micros(latency.percentile(99))}, {"p99_9", micros(latency.percentile(99.9))},
        {"max", micros(latency.max())},
    };
    return boost::json::serialize(boost::json::object{
        {"seconds", result.seconds},
        {"requests", result.requests},
        {"records", result.records},
        {"records_acknowledged", result.records_acknowledged},
        {"requests_per_s", per(requests, result.seconds)},
        {"records_per_s", per(static_cast<double>(result.records), result.seconds)},
        {"bytes_received", result.bytes_received},
        {"latency_us", latency_us},
        {"server_cpu_us_per_request", per(static_cast<double>(result.server.cpu_us), requests)},
        {"server_resident_bytes", result.server.resident_bytes},
        {"load_cpu_share", per(static_cast<double>(result.own_cpu_us) / 1e6, result.seconds)},
    });
}

}  // namespace pystream::bench
