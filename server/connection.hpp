#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

#include "core/engine/awaitable.hpp"
#include "server/session_context.hpp"

namespace pystream::server {

// A concrete executor: a tenth less work an operation than the type-erased one.
using tcp_socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

// A socket with a read buffer and one deadline. Bytes only: nothing of HTTP. At most one operation at a time; loop thread.
class connection final : public session_handle {
public:
    // What the session waits for; each phase has its deadline, measured from its start.
    enum class phase : std::uint8_t { idle, head, body, handling, writing, lingering };
    // Why no more bytes come.
    enum class end : std::uint8_t { none, gone, cut_short, late };

    // `gone` is emitted when the client of a watched handler has gone away; it outlives the connection.
    connection(tcp_socket socket, session_context& context, boost::asio::cancellation_signal& gone);
    ~connection();
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    static constexpr std::chrono::milliseconds no_timeout = std::chrono::milliseconds::max();
    void enter(phase next, std::chrono::milliseconds timeout);
    // Phase handling, where nothing is read or written: now and then looks whether the client is still there. `may_probe`:
    // an interim answer may be sent to find that out.
    void enter_watched_handling(bool may_probe);

    std::string_view buffered() const noexcept { return {buffer_.get() + begin_, end_ - begin_}; }
    void consume(std::size_t bytes) noexcept { begin_ += bytes; }

    // More bytes behind those that are buffered (phase idle becomes head with the first); at least one byte of room is needed.
    engine::awaitable<end> fill();
    // All of `into` from the socket.
    engine::awaitable<end> read_all(boost::asio::mutable_buffer into);
    // Moves the deadline of the phase away by what has arrived since its start.
    void extend_deadline(std::size_t bytes_moved, std::chrono::milliseconds timeout);

    // Both parts, as one message. False: the rest has to wait for write_rest(), since the socket is full or this turn of the loop
    // has done its share; until then both must stay where they are.
    bool write_now(std::string_view head, std::string_view body);
    engine::awaitable<void> write_rest();
    // A write has failed: the client is gone, or too slow.
    bool broken() const noexcept { return broken_; }
    // Tells the client that nothing more comes, and lets it read what it was sent.
    engine::awaitable<void> linger();

    void expire() noexcept override;
    void begin_drain() noexcept override;

private:
    void watch() noexcept;
    end received(boost::system::error_code error, std::size_t bytes);
    std::array<boost::asio::const_buffer, 2> next_buffers() const noexcept;
    void wrote(std::size_t bytes) noexcept;
    bool has_output() const noexcept { return !out_head_.empty() || !out_body_.empty(); }
    std::size_t buffer_bytes() const noexcept;

    tcp_socket socket_;
    session_context& context_;
    boost::asio::cancellation_signal& gone_;
    std::unique_ptr<char[]> buffer_;  // received and not yet consumed: [begin_, end_)
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::string_view out_head_;  // not yet written
    std::string_view out_body_;
    base::clock::monotonic_time phase_started_;
    phase phase_ = phase::idle;
    bool expired_ = false;  // the deadline of this phase has passed
    bool broken_ = false;
    bool may_probe_ = false;
};

}  // namespace pystream::server
