// The least that a Beast server does for a POST of 100 bytes and a small JSON answer: one thread, one coroutine a connection, no timers,
// no limits. What PyStream spends on a durable produce is compared with it (docs/benchmark.md). Prints its port; SIGTERM ends it.
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <csignal>
#include <iostream>
#include <string>

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

using executor = asio::io_context::executor_type;
using tcp_socket = asio::basic_stream_socket<asio::ip::tcp, executor>;
using tcp_acceptor = asio::basic_socket_acceptor<asio::ip::tcp, executor>;
template <class T>
using awaitable = asio::awaitable<T, executor>;
constexpr auto as_result = asio::as_tuple(asio::use_awaitable_t<executor>{});

awaitable<void> serve(tcp_socket socket)
{
    boost::beast::flat_buffer buffer;
    std::uint64_t offset = 0;
    for (;;) {
        http::request<http::string_body> request;
        const auto [read_error, read] = co_await http::async_read(socket, buffer, request, as_result);
        if (read_error) co_return;
        http::response<http::string_body> answer{http::status::created, request.version()};
        answer.set(http::field::server, "bare");
        answer.set(http::field::content_type, "application/json");
        answer.keep_alive(request.keep_alive());
        answer.body() = R"({"partition":0,"offset":)" + std::to_string(offset++) + "}";
        answer.prepare_payload();
        const auto [write_error, written] = co_await http::async_write(socket, answer, as_result);
        if (write_error || !request.keep_alive()) co_return;
    }
}

awaitable<void> accept_all(tcp_acceptor& acceptor)
{
    for (;;) {
        auto [error, socket] = co_await acceptor.async_accept(as_result);
        if (error) co_return;
        socket.set_option(asio::ip::tcp::no_delay{true});
        asio::co_spawn(acceptor.get_executor(), serve(std::move(socket)), asio::detached);
    }
}

}  // namespace

int main()
{
    asio::io_context loop{1};
    tcp_acceptor acceptor{loop.get_executor(), {asio::ip::address_v4::loopback(), 0}};
    std::cout << acceptor.local_endpoint().port() << std::endl;
    asio::signal_set signals{loop, SIGTERM};
    signals.async_wait([&loop](const boost::system::error_code&, int) { loop.stop(); });
    asio::co_spawn(loop, accept_all(acceptor), asio::detached);
    loop.run();
}
