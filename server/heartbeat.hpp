#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/session_context.hpp"

namespace pystream::server {

// The one timer of the server: sweeps the deadlines of all sessions and measures how late the loop is. Loop thread only.
class heartbeat {
public:
    heartbeat(boost::asio::io_context& loop, session_context& context) : timer_(loop), context_(context) {}

    engine::awaitable<void> run();  // until stop()
    void stop();

private:
    void beat(base::clock::monotonic_time due);

    boost::asio::steady_timer timer_;
    session_context& context_;
    base::clock::monotonic_time swept_;
    std::uint64_t requests_seen_ = 0;
    bool stopped_ = false;
};

}  // namespace pystream::server
