#include "server/session.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/unit/server/loopback_server.hpp"

using namespace pystream::server;
using namespace pystream::server::testing;

namespace {

std::string get(const std::string& target, const std::string& fields = {})
{
    return "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}

std::string post(const std::string& body, const std::string& fields = {})
{
    return "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + fields + "\r\n" + body;
}

std::string post_to(const std::string& target)
{
    return "POST " + target + " HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
}

std::string post_chunked(const std::string& chunks)
{
    return "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(session)

BOOST_AUTO_TEST_CASE(answers_requests_on_one_connection)
{
    loopback_server server;
    raw_client client{server.port};
    for (int i = 0; i < 3; ++i) {
        const answer first = client.send(post("body " + std::to_string(i))).receive();
        BOOST_TEST(first.status == 200u);
        BOOST_TEST(first.body == "/p|body " + std::to_string(i));
        BOOST_TEST(first.has("\r\nX-Content-Type-Options: nosniff\r\n"));
        BOOST_TEST(first.has("\r\nDate: "));
        BOOST_TEST(!first.has("Connection:"));
    }
    BOOST_TEST(server.counters().connections_accepted == 1u);
    BOOST_TEST(server.counters().requests == 3u);
}

BOOST_AUTO_TEST_CASE(reads_a_request_the_same_at_every_split_point)
{
    loopback_server server;
    raw_client client{server.port};
    const std::string fixed = post("hello");
    const std::string chunked = post_chunked("2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nT: v\r\n\r\n");
    for (const std::string& bytes : {fixed, chunked})
        for (std::size_t split = 1; split < bytes.size(); ++split) {
            client.send(bytes.substr(0, split));
            std::this_thread::sleep_for(200us);
            BOOST_REQUIRE(client.send(bytes.substr(split)).receive().body == "/p|hello");
        }
}

BOOST_AUTO_TEST_CASE(answers_pipelined_requests_in_order)
{
    loopback_server server;
    raw_client client{server.port};
    std::string all;
    for (int i = 0; i < 200; ++i) all += i % 2 == 0 ? get("/" + std::to_string(i)) : post_chunked("3\r\nabc\r\n0\r\n\r\n");
    client.send(all);
    for (int i = 0; i < 200; ++i)
        BOOST_REQUIRE(client.receive().body == (i % 2 == 0 ? "/" + std::to_string(i) + "|" : "/p|abc"));
}

BOOST_AUTO_TEST_CASE(a_client_that_stops_sending_still_gets_its_answers)
{
    loopback_server server;
    raw_client client{server.port};
    client.send(get("/1") + get("/wait") + get("/3"));
    client.finish_sending();
    BOOST_TEST(client.receive().body == "/1|");
    std::this_thread::sleep_for(50ms);
    server.service.release_waiting();
    BOOST_TEST(client.receive().body == "/wait|");
    BOOST_TEST(client.receive().body == "/3|");
    BOOST_TEST(client.closed());
}

BOOST_AUTO_TEST_CASE(a_client_that_goes_away_ends_the_wait_of_its_request)
{
    loopback_server server{{.watch_interval = 100ms}};
    raw_client closed{server.port};
    raw_client reset{server.port};
    raw_client pipelining{server.port};
    closed.send(get("/wait"));
    reset.send(get("/wait"));
    pipelining.send(get("/wait") + get("/next"));
    BOOST_TEST(server.eventually([](const auto& c) { return c.requests_in_flight == 3; }));
    closed.close();
    reset.reset();
    pipelining.close();
    BOOST_TEST(server.eventually([](const auto& c) { return c.connections_open == 0; }));
    BOOST_TEST(server.service.cancelled == 3);
}

BOOST_AUTO_TEST_CASE(a_client_that_only_stops_sending_keeps_its_wait)
{
    loopback_server server{{.watch_interval = 100ms}};
    raw_client client{server.port};
    client.send(get("/wait"));
    client.finish_sending();
    BOOST_TEST(client.receive().status == 100u);  // one probe, which a client skips
    std::this_thread::sleep_for(1s);
    server.service.release_waiting();
    BOOST_TEST(client.receive().body == "/wait|");
    BOOST_TEST(client.closed());
    BOOST_TEST(server.service.cancelled == 0);
}

BOOST_AUTO_TEST_CASE(head_has_the_length_and_no_body)
{
    loopback_server server;
    raw_client client{server.port};
    const answer head = client.send("HEAD /abc HTTP/1.1\r\nHost: a\r\n\r\n").receive(true);
    BOOST_TEST(head.has("\r\nContent-Length: 5\r\n"));
    BOOST_TEST(client.send(get("/static")).receive().body == "fixed");
    const answer none = client.send(get("/none")).receive();
    BOOST_TEST(none.status == 204u);
    BOOST_TEST(!none.has("Content-Length"));
    BOOST_TEST(client.send(get("/after")).receive().body == "/after|");
}

BOOST_AUTO_TEST_CASE(echoes_a_good_request_id_and_makes_one_otherwise)
{
    loopback_server server;
    raw_client client{server.port};
    BOOST_TEST(client.send(get("/", "X-Request-Id: mine\r\n")).receive().has("\r\nX-Request-Id: mine\r\n"));
    const answer first = client.send(get("/", "X-Request-Id: not mine\r\n")).receive();
    BOOST_TEST(first.has("\r\nX-Request-Id: abcdef-00000001\r\n"));
    BOOST_TEST(client.send(get("/")).receive().has("\r\nX-Request-Id: abcdef-00000002\r\n"));
}

BOOST_AUTO_TEST_CASE(closes_when_asked_to)
{
    loopback_server server;
    raw_client closing{server.port};
    BOOST_TEST(closing.send(get("/", "Connection: close\r\n")).receive().has("\r\nConnection: close\r\n"));
    BOOST_TEST(closing.closed());
    raw_client old{server.port};
    BOOST_TEST(old.send("GET / HTTP/1.0\r\n\r\n").receive().has("\r\nConnection: close\r\n"));
    BOOST_TEST(old.closed());
    raw_client old_kept{server.port};
    for (int i = 0; i < 2; ++i)
        BOOST_TEST(
            old_kept.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").receive().has("\r\nConnection: keep-alive\r\n"));
}

BOOST_AUTO_TEST_CASE(refuses_and_closes_what_it_cannot_frame)
{
    loopback_server server;
    const std::string smuggled = get("/smuggled");
    for (const std::string& bytes :
         {get("/", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), get("/", "A : b\r\n"), get("/", "A: b\r\n c\r\n"),
          std::string{"GET / HTTP/1.1\nHost: a\n\n"}, get("/", "Transfer-Encoding: gzip, chunked\r\n"), post_chunked("x\r\n"),
          post_chunked("1\r\nab\r\n"), std::string{"POST /p HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
          get("/", "Content-Length: 0\r\nContent-Length: 0\r\n"), std::string{"\x16\x03\x01\x02\x00\x01\n"}}) {
        raw_client client{server.port};
        const answer refused = client.send(bytes + smuggled).receive();
        BOOST_TEST_CONTEXT(bytes)
        {
            BOOST_TEST(refused.status == 400u);
            BOOST_TEST(refused.has("application/problem+json"));
            BOOST_TEST(refused.has("\r\nConnection: close\r\n"));
            BOOST_TEST(client.closed());
        }
    }
    BOOST_TEST(server.service.handled == 0);
    BOOST_TEST(server.counters().protocol_errors == 10u);
}

BOOST_AUTO_TEST_CASE(sends_one_100_when_it_will_take_the_body)
{
    loopback_server server;
    raw_client client{server.port};
    const std::string request = post("hello", "Expect: 100-continue\r\n");
    client.send(request.substr(0, request.size() - 5));
    BOOST_TEST(client.receive().status == 100u);
    BOOST_TEST(client.send("hello").receive().body == "/p|hello");
    client.send(request);  // a client that does not wait for it
    BOOST_TEST(client.receive().status == 100u);
    BOOST_TEST(client.receive().status == 200u);
    client.send(get("/", "Expect: 100-continue\r\n"));  // nothing to wait for
    BOOST_TEST(client.receive().status == 200u);
}

BOOST_AUTO_TEST_CASE(sends_no_100_for_a_body_that_it_refuses)
{
    loopback_server server;
    raw_client large{server.port};
    large.send("POST /p HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 100001\r\n\r\n");
    BOOST_TEST(large.receive().status == 413u);
    BOOST_TEST(large.closed());
    raw_client odd{server.port};
    odd.send("POST /p HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\nContent-Length: 5\r\n\r\n");
    BOOST_TEST(odd.receive().status == 417u);
    BOOST_TEST(odd.closed());
}

BOOST_AUTO_TEST_CASE(bounds_the_body)
{
    loopback_server server;
    const std::string limit(echo_service::body_max, 'b');
    raw_client client{server.port};
    BOOST_TEST(client.send(post(limit)).receive().body == "/p|" + limit);
    BOOST_TEST(client.send(post_chunked("186a0\r\n" + limit + "\r\n0\r\n\r\n")).receive().body == "/p|" + limit);
    BOOST_TEST(client.send(post_chunked("186a0\r\n" + limit + "\r\n1\r\nx\r\n0\r\n\r\n")).receive().status == 413u);
    BOOST_TEST(client.closed());
    raw_client early{server.port};
    BOOST_TEST(early.send("POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 100001\r\n\r\n").receive().status == 413u);
    raw_client bodyless{server.port};
    BOOST_TEST(bodyless.send("GET /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx").receive().status == 413u);
}

BOOST_AUTO_TEST_CASE(a_refused_body_learns_the_limit)
{
    loopback_server server;
    const std::string number_too_large = "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999999999999\r\n\r\n";
    const std::string chunk_too_large = post_chunked("186a1\r\n" + std::string(100'001, 'b') + "\r\n0\r\n\r\n");
    for (const auto& request : {post(std::string(100'001, 'b')), chunk_too_large, number_too_large}) {
        raw_client client{server.port};
        const answer refused = client.send(request).receive();
        BOOST_TEST(refused.status == 413u);
        BOOST_TEST(refused.mentions("\"The body may have up to 100000 bytes.\""), refused.body);
        BOOST_TEST(refused.mentions("\"expected\":100000"), refused.body);
    }
    raw_client bodyless{server.port};
    const answer refused = bodyless.send(get("/x", "Content-Length: 1\r\n")).receive();
    BOOST_TEST(refused.mentions("\"expected\":0"), refused.body);
}

BOOST_AUTO_TEST_CASE(a_client_in_the_middle_of_a_refused_body_can_read_the_answer)
{
    loopback_server server;
    raw_client client{server.port};
    client.send("POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n" + std::string(8'000'000, 'x'));
    BOOST_TEST(client.receive().status == 413u);
    BOOST_TEST(client.closed());
}

BOOST_AUTO_TEST_CASE(refuses_heads_that_are_too_large)
{
    loopback_server server;
    raw_client url{server.port};
    BOOST_TEST(url.send("GET /" + std::string(9000, 'x')).receive().status == 414u);
    raw_client field{server.port};
    BOOST_TEST(field.send(get("/", "A: " + std::string(9000, 'x') + "\r\n")).receive().status == 431u);
    raw_client many{server.port};
    std::string fields;
    for (int i = 0; i < 30; ++i) fields += "A: " + std::string(1000, 'x') + "\r\n";
    BOOST_TEST(many.send(get("/", fields)).receive().status == 431u);
    BOOST_TEST(many.closed());
}

BOOST_AUTO_TEST_CASE(a_handler_that_throws_costs_one_answer)
{
    loopback_server server;
    raw_client client{server.port};
    const answer thrown = client.send(get("/throw")).receive();
    BOOST_TEST(thrown.status == 500u);
    BOOST_TEST(thrown.body.find("secret") == std::string::npos);
    BOOST_TEST(client.send(get("/no-memory")).receive().status == 503u);
    BOOST_TEST(client.send(get("/x")).receive().body == "/x|");
    BOOST_TEST(server.counters().requests_in_flight == 0u);
}

BOOST_AUTO_TEST_CASE(a_write_whose_handler_throws_may_have_happened)
{
    loopback_server server;
    raw_client client{server.port};
    int errors = 0;
    for (const std::string target : {"/throw", "/no-memory"}) {
        const answer written = client.send(post_to(target)).receive();
        BOOST_TEST(written.status >= 500u);
        BOOST_TEST(written.mentions("\"outcome\":\"unknown\""), written.body);
        BOOST_TEST(server.errors_logged() == ++errors);
        BOOST_TEST(client.send(get(target)).receive().mentions("\"outcome\":\"none\""));
        ++errors;
    }
}

BOOST_AUTO_TEST_CASE(slow_requests_are_answered_408_and_silence_by_closing)
{
    loopback_server server{{.idle_timeout = 300ms, .head_timeout = 300ms, .body_timeout = 300ms}};
    raw_client silent{server.port};
    raw_client slow_head{server.port};
    raw_client slow_body{server.port};
    raw_client idle{server.port};
    slow_head.send("GET / HT");
    slow_body.send("POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
    BOOST_TEST(idle.send(get("/x")).receive().status == 200u);
    for (int i = 0; i < 12; ++i) {  // a byte now and then does not extend what is measured in total
        std::this_thread::sleep_for(100ms);
        slow_head.send("x");
        if (i < 2) slow_body.send("c");
    }
    BOOST_TEST(server.counters().timeouts == 2u);
    BOOST_TEST(slow_head.receive().status == 408u);
    BOOST_TEST(slow_body.receive().status == 408u);
    BOOST_TEST(silent.closed());
    BOOST_TEST(idle.closed());
}

BOOST_AUTO_TEST_CASE(a_long_wait_is_not_cut)
{
    loopback_server server{{.idle_timeout = 100ms, .head_timeout = 100ms, .body_timeout = 100ms, .write_timeout = 100ms}};
    raw_client client{server.port};
    client.send(get("/wait"));
    std::this_thread::sleep_for(1s);
    server.service.release_waiting();
    BOOST_TEST(client.receive().body == "/wait|");
}

BOOST_AUTO_TEST_CASE(a_client_that_does_not_read_is_cut_off)
{
    loopback_server server{{.write_timeout = 300ms, .transfer_bytes_per_second_min = 1 << 30}};
    const std::string post_large = "POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
    for (const std::string& request : {get("/large"), post_large}) {
        raw_client client{server.port};
        client.shrink_receive_buffer();
        client.send(request);
        BOOST_TEST(server.eventually([](const auto& c) { return c.bytes_in_flight >= 20u << 20; }));
        BOOST_TEST(server.eventually([](const auto& c) { return c.connections_open == 0 && c.bytes_in_flight == 0; }));
    }
    BOOST_TEST(server.counters().timeouts == 2u);
}

BOOST_AUTO_TEST_CASE(a_large_answer_arrives_whole)
{
    loopback_server server;
    raw_client client{server.port};
    BOOST_TEST(client.send(get("/large") + get("/next")).receive().body == std::string(20 << 20, 'x'));
    BOOST_TEST(client.receive().body == "/next|");
}

BOOST_AUTO_TEST_CASE(the_byte_budget_refuses_and_recovers)
{
    loopback_server server{{}, 1000};
    raw_client holder{server.port};
    holder.send("POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n");
    BOOST_TEST(server.eventually([](const auto& c) { return c.bytes_in_flight == 1000; }));

    raw_client refused{server.port};
    const answer busy = refused.send(post("x")).receive();
    BOOST_TEST(busy.status == 503u);
    BOOST_TEST(busy.has("\r\nRetry-After: 1\r\n"));
    BOOST_TEST(refused.closed());  // its body was not read
    raw_client bodyless{server.port};
    BOOST_TEST(bodyless.send(get("/x")).receive().status == 503u);
    BOOST_TEST(bodyless.send(get("/health")).receive().status == 200u);  // the same connection goes on; health always answers
    raw_client chunked{server.port};
    BOOST_TEST(chunked.send(post_chunked("1\r\nx\r\n0\r\n\r\n")).receive().status == 503u);

    BOOST_TEST(holder.send(std::string(1000, 'x')).receive().status == 200u);
    BOOST_TEST(bodyless.send(get("/x")).receive().status == 200u);
    raw_client growing{server.port};
    BOOST_TEST(growing.send(post_chunked("7d0\r\n" + std::string(2000, 'x') + "\r\n0\r\n\r\n")).receive().status == 503u);
    BOOST_TEST(growing.closed());
    BOOST_TEST(server.counters().bytes_in_flight == 0u);
}

BOOST_AUTO_TEST_CASE(an_answer_that_does_not_fit_the_budget_becomes_503)
{
    loopback_server server{{}, 1 << 20};
    raw_client client{server.port};
    BOOST_TEST(client.send(get("/large")).receive().status == 503u);
    BOOST_TEST(client.send(get("/x")).receive().status == 200u);
}

BOOST_AUTO_TEST_CASE(a_waiting_request_holds_none_of_the_budget)
{
    loopback_server server{{}, 100};
    raw_client waiting{server.port};
    waiting.send(get("/wait"));
    BOOST_TEST(server.eventually([](const auto& c) { return c.requests_in_flight == 1; }));
    BOOST_TEST(server.counters().bytes_in_flight == 0u);
}

BOOST_AUTO_TEST_CASE(draining_ends_idle_connections_and_lets_requests_finish)
{
    loopback_server server;
    raw_client idle{server.port};
    raw_client busy{server.port};
    raw_client half{server.port};
    BOOST_TEST(idle.send(get("/x")).receive().status == 200u);
    busy.send(get("/wait"));
    half.send("GET /half HTTP/1.1\r\n");
    BOOST_TEST(server.eventually([](const auto& c) { return c.requests_in_flight == 1 && c.bytes_received > 60; }));
    server.on_loop([](session_context& context) { context.begin_drain(); });
    BOOST_TEST(idle.closed());
    const answer last = half.send("Host: a\r\n\r\n").receive();
    BOOST_TEST(last.has("\r\nConnection: close\r\n"));
    BOOST_TEST(half.closed());
    server.service.release_waiting();
    BOOST_TEST(busy.receive().has("\r\nConnection: close\r\n"));
    BOOST_TEST(busy.closed());
}

BOOST_AUTO_TEST_CASE(clients_that_vanish_leave_nothing_behind)
{
    loopback_server server;
    for (int i = 0; i < 300; ++i) {
        raw_client client{server.port};
        const std::string request = post("hello");
        client.send(request.substr(0, static_cast<std::size_t>(i) % request.size()));
        i % 2 == 0 ? client.reset() : client.close();
    }
    BOOST_TEST(server.eventually([](const auto& c) { return c.connections_accepted == 300 && c.connections_open == 0; }));
    BOOST_TEST(server.counters().bytes_in_flight == 0u);
    BOOST_TEST(server.counters().requests_in_flight == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
