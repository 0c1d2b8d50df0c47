#include "server/json_log.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <string>

using namespace pystream;
using namespace pystream::server;
using base::severity;

namespace {

struct fixed_clock final : base::clock {
    std::int64_t wall_ns() const noexcept override { return 1'709'210'045'006'000'000; }
    monotonic_time monotonic() const noexcept override { return {}; }
};

const fixed_clock fixed;

struct pipe_pair {
    int ends[2] = {-1, -1};
    pipe_pair()  // the end that is written blocks, as standard error does
    {
        BOOST_REQUIRE(::pipe(ends) == 0);
        BOOST_REQUIRE(::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    }
    ~pipe_pair()
    {
        ::close(ends[0]);
        ::close(ends[1]);
    }
    std::string read_all() const
    {
        std::string out;
        char bytes[65536];
        for (ssize_t n = 0; (n = ::read(ends[0], bytes, sizeof bytes)) > 0;) out.append(bytes, static_cast<std::size_t>(n));
        return out;
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(json_log_)

BOOST_AUTO_TEST_CASE(writes_one_json_object_a_line)
{
    const pipe_pair pipe;
    json_log log{pipe.ends[1], severity::info, fixed};
    log.write(severity::warning, "event", {{"n", -5}, {"s", "a\"\\\n\xc3\xa4"}});
    BOOST_TEST(pipe.read_all() ==
               "{\"time\":\"2024-02-29T12:34:05.006Z\",\"level\":\"WARNING\",\"event\":\"event\",\"n\":-5,"
               "\"s\":\"a\\\"\\\\\\u000a\\u00c3\\u00a4\"}\n");
}

BOOST_AUTO_TEST_CASE(leaves_out_what_is_below_the_level)
{
    const pipe_pair pipe;
    json_log log{pipe.ends[1], severity::warning, fixed};
    BOOST_TEST(!log.enabled(severity::info));
    log.write(severity::info, "a", {});
    log.write(severity::error, "b", {});
    const std::string text = pipe.read_all();
    BOOST_TEST(text.find("\"a\"") == std::string::npos);
    BOOST_TEST(text.find("\"b\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_line_never_passes_the_size_that_a_pipe_takes_whole)
{
    const std::string long_text(5000, '\n');
    const std::string line = format_log_line(0, severity::info, "e", {{"a", long_text}, {"b", long_text}, {"c", 1}});
    BOOST_TEST(line.size() <= 4096u);
    BOOST_TEST(line.ends_with("}\n"));
}

BOOST_AUTO_TEST_CASE(a_full_pipe_drops_lines_and_says_how_many)
{
    const pipe_pair pipe;
    json_log log{pipe.ends[1], severity::info, fixed};
    const std::string filler(1000, 'x');
    for (int i = 0; i < 1000; ++i)
        log.write(severity::info, "filler", {{"x", filler}});  // more than a pipe holds; must not block
    pipe.read_all();
    log.write(severity::info, "after", {});
    const std::string text = pipe.read_all();
    BOOST_TEST(text.find("\"log lines dropped\",\"count\":") != std::string::npos);
    BOOST_TEST(text.find("\"after\"") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
