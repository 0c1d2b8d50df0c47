#include "tests/bench/load/trivial_server.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <string_view>
#include <system_error>

namespace pystream::bench {
namespace {

constexpr std::string_view answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

void require(bool held, const char* call)
{
    if (!held) throw std::system_error{errno, std::generic_category(), call};
}

int listen_on_loopback()
{
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const where = reinterpret_cast<sockaddr*>(&address);
    require(::bind(listener, where, length) == 0 && ::listen(listener, 1024) == 0, "listen");
    require(::getsockname(listener, where, &length) == 0, "getsockname");
    std::cout << ntohs(address.sin_port) << std::endl;
    return listener;
}

void add(int poll, int descriptor)
{
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    require(::epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) == 0, "epoll_ctl");
}

void accept_one(int poll, int listener)
{
    const int client = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    require(client >= 0, "accept4");
    const int on = 1;
    ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    add(poll, client);
}

// A request is small enough to come in one piece.
void answer_one(int client)
{
    char request[16384];
    const ssize_t received = ::recv(client, request, sizeof request, MSG_DONTWAIT);
    if (received > 0)
        ::send(client, answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    else
        ::close(client);
}

}  // namespace

void run_trivial_server()
{
    const int listener = listen_on_loopback();
    const int poll = ::epoll_create1(EPOLL_CLOEXEC);
    require(poll >= 0, "epoll_create1");
    add(poll, listener);
    add(poll, STDIN_FILENO);
    for (;;) {
        epoll_event events[256];
        const int count = ::epoll_wait(poll, events, 256, -1);
        for (int i = 0; i < count; ++i) {
            if (events[i].data.fd == STDIN_FILENO) return;
            if (events[i].data.fd == listener)
                accept_one(poll, listener);
            else
                answer_one(events[i].data.fd);
        }
    }
}

}  // namespace pystream::bench
