#include "server/application.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "api/service.hpp"
#include "core/io/posix_file_system.hpp"
#include "server/process.hpp"

namespace pystream::server {
namespace {

namespace asio = boost::asio;
using base::severity;

constexpr auto as_result = asio::as_tuple(engine::use_awaitable);
constexpr std::chrono::milliseconds poll_interval{10};  // while stopping
constexpr std::chrono::milliseconds stop_time_min{1'000};
constexpr int exit_stop_timed_out = 3;

// Every partition keeps a file open; connections, cold reads and metadata need descriptors, too.
std::int64_t partitions_max(std::size_t max_connections)
{
    constexpr std::int64_t others = 256;
    constexpr std::int64_t at_least = 64;  // with few descriptors, opening fails and says so
    const auto files = static_cast<std::int64_t>(std::min<std::uint64_t>(raise_open_files_limit(), 1U << 30));
    const auto connections = std::min(static_cast<std::int64_t>(max_connections), files / 2);
    return std::max(at_least, files - connections - others);
}

engine::engine_options engine_options_from(const config::settings& settings)
{
    engine::engine_options out;
    out.data_dir = settings.data_dir;
    out.default_partitions = settings.default_partitions;
    out.topic_defaults.segment_bytes = static_cast<std::int64_t>(settings.segment_bytes);
    out.topic_defaults.segment_ms = settings.segment_millis.value_or(0);
    out.topic_defaults.max_record_bytes = static_cast<std::int64_t>(settings.max_record_bytes);
    out.worker_threads = settings.worker_threads;
    out.batch_bytes_max = settings.max_batch_bytes;
    out.read_bytes_max = settings.max_inflight_bytes;
    out.tail_cache_bytes = settings.tail_cache_bytes;
    out.partitions_max = partitions_max(settings.max_connections);
    return out;
}

api::api_options api_options_from(const config::settings& settings, base::logger& logger)
{
    api::api_options out;
    out.service_name = settings.app_name;
    out.version = config::version();
    out.cors_origins = settings.cors_origins;
    out.body_bytes_max = settings.max_body_bytes;
    out.logger = &logger;
    return out;
}

session_options session_options_from(const config::settings& settings)
{
    session_options out;
    out.connections_max = settings.max_connections;
    return out;
}

std::uint32_t random_number(base::random_source& random)
{
    unsigned char bytes[4];
    random.fill(bytes);
    return static_cast<std::uint32_t>(bytes[0] << 16 | bytes[1] << 8 | bytes[2]);
}

}  // namespace

application::application(const config::settings& settings, base::logger& logger, const base::clock& clock)
    : clock_(clock),
      logger_(logger),
      host_(settings.host),
      port_(settings.port),
      grace_(settings.shutdown_grace_millis),
      files_(io::make_posix_file_system()),
      engine_(loop_.get_executor(), *files_, clock_, random_, logger_, engine_options_from(settings)),
      budget_(settings.max_inflight_bytes),
      statistics_(clock_, budget_),
      service_(api::make_service(engine_, statistics_, api_options_from(settings, logger))),
      context_(*service_, clock_, logger_, budget_, statistics_, session_options_from(settings), random_number(random_)),
      listener_(loop_, context_),
      heartbeat_(loop_, context_),
      signals_(loop_),
      grace_timer_(loop_)
{
}

application::~application() = default;

base::result<void> application::run()
{
    if (auto opened = listener_.open(host_, port_); !opened) return opened;
    for (const auto& endpoint : listener_.endpoints())
        logger_.write(severity::info, "listening", {{"address", endpoint.address().to_string()}, {"port", endpoint.port()}});
    signals_.add(SIGTERM);
    signals_.add(SIGINT);
    listener_.start();
    asio::co_spawn(loop_, heartbeat_.run(), asio::detached);
    asio::co_spawn(loop_, watch_signals(), asio::detached);
    asio::co_spawn(loop_, start_engine(), asio::detached);
    loop_.run();
    return started_;
}

engine::awaitable<void> application::start_engine()
{
    const auto begun = clock_.monotonic();
    started_ = co_await engine_.start();
    starting_ = false;
    if (started_) {
        const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.monotonic() - begun).count();
        logger_.write(severity::info, "ready", {{"took_ms", took}});
    } else {
        logger_.write(severity::critical, "start failed",
                      {{"code", base::to_string(started_.error().code)}, {"reason", started_.error().internal}});
        signals_.cancel();
    }
}

// The first signal stops in an orderly way. The handlers go with it, so the second one ends the process whatever the loop is at.
engine::awaitable<void> application::watch_signals()
{
    const auto [error, number] = co_await signals_.async_wait(as_result);
    signals_.clear();
    if (!error) logger_.write(severity::info, "stopping", {{"signal", number}});
    co_await shut_down();
}

engine::awaitable<void> application::shut_down()
{
    watch_grace();
    engine_.begin_drain();
    listener_.close();
    context_.begin_drain();
    co_await end_sessions(grace_ - grace_ / 5);
    while (starting_) co_await sleep(poll_interval);
    if (started_) co_await engine_.stop();
    heartbeat_.stop();
    grace_timer_.cancel();
    logger_.write(severity::info, "stopped", {{"requests", statistics_.values.requests}});
}

// Those that are at a request may finish it, until the grace is nearly over.
engine::awaitable<void> application::end_sessions(std::chrono::milliseconds grace)
{
    const auto until = clock_.monotonic() + grace;
    while (!context_.sessions.empty() && clock_.monotonic() < until) co_await sleep(poll_interval);
    if (context_.sessions.empty()) co_return;
    logger_.write(severity::warning, "connections cut", {{"count", statistics_.values.connections_open}});
    context_.stop();
}

// A disk that hangs must not keep the process: what was acknowledged is durable already.
void application::watch_grace()
{
    grace_timer_.expires_after(std::max(grace_, stop_time_min));
    grace_timer_.async_wait([this](const boost::system::error_code& error) {
        if (error) return;
        logger_.write(severity::critical, "stop timed out", {{"grace_ms", grace_.count()}});
        std::_Exit(exit_stop_timed_out);
    });
}

engine::awaitable<void> application::sleep(std::chrono::milliseconds duration)
{
    asio::steady_timer timer{loop_, duration};
    co_await timer.async_wait(as_result);
}

}  // namespace pystream::server
