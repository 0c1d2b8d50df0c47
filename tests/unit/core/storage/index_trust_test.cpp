// Indexes are hints: whatever stands in an index file, reads give exactly the offsets asked for. C009, C093.
#include <random>

#include "core/storage/sparse_index.hpp"
#include "tests/unit/core/storage/log_fixture.hpp"

using namespace pystream;
using namespace pystream::tests;

namespace {

// Segments of some index entries each.
struct index_fixture : log_fixture {
    index_fixture()
    {
        value_bytes = 3000;
        options.segment_bytes = 200'000;
        create();
        append(300);
        checkpoint();
        segments = log->segments();
        BOOST_REQUIRE(segments.size() == 5);
        for (const auto& segment : segments) BOOST_REQUIRE(segment.index_entries > 3);
        for (const auto& segment : segments) wholes.push_back(*files.content(path_of(segment.base)));
    }

    std::string path_of(base::offset base) const { return storage::index_path(directory, base); }

    void check_reads_exactly(std::uint64_t seed)
    {
        std::mt19937_64 random{seed};
        for (int i = 0; i < 20; ++i) {
            const base::offset wanted{static_cast<std::int64_t>(random() % 300)};
            const auto read = log->prepare_read(wanted, log->end(), 1).run();
            BOOST_REQUIRE(read && !read->damaged && read->runs.size() == 1);
            BOOST_TEST(read->runs.front().base == wanted);
            const auto found = log->prepare_time_lookup(wanted.value() * 1'000'000, log->end()).run();
            BOOST_REQUIRE(found && *found);
            BOOST_TEST(**found == wanted);
        }
    }

    std::vector<storage::segment_info> segments;
    std::vector<std::string> wholes;
};

std::string noise(std::size_t bytes, std::uint64_t seed)
{
    std::mt19937_64 random{seed};
    std::string out(bytes, '\0');
    for (char& c : out) c = static_cast<char>(random());
    return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(index_trust_test)

BOOST_FIXTURE_TEST_CASE(a_lost_or_damaged_index_is_rebuilt_from_its_segment, index_fixture)
{
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const std::string path = path_of(segments[i].base);
        const std::string& whole = wholes[i];
        const std::string variants[] = {
            "", whole.substr(0, whole.size() - 1), whole.substr(0, 17), noise(whole.size(), i), whole + "x",
            // a sane header with entries that are not
            whole.substr(0, storage::index_layout::header_bytes) + noise(whole.size() - storage::index_layout::header_bytes, i),
            whole.substr(0, storage::index_layout::header_bytes) +
                std::string(whole.size() - storage::index_layout::header_bytes, '\0'),
            wholes[(i + 1) % wholes.size()]};
        for (const std::string& variant : variants) {
            files.set_content(path, variant);
            open();
            check_reads_exactly(i);
            check_whole(300);
            BOOST_TEST(*files.content(path) == whole);
        }
        files.erase(path);
        open();
        check_whole(300);
        BOOST_TEST((files.content(path) == whole));
    }
}

// Entries that are well formed and lead elsewhere: to a wrong batch, to no batch, out of order.
BOOST_FIXTURE_TEST_CASE(every_changed_byte_of_an_index_leaves_reads_right, index_fixture)
{
    const std::string path = path_of(segments[1].base);
    for (std::size_t at = 0; at < wholes[1].size(); ++at) {
        std::string changed = wholes[1];
        changed[at] = static_cast<char>(changed[at] ^ 0x11);
        files.set_content(path, changed);
        check_reads_exactly(at);
    }
}

BOOST_FIXTURE_TEST_CASE(an_index_of_the_wrong_offsets_is_not_believed, index_fixture)
{
    // Each entry claims the offset of the next one, with a valid checksum.
    const auto index = storage::sparse_index::decode(wholes[1], segments[1].base, segments[1].bytes);
    BOOST_REQUIRE(index);
    storage::sparse_index shifted;
    for (std::size_t i = 0; i + 1 < index->entries().size(); ++i) {
        storage::index_entry entry = index->entries()[i];
        entry.offset = index->entries()[i + 1].offset;
        shifted.add(entry);
    }
    files.set_content(path_of(segments[1].base), shifted.encode(segments[1].base, segments[1].bytes));
    check_reads_exactly(1);
    check_whole(300);
}

// C093: one bad index costs one segment.
BOOST_FIXTURE_TEST_CASE(only_the_segment_of_a_bad_index_is_read_again, index_fixture)
{
    files.set_content(path_of(segments[0].base), noise(wholes[0].size(), 1));
    std::uint64_t before = files.bytes_read();
    open();
    BOOST_TEST(files.bytes_read() - before < 10'000);
    before = files.bytes_read();
    BOOST_REQUIRE(log->prepare_read(base::offset{10}, log->end(), 1).run());
    BOOST_TEST(files.bytes_read() - before < segments[0].bytes + 50'000);
    before = files.bytes_read();
    BOOST_REQUIRE(log->prepare_read(base::offset{10}, log->end(), 1).run());
    BOOST_TEST(files.bytes_read() - before < 50'000);
}

BOOST_FIXTURE_TEST_CASE(an_index_that_cannot_be_written_again_is_done_without, index_fixture)
{
    for (const auto& segment : segments) files.erase(path_of(segment.base));
    files.set_read_only(true);
    check_reads_exactly(1);
    check_whole(300);
}

BOOST_AUTO_TEST_SUITE_END()
