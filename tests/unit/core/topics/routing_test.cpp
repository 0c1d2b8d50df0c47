#include "core/topics/routing.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using namespace pystream;
using topics::route_key;

namespace {

struct vector_line {
    std::string shown;  // as in the file
    std::string key;
    std::int32_t count = 0;
    std::int32_t partition = 0;
};

std::string from_hex(const std::string& text)
{
    std::string out;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) out += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
    return out;
}

std::string key_of(const std::string& text)
{
    if (text == "-") return {};
    const std::size_t star = text.find('*');
    if (star == std::string::npos) return from_hex(text);
    return std::string(std::stoul(text.substr(star + 1)), from_hex(text.substr(0, star))[0]);
}

// tests/golden/make_routing_vectors.py: computed by Python's hashlib and integers.
std::vector<vector_line> golden_vectors()
{
    std::ifstream in{PYSTREAM_SOURCE_DIR "/tests/golden/routing_vectors.txt"};
    std::vector<vector_line> out;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream fields{line};
        vector_line one;
        fields >> one.shown >> one.count >> one.partition;
        one.key = key_of(one.shown);
        out.push_back(std::move(one));
    }
    return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(routing)

BOOST_AUTO_TEST_CASE(agrees_with_independently_computed_vectors)
{
    const auto vectors = golden_vectors();
    BOOST_REQUIRE(vectors.size() == 550u);
    for (const auto& one : vectors)
        BOOST_TEST(route_key(one.key, one.count).value() == one.partition, one.shown << " mod " << one.count);
}

BOOST_AUTO_TEST_CASE(same_key_same_partition_on_every_thread)
{
    const auto here = route_key("user-1", 1000);
    base::partition_index there;
    std::thread{[&] { there = route_key("user-1", 1000); }}.join();
    BOOST_TEST(there == here);
    BOOST_TEST(route_key("user-1", 1000) == here);
}

BOOST_AUTO_TEST_CASE(keys_spread_evenly)
{
    std::vector<int> hits(16);
    for (int i = 0; i < 16'000; ++i) ++hits[static_cast<std::size_t>(route_key("k" + std::to_string(i), 16).value())];
    for (const int count : hits) BOOST_TEST((count > 850 && count < 1150), count);  // five standard deviations around 1000
}

BOOST_AUTO_TEST_CASE(round_robin_takes_turns_from_zero)
{
    topics::round_robin turn;
    std::vector<std::int32_t> seen;
    for (int i = 0; i < 7; ++i) seen.push_back(turn.next(3).value());
    BOOST_TEST(seen == (std::vector<std::int32_t>{0, 1, 2, 0, 1, 2, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(round_robin_goes_on_when_the_topic_grows)
{
    topics::round_robin turn;
    (void)turn.next(2);
    (void)turn.next(2);
    BOOST_TEST(turn.next(4).value() == 2);
    BOOST_TEST(turn.next(4).value() == 3);
    BOOST_TEST(turn.next(4).value() == 0);
    BOOST_TEST(turn.next(1).value() == 0);
    BOOST_TEST(turn.next(1).value() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
