#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <memory>
#include <string>

#include "api/http.hpp"
#include "config/settings.hpp"
#include "core/base/clock.hpp"
#include "core/base/logger.hpp"
#include "core/base/random.hpp"
#include "core/engine/engine.hpp"
#include "core/io/file_system.hpp"
#include "server/byte_budget.hpp"
#include "server/heartbeat.hpp"
#include "server/listener.hpp"
#include "server/session_context.hpp"
#include "server/statistics.hpp"

namespace pystream::server {

// Everything that runs, put together: the only place that knows all parts. One thread runs the loop and owns all state.
class application {
public:
    application(const config::settings& settings, base::logger& logger, const base::clock& clock);
    ~application();

    // Serves until SIGTERM or SIGINT, and returns when all that was acknowledged is durable and nothing runs any more. The
    // listener is up first: while the logs are recovered, health answers and everything else is 503. An error: it could not start.
    base::result<void> run();

private:
    engine::awaitable<void> start_engine();
    engine::awaitable<void> watch_signals();
    engine::awaitable<void> shut_down();
    engine::awaitable<void> end_sessions(std::chrono::milliseconds grace);
    engine::awaitable<void> sleep(std::chrono::milliseconds duration);
    void watch_grace();

    const base::clock& clock_;
    base::logger& logger_;
    base::system_random random_;
    const std::string host_;
    const std::uint16_t port_;
    const std::chrono::milliseconds grace_;

    boost::asio::io_context loop_{1};  // one thread runs it, others post to it
    std::unique_ptr<io::file_system> files_;
    engine::engine engine_;
    byte_budget budget_;
    statistics statistics_;
    std::unique_ptr<api::service> service_;
    session_context context_;
    listener listener_;
    heartbeat heartbeat_;
    boost::asio::signal_set signals_;
    boost::asio::steady_timer grace_timer_;
    base::result<void> started_;
    bool starting_ = true;
};

}  // namespace pystream::server
