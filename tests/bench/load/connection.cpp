#include "tests/bench/load/connection.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace pystream::bench {
namespace {

[[noreturn]] void throw_errno(const char* call)
{
    throw std::system_error{errno, std::generic_category(), call};
}

bool would_block() noexcept
{
    return errno == EAGAIN || errno == EWOULDBLOCK;
}

int connect_loopback(std::uint16_t port)
{
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) throw_errno("socket");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) {
        ::close(descriptor);
        throw_errno("connect");
    }
    return descriptor;
}

}  // namespace

connection::connection(std::uint16_t port, dialogue_ptr speaker)
    : descriptor_(connect_loopback(port)), speaker_(std::move(speaker))
{
}

connection::~connection()
{
    ::close(descriptor_);
}

bool connection::open()
{
    out_ = speaker_->opening();
    if (out_.empty()) return true;
    flush();
    return false;
}

bool connection::continue_opening(std::string& scratch)
{
    const std::string_view in = fill(scratch);
    outcome found = speaker_->read_opening(in);
    if (found.state == outcome::kind::failed) throw std::runtime_error{found.error};
    keep(in.substr(found.bytes), scratch);
    return found.state == outcome::kind::done;
}

void connection::send_request(clock_type::time_point now)
{
    speaker_->append_request(out_);
    sent_at_ = now;
    busy_ = true;
    flush();
}

void connection::flush()
{
    while (out_sent_ < out_.size()) {
        const ssize_t sent = ::send(descriptor_, out_.data() + out_sent_, out_.size() - out_sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && would_block()) return;
        if (sent < 0) throw_errno("send");
        out_sent_ += static_cast<std::size_t>(sent);
    }
    out_.clear();
    out_sent_ = 0;
}

// All bytes that are waiting: those kept and those that can be read now.
std::string_view connection::fill(std::string& scratch)
{
    const ssize_t received = ::recv(descriptor_, scratch.data(), scratch.size(), MSG_DONTWAIT);
    if (received < 0 && would_block()) return in_;
    if (received < 0) throw_errno("recv");
    if (received == 0) throw std::runtime_error{"the server closed a connection"};
    bytes_received_ += static_cast<std::size_t>(received);
    const std::string_view fresh{scratch.data(), static_cast<std::size_t>(received)};
    if (in_.empty()) return fresh;
    in_ += fresh;
    return in_;
}

void connection::keep(std::string_view rest, const std::string& scratch)
{
    const bool from_scratch = rest.data() >= scratch.data() && rest.data() <= scratch.data() + scratch.size();
    if (from_scratch)
        in_ = rest;
    else
        in_.erase(0, in_.size() - rest.size());
}

bool connection::receive(std::string& scratch, std::uint64_t& records)
{
    const std::string_view in = fill(scratch);
    outcome found = speaker_->read_answer(in);
    if (found.state == outcome::kind::failed) throw std::runtime_error{found.error};
    keep(in.substr(found.bytes), scratch);
    if (found.state == outcome::kind::more) return false;
    records = found.records;
    busy_ = false;
    return true;
}

}  // namespace pystream::bench
