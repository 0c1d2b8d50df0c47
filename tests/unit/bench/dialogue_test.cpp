#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/bench/load/dialogue.hpp"

using namespace pystream::bench;
using namespace std::string_literals;
using kind = outcome::kind;

BOOST_TEST_DONT_PRINT_LOG_VALUE(kind)

namespace {

work make_work(std::string protocol, std::string name)
{
    work what;
    what.protocol = std::move(protocol);
    what.name = std::move(name);
    what.target = what.protocol == "http" ? "/api/topics/t" : "t";
    what.host = "h";
    what.value_bytes = 3;
    return what;
}

std::string next_request(dialogue& speaker)
{
    std::string out;
    speaker.append_request(out);
    return out;
}

// The answer in two pieces, cut everywhere, with the start of something else behind it.
void check_answer_in_every_cut(dialogue& speaker, const std::string& answer, std::uint64_t records)
{
    const std::string more = answer + "X";
    for (std::size_t cut = 0; cut < answer.size(); ++cut) {
        BOOST_TEST(speaker.read_answer(std::string_view{more}.substr(0, cut)).state == kind::more);
        const outcome found = speaker.read_answer(more);
        BOOST_TEST(found.state == kind::done);
        BOOST_TEST(found.bytes == answer.size());
        BOOST_TEST(found.records == records);
    }
}

void check_failure(dialogue& speaker, const std::string& answer, const std::string& in_error)
{
    const outcome found = speaker.read_answer(answer);
    BOOST_TEST(found.state == kind::failed);
    BOOST_TEST(found.error.find(in_error) != std::string::npos, found.error);
}

std::string http_answer(const std::string& status, const std::string& body)
{
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dialogue_test)

BOOST_AUTO_TEST_CASE(http_single)
{
    work what = make_work("http", "single");
    what.partitions = 10;
    const auto speaker = make_dialogue(what, 23);
    BOOST_TEST(speaker->opening().empty());
    const std::string request = next_request(*speaker);
    BOOST_TEST(request.starts_with("POST /api/topics/t/partitions/3/records HTTP/1.1\r\nHost: h\r\n"));
    BOOST_TEST(request.ends_with("\r\nContent-Length: 3\r\n\r\nvvv"));
    check_answer_in_every_cut(*speaker, http_answer("201 Created", "{}"), 1);
    check_failure(*speaker, http_answer("200 OK", "{}"), "200 OK");
    check_failure(*make_dialogue(what, 0), "hello\r\n\r\n", "hello");
}

BOOST_AUTO_TEST_CASE(http_batch_counts_its_records)
{
    work what = make_work("http", "batch");
    what.batch = 2;
    const auto speaker = make_dialogue(what, 0);
    BOOST_TEST(next_request(*speaker).ends_with(R"({"records":[{"value":"vvv"},{"value":"vvv"}]})"));
    check_answer_in_every_cut(*speaker, http_answer("201 Created", "{}"), 2);
}

BOOST_AUTO_TEST_CASE(http_keys_differ)
{
    const work what = make_work("http", "keyed");
    const auto one = make_dialogue(what, 1);
    const auto two = make_dialogue(what, 2);
    const std::string first = next_request(*one);
    BOOST_TEST(first.starts_with("POST /api/topics/t/records?key=000"));
    BOOST_TEST(first != next_request(*one));
    BOOST_TEST(first != next_request(*two));
    BOOST_TEST(first.size() == next_request(*one).size());
}

BOOST_AUTO_TEST_CASE(http_fetch_walks_and_wants_full_pages)
{
    work what = make_work("http", "fetch");
    what.batch = 10;
    what.from = 500;
    what.span = 20;
    what.step = 10;
    const auto speaker = make_dialogue(what, 0);
    BOOST_TEST(next_request(*speaker).find("offset=500 ") != std::string::npos);
    check_answer_in_every_cut(*speaker, http_answer("200 OK", R"({"records":[],"next_offset":510})"), 10);
    BOOST_TEST(next_request(*speaker).find("offset=510 ") != std::string::npos);
    BOOST_TEST(next_request(*speaker).find("offset=500 ") != std::string::npos);
    check_failure(*speaker, http_answer("200 OK", R"({"records":[],"next_offset":509})"), "not full");
    check_failure(*make_dialogue(what, 0), http_answer("200 OK", "{}"), "next_offset");
}

BOOST_AUTO_TEST_CASE(redis_pipeline)
{
    work what = make_work("resp", "xadd");
    what.batch = 2;
    const auto speaker = make_dialogue(what, 0);
    const std::string command = "*5\r\n$4\r\nXADD\r\n$1\r\nt\r\n$1\r\n*\r\n$1\r\nv\r\n$3\r\nvvv\r\n";
    BOOST_TEST(next_request(*speaker) == command + command);
    check_answer_in_every_cut(*speaker, "$3\r\n1-0\r\n$3\r\n1-1\r\n", 2);
    check_failure(*speaker, "$3\r\n1-0\r\n-MISCONF no\r\n", "MISCONF");
}

BOOST_AUTO_TEST_CASE(redis_range)
{
    work what = make_work("resp", "xrange");
    const auto speaker = make_dialogue(what, 0);
    BOOST_TEST(next_request(*speaker).ends_with("$1\r\n0\r\n$1\r\n+\r\n$5\r\nCOUNT\r\n$1\r\n1\r\n"));
    check_answer_in_every_cut(*speaker, "*1\r\n*2\r\n$3\r\n1-0\r\n*2\r\n$1\r\nv\r\n$3\r\nvvv\r\n", 1);
    check_failure(*speaker, "*0\r\n", "not the entries");
}

BOOST_AUTO_TEST_CASE(nats_waits_for_the_acknowledgment_of_the_stream)
{
    const auto speaker = make_dialogue(make_work("nats", "publish"), 4);
    BOOST_TEST(speaker->opening().ends_with("SUB _INBOX.bench.4 1\r\nPING\r\n"));
    BOOST_TEST(speaker->read_opening("INFO {}\r\nPO").state == kind::more);
    BOOST_TEST(speaker->read_opening("INFO {}\r\nPONG\r\n").bytes == 15U);
    BOOST_TEST(speaker->read_opening("-ERR 'no'\r\n").state == kind::failed);

    const std::string request = "PUB t _INBOX.bench.4 3\r\nvvv\r\n";
    BOOST_TEST(next_request(*speaker) == request);
    const std::string acknowledged = "MSG _INBOX.bench.4 1 27\r\n{\"stream\":\"BENCH\",\"seq\":17}\r\n";
    check_answer_in_every_cut(*speaker, acknowledged, 1);
    BOOST_TEST(next_request(*speaker) == request);
    check_answer_in_every_cut(*speaker, "PING\r\n" + acknowledged, 1);
    BOOST_TEST(next_request(*speaker) == "PONG\r\n" + request);
    check_failure(*speaker, "MSG _INBOX.bench.4 1 12\r\n{\"error\":{}}\r\n", "error");
    check_failure(*speaker, "MSG _INBOX.bench.4 1 8\r\n{\"seq\":1}\r\n", "seq");
    check_failure(*speaker, "HMSG _INBOX.bench.4 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", "HMSG");
}

BOOST_AUTO_TEST_CASE(postgres_wants_its_rows_and_the_end_of_the_statement)
{
    work what = make_work("postgres", "insert");
    what.batch = 2;
    const auto speaker = make_dialogue(what, 0);
    BOOST_TEST(speaker->opening().size() == 8U + 30);
    const std::string let_in = "R\0\0\0\x08\0\0\0\0"s + "Z\0\0\0\5I"s;
    BOOST_TEST(speaker->read_opening(let_in).bytes == let_in.size());
    BOOST_TEST(speaker->read_opening("R\0\0\0\x08\0\0\0\3"s).state == kind::failed);

    const std::string statement = "INSERT INTO t(value) VALUES ('vvv'),('vvv')\0"s;
    BOOST_TEST(next_request(*speaker) == "Q\0\0\0"s + static_cast<char>(statement.size() + 4) + statement);
    check_answer_in_every_cut(*speaker, "C\0\0\0\x0fINSERT 0 2\0Z\0\0\0\5I"s, 2);
    check_failure(*speaker, "C\0\0\0\x0fINSERT 0 1\0Z\0\0\0\5I"s, "not the rows");
    check_failure(*speaker, "Z\0\0\0\5I"s, "not the rows");
    check_failure(*speaker, "E\0\0\0\x0aSERROR"s, "SERROR");
}

BOOST_AUTO_TEST_CASE(what_is_not_known)
{
    for (const char* protocol : {"http", "resp", "nats", "postgres", "kafka"})
        BOOST_CHECK_THROW(make_dialogue(make_work(protocol, "dance"), 0), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
