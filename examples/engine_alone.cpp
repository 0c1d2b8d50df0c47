// The engine without a server: a topic, two records, and what a reader sees. Run it twice with the same directory and it goes on where
// it stopped.
//
//     example_engine_alone DIRECTORY

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdio>
#include <exception>
#include <string>

#include "core/engine/engine.hpp"
#include "core/io/posix_file_system.hpp"

namespace {

using namespace pystream;
namespace asio = boost::asio;

void fail(const base::error& e)
{
    throw std::runtime_error(e.detail + " " + e.internal);
}

pystream::engine::awaitable<void> produce_two_and_read_all(engine::engine& engine)
{
    engine::create_topic_request create;
    create.name = "greetings";
    const auto created = co_await engine.create_topic(create);
    if (!created && created.error().code != base::errc::topic_exists) fail(created.error());

    engine::produce_request produce;
    produce.topic = "greetings";
    for (const std::string_view text : {"hello", "world"}) {
        storage::record_view record;
        record.value = text;
        record.kind = storage::value_kind::text;
        produce.records.add(record);
    }
    const auto produced = co_await engine.produce(std::move(produce));
    if (!produced) fail(produced.error());
    for (const auto& each : produced->results) std::printf("durable at offset %lld\n", static_cast<long long>(each.at.value()));

    engine::fetch_request fetch;
    fetch.topic = "greetings";
    const auto fetched = co_await engine.fetch(std::move(fetch));
    if (!fetched) fail(fetched.error());
    for (const auto& run : fetched->runs) {
        storage::record_cursor cursor(run.bytes);
        storage::decoded_record record;
        while (*cursor.next(record))
            std::printf("%lld: %s\n", static_cast<long long>(record.offset.value()), std::string{*record.value}.c_str());
    }
}

pystream::engine::awaitable<void> run(engine::engine& engine)
{
    const auto started = co_await engine.start();
    if (!started) fail(started.error());
    co_await produce_two_and_read_all(engine);
    co_await engine.stop();
}

}  // namespace

int main(int argc, char** argv)
{
    const auto files = io::make_posix_file_system();
    base::system_clock clock;
    base::system_random random;
    base::null_logger logger;
    engine::engine_options options;
    options.data_dir = argc > 1 ? argv[1] : "example-data";

    asio::io_context loop;
    engine::engine engine(loop.get_executor(), *files, clock, random, logger, options);
    int status = 0;
    asio::co_spawn(loop, run(engine), [&status](std::exception_ptr failure) {
        if (!failure) return;
        status = 1;
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& e) {
            std::fprintf(stderr, "%s\n", e.what());
        }
    });
    loop.run();
    return status;
}
