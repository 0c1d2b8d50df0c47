#pragma once

#include <boost/asio/awaitable.hpp>

#include "server/connection.hpp"

namespace pystream::server {

// Serves one connection: requests one after the other (pipelined ones too), until either side has had enough. Ends by
// itself, at the latest soon after session_context::stop() and the end of the handler; never throws. A connection
// `beyond_limit` serves one request, and only one that is exempt from load.
boost::asio::awaitable<void> run_session(tcp_socket socket, session_context& context, bool beyond_limit);

}  // namespace pystream::server
