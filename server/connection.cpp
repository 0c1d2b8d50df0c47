#include "server/connection.hpp"

#include <boost/asio/as_tuple.hpp>

#include <poll.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace pystream::server {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using engine::awaitable;

constexpr auto as_result = asio::as_tuple(engine::use_awaitable);
constexpr std::size_t linger_bytes_max = 64 * 1024 * 1024;
constexpr std::size_t write_bytes_max = 256 * 1024;  // in one call, and
constexpr std::string_view interim_answer = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr int write_calls_max = 4;  // so many calls in one turn of the loop

}  // namespace

connection::connection(tcp_socket socket, session_context& context, asio::cancellation_signal& gone)
    : socket_(std::move(socket)),
      context_(context),
      gone_(gone),
      buffer_(std::make_unique_for_overwrite<char[]>(buffer_bytes()))
{
    ++context_.stats.values.connections_open;
    context_.sessions.push_back(*this);
}

connection::~connection()
{
    --context_.stats.values.connections_open;
}

// One more than a head may have, so that a head that is too large is seen.
std::size_t connection::buffer_bytes() const noexcept
{
    return context_.options.head.head_bytes_max + 1;
}

void connection::enter(phase next, std::chrono::milliseconds timeout)
{
    phase_ = next;
    phase_started_ = context_.coarse_now();
    deadline = timeout == no_timeout ? base::clock::monotonic_time::max() : phase_started_ + timeout;
    expired_ = false;
}

void connection::enter_watched_handling(bool may_probe)
{
    enter(phase::handling, context_.options.watch_interval);
    may_probe_ = may_probe;
}

void connection::extend_deadline(std::size_t bytes_moved, std::chrono::milliseconds timeout)
{
    const std::size_t more_seconds = bytes_moved / context_.options.transfer_bytes_per_second_min;
    deadline = phase_started_ + timeout + std::chrono::seconds{more_seconds};
}

// What a read that has just ended means, before its bytes count as buffered.
connection::end connection::received(error_code error, std::size_t bytes)
{
    context_.stats.values.bytes_received += bytes;
    const bool nothing_begun = phase_ == phase::idle || (phase_ == phase::head && begin_ == end_);
    end why = end::none;
    if (error == asio::error::eof)
        why = nothing_begun ? end::gone : end::cut_short;
    else if (expired_)
        why = nothing_begun ? end::gone : end::late;
    else if (error)
        why = end::gone;
    if (why == end::late) ++context_.stats.values.timeouts;
    return why;
}

awaitable<connection::end> connection::fill()
{
    if (begin_ > 0) {
        std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
        end_ -= std::exchange(begin_, 0);
    }
    const auto room = asio::buffer(buffer_.get() + end_, buffer_bytes() - end_);
    const auto [error, bytes] = co_await socket_.async_read_some(room, as_result);
    const end why = received(error, bytes);
    end_ += bytes;
    if (phase_ == phase::idle && why == end::none) enter(phase::head, context_.options.head_timeout);
    co_return why;
}

awaitable<connection::end> connection::read_all(asio::mutable_buffer into)
{
    end why = end::none;
    for (std::size_t have = 0; have < into.size() && why == end::none;) {
        const auto [error, bytes] = co_await socket_.async_read_some(into + have, as_result);
        why = received(error, bytes);
        have += bytes;
        extend_deadline(have, context_.options.body_timeout);
    }
    co_return why;
}

std::array<asio::const_buffer, 2> connection::next_buffers() const noexcept
{
    return {asio::buffer(out_head_), asio::buffer(out_body_.substr(0, write_bytes_max))};
}

void connection::wrote(std::size_t bytes) noexcept
{
    context_.stats.values.bytes_sent += bytes;
    const std::size_t of_head = std::min(bytes, out_head_.size());
    out_head_.remove_prefix(of_head);
    out_body_.remove_prefix(bytes - of_head);
}

bool connection::write_now(std::string_view head, std::string_view body)
{
    out_head_ = head;
    out_body_ = body;
    for (int calls = 0; has_output(); ++calls) {
        if (calls == write_calls_max) return false;
        error_code error;
        const std::size_t bytes =
            out_body_.empty() ? socket_.write_some(asio::buffer(out_head_), error) : socket_.write_some(next_buffers(), error);
        if (error == asio::error::would_block) return false;
        if (error) {
            broken_ = true;
            return true;
        }
        wrote(bytes);
    }
    return true;
}

awaitable<void> connection::write_rest()
{
    std::size_t sent = 0;
    while (has_output() && !broken_) {
        const auto [error, bytes] = co_await socket_.async_write_some(next_buffers(), as_result);
        if (expired_) ++context_.stats.values.timeouts;
        broken_ = error || expired_;
        wrote(bytes);
        sent += bytes;
        extend_deadline(sent, context_.options.write_timeout);
    }
}

// Closing a socket with unread bytes in it resets the connection, and the client may lose the answer: so read on for a while.
awaitable<void> connection::linger()
{
    error_code ignored;
    socket_.shutdown(tcp_socket::shutdown_send, ignored);
    enter(phase::lingering, context_.options.linger_timeout);
    for (std::size_t drained = 0; drained < linger_bytes_max && !expired_;) {
        const auto [error, bytes] = co_await socket_.async_read_some(asio::buffer(buffer_.get(), buffer_bytes()), as_result);
        if (error) break;
        drained += bytes;
    }
}

void connection::expire() noexcept
{
    error_code ignored;
    if (context_.stopping) {
        expired_ = true;
        socket_.close(ignored);
    } else if (phase_ == phase::handling) {
        watch();
    } else {
        expired_ = true;
        socket_.cancel(ignored);
    }
}

// A client that closed and one that only finished sending (`nc -N`) look alike until something is sent: the system of the first
// answers with a reset. What every client must be able to skip is an interim answer (RFC 9110, 15.2).
void connection::watch() noexcept
{
    deadline = context_.coarse_now() + context_.options.watch_interval;
    pollfd state{socket_.native_handle(), POLLRDHUP, 0};
    if (::poll(&state, 1, 0) <= 0) return;
    if ((state.revents & (POLLERR | POLLHUP)) != 0) {
        gone_.emit(asio::cancellation_type::terminal);
    } else if (std::exchange(may_probe_, false)) {
        error_code ignored;
        socket_.write_some(asio::buffer(interim_answer), ignored);
    }
}

void connection::begin_drain() noexcept
{
    if (phase_ == phase::idle) expire();
}

}  // namespace pystream::server
