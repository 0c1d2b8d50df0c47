#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/test/unit_test.hpp>

#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "server/heartbeat.hpp"
#include "server/listener.hpp"
#include "server/session.hpp"

// A listener with sessions on a loopback port and a thread of its own, over a service that the test scripts.

namespace pystream::server::testing {

using namespace std::chrono_literals;

// Answers with what the request was: method, target, request id and body, unless the path asks for something else.
class echo_service final : public api::service {
public:
    explicit echo_service(boost::asio::io_context& loop) : loop_(loop) {}

    engine::awaitable<api::response> handle(api::request incoming) override
    {
        ++handled;
        if (incoming.target == "/throw") throw std::runtime_error{"secret"};
        if (incoming.target == "/no-memory") throw std::bad_alloc{};
        if (incoming.target == "/wait") co_await wait();
        api::response answer;
        if (incoming.target == "/none") answer.status = 204;
        answer.headers.push_back({"Content-Type", "text/plain"});
        if (incoming.target == "/static")
            answer.static_body = "fixed";
        else if (incoming.target == "/large")
            answer.body.assign(large_bytes, 'x');
        else
            answer.body = incoming.target + "|" + incoming.body;
        co_return answer;
    }
    api::admission admit(api::request& incoming) const override
    {
        return {incoming.target == "/health", incoming.verb == api::method::post ? body_max : 0};
    }

    void release_waiting()
    {
        boost::asio::post(loop_, [this] { released_ = true; });
    }

    static constexpr std::size_t body_max = 100'000;
    std::size_t large_bytes = 20 << 20;
    std::atomic<int> handled = 0;
    std::atomic<int> cancelled = 0;

private:
    engine::awaitable<void> wait()
    {
        while (!released_) {
            boost::asio::steady_timer timer{loop_, 5ms};
            const auto [error] = co_await timer.async_wait(boost::asio::as_tuple(engine::use_awaitable));
            if (!error) continue;
            ++cancelled;
            co_return;
        }
    }

    boost::asio::io_context& loop_;
    bool released_ = false;
};

class error_counter final : public base::logger {
public:
    bool enabled(base::severity level) const noexcept override { return level == base::severity::error; }
    void write(base::severity level, std::string_view, std::initializer_list<base::log_field>) noexcept override
    {
        if (enabled(level)) ++count;
    }
    std::atomic<int> count = 0;
};

class loopback_server {
public:
    explicit loopback_server(session_options options = {}, std::uint64_t inflight_bytes_max = 64 << 20)
        : budget_(inflight_bytes_max), context_(service, clock_, logger_, budget_, stats_, options, 0xabcdef)
    {
        BOOST_REQUIRE(listener_.open("127.0.0.1", 0));
        port = listener_.endpoints().front().port();
        listener_.start();
        boost::asio::co_spawn(loop_, heartbeat_.run(), boost::asio::detached);
        thread_ = std::thread{[this] { loop_.run(); }};
    }
    ~loopback_server()
    {
        service.release_waiting();
        boost::asio::post(loop_, [this] {
            listener_.close();
            heartbeat_.stop();
            context_.stop();
        });
        thread_.join();  // ends only when every session has ended
    }

    template <class Function>
    auto on_loop(Function function)
    {
        std::packaged_task<std::invoke_result_t<Function, session_context&>()> task{
            [this, &function] { return function(context_); }};
        auto result = task.get_future();
        boost::asio::post(loop_, [&task] { task(); });
        return result.get();
    }
    int errors_logged() const noexcept { return logger_.count; }
    api::server_counters counters()
    {
        return on_loop([](session_context& context) { return context.stats.server(); });
    }
    // Until the predicate over the counters holds, or five seconds have passed.
    bool eventually(const std::function<bool(const api::server_counters&)>& predicate)
    {
        for (int i = 0; i < 500; ++i) {
            if (predicate(counters())) return true;
            std::this_thread::sleep_for(10ms);
        }
        return false;
    }

private:
    boost::asio::io_context loop_{1};
    base::system_clock clock_;
    error_counter logger_;
    byte_budget budget_;
    statistics stats_{clock_, budget_};

public:
    echo_service service{loop_};
    std::uint16_t port = 0;

private:
    session_context context_;
    listener listener_{loop_, context_};
    heartbeat heartbeat_{loop_, context_};
    std::thread thread_;
};

struct answer {
    unsigned status = 0;  // 0: the connection ended instead
    std::string head;
    std::string body;
    bool has(std::string_view text) const { return head.find(text) != std::string::npos; }
    bool mentions(std::string_view text) const { return body.find(text) != std::string::npos; }
};

// A blocking client of raw bytes; every wait ends after ten seconds.
class raw_client {
public:
    explicit raw_client(std::uint16_t port) : socket_(loop_)
    {
        socket_.connect({boost::asio::ip::address_v4::loopback(), port});
        socket_.set_option(boost::asio::ip::tcp::no_delay{true});
        const timeval limit{10, 0};
        ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    }
    raw_client& send(std::string_view bytes)
    {
        boost::system::error_code ignored;  // the server may have closed: what it answered is what counts
        boost::asio::write(socket_, boost::asio::buffer(bytes), ignored);
        return *this;
    }
    void finish_sending() { socket_.shutdown(socket_.shutdown_send); }
    void close() { socket_.close(); }
    void reset()
    {
        socket_.set_option(boost::asio::socket_base::linger{true, 0});
        socket_.close();
    }
    void shrink_receive_buffer() { socket_.set_option(boost::asio::socket_base::receive_buffer_size{4096}); }

    answer receive(bool head_only = false)
    {
        answer out;
        std::size_t end = 0;
        while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
            if (!fill()) return out;
        out.head = buffer_.substr(0, end + 2);
        buffer_.erase(0, end + 4);
        const std::size_t at = out.head.find("Content-Length: ");
        const std::size_t length = at == std::string::npos || head_only ? 0 : std::stoul(out.head.substr(at + 16));
        while (buffer_.size() < length)
            if (!fill()) return {};
        out.body = buffer_.substr(0, length);
        buffer_.erase(0, length);
        out.status = static_cast<unsigned>(std::stoul(out.head.substr(9, 3)));
        return out;
    }
    // The server ends the connection in an orderly way, without another byte.
    bool closed() { return buffer_.empty() && !fill() && ended_; }

private:
    bool fill()
    {
        char bytes[65536];
        const ssize_t n = ::recv(socket_.native_handle(), bytes, sizeof bytes, 0);
        ended_ = n == 0;
        if (n > 0) buffer_.append(bytes, static_cast<std::size_t>(n));
        return n > 0;
    }

    boost::asio::io_context loop_;
    boost::asio::ip::tcp::socket socket_;
    std::string buffer_;
    bool ended_ = false;
};

}  // namespace pystream::server::testing
