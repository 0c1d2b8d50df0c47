#pragma once

#include <boost/asio/io_context.hpp>

#include "server/connection.hpp"

namespace pystream::server {

// Serves one connection: requests one after the other (pipelined ones too), until either side has had enough. The session
// owns itself and is among the context's sessions until it ends, at the latest soon after session_context::stop() and the end
// of its handler. When the client of a GET goes away, the handler's coroutine is cancelled (terminal). A connection
// `beyond_limit` serves one request, and only one that is exempt from load.
void start_session(boost::asio::io_context& loop, tcp_socket socket, session_context& context, bool beyond_limit);

}  // namespace pystream::server
