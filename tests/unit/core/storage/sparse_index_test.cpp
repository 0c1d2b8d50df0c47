#include "core/storage/sparse_index.hpp"

#include <boost/test/unit_test.hpp>

#include "core/base/limits.hpp"

using namespace pystream;
using namespace pystream::storage;

namespace {

constexpr std::uint64_t interval = base::limits::index_interval_bytes;

sparse_index sample()
{
    sparse_index index;
    for (int i = 0; i < 10; ++i)
        index.add({base::offset{100 + 10 * i}, interval * static_cast<std::uint64_t>(i), 1000 * (i / 2)});
    return index;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sparse_index_test)

BOOST_AUTO_TEST_CASE(entries_stand_apart_by_the_interval)
{
    sparse_index index;
    index.add({base::offset{0}, 0, 0});
    index.add({base::offset{1}, interval - 1, 0});
    BOOST_TEST(index.entries().size() == 1);
    index.add({base::offset{2}, interval, 0});
    BOOST_TEST(index.entries().size() == 2);
}

BOOST_AUTO_TEST_CASE(lookups_give_the_last_entry_that_is_before)
{
    const sparse_index index = sample();
    BOOST_TEST(index.at_or_below(base::offset{99}) == nullptr);
    BOOST_TEST(index.at_or_below(base::offset{100})->offset.value() == 100);
    BOOST_TEST(index.at_or_below(base::offset{109})->offset.value() == 100);
    BOOST_TEST(index.at_or_below(base::offset{110})->offset.value() == 110);
    BOOST_TEST(index.at_or_below(base::offset{100000})->offset.value() == 190);
    BOOST_TEST(index.before_time(0) == nullptr);
    BOOST_TEST(index.before_time(1)->offset.value() == 110);
    BOOST_TEST(index.before_time(1000)->offset.value() == 110);
    BOOST_TEST(index.before_time(1001)->offset.value() == 130);
}

BOOST_AUTO_TEST_CASE(cutting_forgets_what_is_behind)
{
    sparse_index index = sample();
    index.cut(3 * interval);
    BOOST_TEST(index.entries().size() == 3);
    index.cut(0);
    BOOST_TEST(index.entries().empty());
}

BOOST_AUTO_TEST_CASE(any_changed_byte_or_length_is_refused)
{
    const std::string file = sample().encode(base::offset{100}, 200'000);
    BOOST_REQUIRE(sparse_index::decode(file, base::offset{100}, 200'000));
    BOOST_TEST(!sparse_index::decode(file, base::offset{101}, 200'000));
    BOOST_TEST(!sparse_index::decode(file, base::offset{100}, 200'001));
    for (std::size_t at = 0; at < file.size(); ++at) {
        std::string changed = file;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        BOOST_TEST(!sparse_index::decode(changed, base::offset{100}, 200'000));
        BOOST_TEST(!sparse_index::decode(file.substr(0, at), base::offset{100}, 200'000));
    }
}

BOOST_AUTO_TEST_SUITE_END()
