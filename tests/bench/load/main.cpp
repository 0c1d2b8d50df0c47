// The load generator: one kind of work against one server, measured, as a line of JSON on stdout. scripts/bench.sh runs it; --help lists
// what it takes.
#include <boost/program_options.hpp>

#include <iostream>

#include "tests/bench/load/report.hpp"
#include "tests/bench/load/sync_loop.hpp"
#include "tests/bench/load/trivial_server.hpp"

namespace {

using namespace pystream::bench;
namespace po = boost::program_options;

struct arguments {
    work what;
    run_options run;
    std::string sync_file;
    double seconds = 3;
    double warmup_seconds = 0.3;
};

po::options_description describe(arguments& out)
{
    po::options_description all{"pystream_bench"};
    auto add = all.add_options();
    add("help", "this");
    add("trivial-server", "serve the smallest answer there is instead, until stdin ends");
    add("sync-file", po::value(&out.sync_file), "write and sync 4 KiB to this new file again and again instead");
    add("protocol", po::value(&out.what.protocol)->default_value("http"), "http, resp, nats or postgres");
    add("work", po::value(&out.what.name),
        "http: get, post, single, keyed, batch, fetch; resp: xadd, xrange; nats: publish; postgres: insert");
    add("target", po::value(&out.what.target), "a path; a topic's path; a stream, subject or table");
    add("port", po::value(&out.run.port), "of the server, on 127.0.0.1");
    add("connections", po::value(&out.run.connections)->default_value(1), "kept alive, one request under way on each");
    add("value-bytes", po::value(&out.what.value_bytes)->default_value(100), "of each record");
    add("batch", po::value(&out.what.batch)->default_value(1), "records of a request or page");
    add("partitions", po::value(&out.what.partitions)->default_value(1), "that the connections spread over");
    add("from", po::value(&out.what.from), "where reads start");
    add("span", po::value(&out.what.span)->default_value(1), "how far they walk before they start again");
    add("step", po::value(&out.what.step)->default_value(1), "by how much from request to request");
    add("seconds", po::value(&out.seconds)->default_value(3), "measured");
    add("warmup", po::value(&out.warmup_seconds)->default_value(0.3), "seconds before that");
    add("requests", po::value(&out.run.requests), "so many requests instead, without a warm-up");
    add("server-pid", po::value(&out.run.server_pid), "whose CPU time and memory are measured");
    add("progress", po::bool_switch(&out.run.progress), "a line a second on stderr");
    return all;
}

std::chrono::milliseconds to_millis(double seconds)
{
    return std::chrono::milliseconds{static_cast<std::int64_t>(seconds * 1000)};
}

int run_with(int argc, char** argv)
{
    arguments in;
    const po::options_description all = describe(in);
    po::variables_map given;
    po::store(po::parse_command_line(argc, argv, all), given);
    po::notify(given);
    if (given.contains("help")) {
        std::cout << all;
        return 0;
    }
    if (given.contains("trivial-server")) {
        run_trivial_server();
        return 0;
    }
    in.run.warmup = to_millis(in.warmup_seconds);
    in.run.duration = to_millis(in.seconds);
    in.what.host = "127.0.0.1:" + std::to_string(in.run.port);
    if (in.what.batch == 0 || in.what.partitions == 0 || in.what.span == 0 || in.run.connections == 0)
        throw std::invalid_argument{"batch, partitions, span and connections are at least 1"};
    const run_result result = in.sync_file.empty() ? run(in.what, in.run) : run_sync_loop(in.sync_file, in.run.duration);
    std::cout << to_json(result) << std::endl;
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        return run_with(argc, argv);
    } catch (const std::exception& e) {
        std::cerr << "pystream_bench: " << e.what() << '\n';
        return 1;
    }
}
