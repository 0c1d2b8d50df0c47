#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/io_context.hpp>

#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "server/session.hpp"

namespace pystream::server {

// Accepts connections on every address of a host and runs a session for each. Loop thread only.
class listener {
public:
    listener(boost::asio::io_context& loop, session_context& context) noexcept : loop_(loop), context_(context) {}

    // Binds all addresses of `host` (an address, or a name such as localhost) to one port; port 0 lets the system choose. At
    // least one must be usable; the others may be missing on this machine, but not be taken by someone else. The error's
    // detail is for the operator.
    base::result<void> open(const std::string& host, std::uint16_t port);
    std::vector<boost::asio::ip::tcp::endpoint> endpoints() const;

    void start();  // accepting
    void close();  // accepting; sessions go on

private:
    using acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

    base::result<void> open_all(const std::vector<boost::asio::ip::tcp::endpoint>& wanted);
    boost::system::error_code open_one(boost::asio::ip::tcp::endpoint wanted);
    engine::awaitable<void> accept_loop(acceptor& from);
    void serve(tcp_socket socket);
    void turn_away(tcp_socket socket);
    void report(const boost::system::error_code& error);

    boost::asio::io_context& loop_;
    session_context& context_;
    std::vector<acceptor> acceptors_;
    bool failing_ = false;  // the last accept failed and was logged
};

}  // namespace pystream::server
