#include "server/listener.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/resource.h>

#include "tests/unit/server/loopback_server.hpp"

using namespace pystream::server;
using namespace pystream::server::testing;

namespace {

std::string get(const std::string& target)
{
    return "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

// No sockets are served: only what open() says.
struct closed_server {
    boost::asio::io_context loop;
    pystream::base::system_clock clock;
    pystream::base::null_logger logger;
    byte_budget budget{1};
    statistics stats{clock, budget};
    echo_service service{loop};
    session_context context{service, clock, logger, budget, stats, {}, 0};
    listener tested{loop, context};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(listener_)

BOOST_AUTO_TEST_CASE(listens_on_every_form_of_local_host)
{
    for (const std::string host : {"127.0.0.1", "0.0.0.0", "localhost"}) {
        closed_server server;
        BOOST_REQUIRE(server.tested.open(host, 0));
        const auto endpoints = server.tested.endpoints();
        BOOST_TEST(endpoints.size() >= 1u);
        for (const auto& endpoint : endpoints) BOOST_TEST(endpoint.port() == endpoints.front().port());
    }
}

BOOST_AUTO_TEST_CASE(a_port_that_is_taken_is_an_error_that_names_it)
{
    closed_server first;
    closed_server second;
    BOOST_REQUIRE(first.tested.open("127.0.0.1", 0));
    const std::uint16_t port = first.tested.endpoints().front().port();
    const auto taken = second.tested.open("localhost", port);
    BOOST_REQUIRE(!taken);
    BOOST_TEST(taken.error().detail.find("127.0.0.1:" + std::to_string(port)) != std::string::npos);
    BOOST_TEST(second.tested.endpoints().empty());
}

BOOST_AUTO_TEST_CASE(an_address_of_another_machine_is_an_error)
{
    closed_server server;
    BOOST_TEST(!server.tested.open("192.0.2.1", 0));
}

BOOST_AUTO_TEST_CASE(beyond_the_limit_only_exempt_requests_are_served)
{
    loopback_server server{{.connections_max = 2, .connections_reserve = 1}};
    raw_client first{server.port};
    raw_client second{server.port};
    BOOST_TEST(first.send(get("/x")).receive().status == 200u);
    BOOST_TEST(second.send(get("/x")).receive().status == 200u);
    {
        raw_client third{server.port};
        const answer refused = third.send(get("/x")).receive();
        BOOST_TEST(refused.status == 503u);
        BOOST_TEST(refused.has("\r\nRetry-After: 1\r\n"));
        BOOST_TEST(third.closed());
    }
    BOOST_TEST(server.eventually([](const auto& c) { return c.connections_open == 2; }));
    {
        raw_client health{server.port};
        BOOST_TEST(health.send(get("/health")).receive().status == 200u);
        BOOST_TEST(health.closed());
    }
    BOOST_TEST(first.send(get("/x")).receive().status == 200u);  // those inside are not touched
    first.close();
    BOOST_TEST(server.eventually([](const auto& c) { return c.connections_open == 1; }));
    raw_client again{server.port};
    BOOST_TEST(again.send(get("/x")).receive().status == 200u);
    BOOST_TEST(server.counters().connections_refused == 2u);
}

BOOST_AUTO_TEST_CASE(beyond_the_reserve_connections_are_turned_away_at_once)
{
    loopback_server server{{.connections_max = 1, .connections_reserve = 1}};
    raw_client first{server.port};
    raw_client second{server.port};
    BOOST_TEST(server.eventually([](const auto& c) { return c.connections_open == 2; }));
    raw_client third{server.port};
    BOOST_TEST(third.receive().status == 503u);
    BOOST_TEST(third.closed());
}

BOOST_AUTO_TEST_CASE(goes_on_after_descriptors_were_used_up)
{
    loopback_server server;
    raw_client before{server.port};
    BOOST_TEST(before.send(get("/x")).receive().status == 200u);
    rlimit old{};
    ::getrlimit(RLIMIT_NOFILE, &old);
    std::vector<std::unique_ptr<raw_client>> waiting;
    waiting.push_back(std::make_unique<raw_client>(server.port));
    BOOST_TEST(server.eventually([](const auto& c) { return c.connections_open == 2; }));
    const int next = ::dup(0);
    ::close(next);
    raw_client early{server.port};  // connects while there are descriptors: the backlog holds it when the limit falls
    rlimit tight = old;
    tight.rlim_cur = static_cast<rlim_t>(next);
    ::setrlimit(RLIMIT_NOFILE, &tight);
    std::this_thread::sleep_for(300ms);
    BOOST_TEST(before.send(get("/x")).receive().status == 200u);
    ::setrlimit(RLIMIT_NOFILE, &old);
    raw_client after{server.port};
    BOOST_TEST(after.send(get("/x")).receive().status == 200u);
}

BOOST_AUTO_TEST_SUITE_END()
