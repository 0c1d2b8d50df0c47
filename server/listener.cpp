#include "server/listener.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>

#include "server/response_head.hpp"

namespace pystream::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto as_result = asio::as_tuple(engine::use_awaitable);
constexpr std::chrono::milliseconds accept_pause{100};  // after a failure, which would come again at once
constexpr int port_attempts = 8;                        // to find one port that is free on all addresses

std::string describe(const tcp::endpoint& endpoint)
{
    const std::string address = endpoint.address().to_string();
    return (endpoint.address().is_v6() ? "[" + address + "]" : address) + ":" + std::to_string(endpoint.port());
}

}  // namespace

base::result<void> listener::open(const std::string& host, std::uint16_t port)
{
    error_code error;
    tcp::resolver resolver{loop_};
    const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, error);
    if (error) return base::error{base::errc::invalid_field, "cannot find the address of " + host + ": " + error.message()};
    std::vector<tcp::endpoint> wanted;
    for (const auto& entry : found)
        if (std::ranges::find(wanted, entry.endpoint()) == wanted.end()) wanted.push_back(entry.endpoint());
    for (int attempt = 1;; ++attempt) {
        auto opened = open_all(wanted);
        if (opened || port != 0 || attempt == port_attempts) return opened;
    }
}

base::result<void> listener::open_all(const std::vector<tcp::endpoint>& wanted)
{
    acceptors_.clear();
    std::string why;
    for (tcp::endpoint endpoint : wanted) {
        if (endpoint.port() == 0 && !acceptors_.empty()) endpoint.port(acceptors_.front().local_endpoint().port());
        const error_code error = open_one(endpoint);
        if (!error) continue;
        why = "cannot listen on " + describe(endpoint) + ": " + error.message();
        if (error != asio::error::address_in_use) continue;  // an address family that this machine does not have
        acceptors_.clear();
        return base::error{base::errc::invalid_field, why + " (is another server running on this port?)"};
    }
    if (acceptors_.empty()) return base::error{base::errc::invalid_field, why};
    return {};
}

error_code listener::open_one(tcp::endpoint wanted)
{
    error_code error;
    acceptor opened{loop_};
    opened.open(wanted.protocol(), error);
    if (!error) opened.set_option(tcp::acceptor::reuse_address{true}, error);
    // "::" is every address, also those of IPv4, whatever the system's default for this is.
    const asio::ip::v6_only only_v6{!wanted.address().is_unspecified()};
    if (!error && wanted.address().is_v6()) opened.set_option(only_v6, error);
    if (!error) opened.bind(wanted, error);
    if (!error) opened.listen(asio::socket_base::max_listen_connections, error);
    if (!error) acceptors_.push_back(std::move(opened));
    return error;
}

std::vector<tcp::endpoint> listener::endpoints() const
{
    std::vector<tcp::endpoint> out;
    for (const acceptor& from : acceptors_) out.push_back(from.local_endpoint());
    return out;
}

void listener::start()
{
    for (acceptor& from : acceptors_) asio::co_spawn(loop_, accept_loop(from), asio::detached);
}

void listener::close()
{
    error_code ignored;
    for (acceptor& from : acceptors_) from.close(ignored);
}

engine::awaitable<void> listener::accept_loop(acceptor& from)
{
    asio::steady_timer pause{loop_};
    while (from.is_open()) {
        auto [error, socket] = co_await from.async_accept(as_result);
        if (!from.is_open()) co_return;
        if (!error) {
            failing_ = false;
            serve(std::move(socket));
        } else if (error != asio::error::connection_aborted) {  // EMFILE, ENFILE, ENOBUFS, ENOMEM
            report(error);
            pause.expires_after(accept_pause);
            co_await pause.async_wait(as_result);
        }
    }
}

void listener::report(const error_code& error)
{
    if (std::exchange(failing_, true)) return;
    context_.logger.write(base::severity::error, "accept failed",
                          {{"reason", error.message()}, {"connections", context_.stats.values.connections_open}});
}

void listener::serve(tcp_socket socket)
{
    auto& counters = context_.stats.values;
    const auto& options = context_.options;
    ++counters.connections_accepted;
    const bool beyond_limit = counters.connections_open >= options.connections_max;
    if (beyond_limit) ++counters.connections_refused;
    error_code error;
    socket.non_blocking(true, error);
    socket.set_option(tcp::no_delay{true}, error);
    if (counters.connections_open >= options.connections_max + options.connections_reserve) return turn_away(std::move(socket));
    start_session(loop_, std::move(socket), context_, beyond_limit);
}

// Too many even to read what they want. The answer gets through unless the request is larger than what is read here.
void listener::turn_away(tcp_socket socket)
{
    char unread[4096];
    error_code ignored;
    const std::string id = context_.next_request_id();
    const auto answer = api::make_problem(api::http_errc::too_many_connections, "There are too many connections.", id);
    std::string text;
    append_response_head(text, answer, {context_.date(), id, true, false});
    text.append(body_of(answer));
    socket.read_some(asio::buffer(unread), ignored);
    socket.write_some(asio::buffer(text), ignored);
    socket.shutdown(tcp_socket::shutdown_send, ignored);
}

}  // namespace pystream::server
