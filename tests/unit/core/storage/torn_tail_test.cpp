// What recovery does with the newest segment when its last batches are cut, changed or followed by something, at every byte.
#include <random>

#include "tests/unit/core/storage/log_fixture.hpp"

using namespace pystream;
using namespace pystream::tests;

namespace {

constexpr std::int64_t batch_count = 4;

// Four batches of two records; each records as its watermark the end of the one before: it was acknowledged when the batch was encoded.
struct tail_fixture : log_fixture {
    tail_fixture()
    {
        create();
        checkpoint_bytes = *files.content("log/checkpoint");
        starts.push_back(0);
        for (std::int64_t i = 0; i < batch_count; ++i) {
            append(1, 2);
            starts.push_back(log->size_bytes());
        }
        path = active_path();
        whole = *files.content(path);
    }

    std::size_t start_of(std::int64_t batch) const { return static_cast<std::size_t>(starts[static_cast<std::size_t>(batch)]); }

    void open_with(std::string_view content)
    {
        files.set_content(path, content);
        open();
    }

    // Nothing that could have been acknowledged is missing: the file is cut behind `batches`, and the log goes on there.
    void check_cut_to(std::int64_t batches)
    {
        check_whole(2 * batches);
        BOOST_TEST(files.content(path)->size() == start_of(batches));
        append(1, 2);
        check_whole(2 * batches + 2);
        open();
        check_whole(2 * batches + 2);
    }

    // Acknowledged records are damaged: named, not served, not cut, and everything else is served.
    void check_damaged(std::int64_t batch, std::string_view content)
    {
        BOOST_REQUIRE(log->failure().has_value());
        BOOST_TEST((log->failure()->code == base::errc::corrupt_record));
        BOOST_TEST(log->failure()->offset.value() == 2 * batch);
        BOOST_REQUIRE(log->damages().size() == 1);
        const storage::damage& found = log->damages().front();
        BOOST_TEST(found.from.value() == 2 * batch);
        BOOST_TEST(found.end.value() == 2 * batch + 2);
        BOOST_TEST(found.path == path);
        BOOST_TEST(found.position == start_of(batch));
        BOOST_TEST(!found.reason.empty());
        BOOST_TEST(*files.content(path) == content);
        BOOST_TEST(log->end().value() == 2 * batch_count);
        const log_content read = read_all();
        for (std::int64_t i = 0; i < 2 * batch_count; ++i)
            BOOST_TEST(read.values[static_cast<std::size_t>(i)].has_value() == (i / 2 != batch));
    }

    void restore()
    {
        files.erase("log/checkpoint");
        files.set_content("log/checkpoint", checkpoint_bytes);
        files.erase(storage::index_path(directory, base::offset{}));
    }

    std::vector<std::uint64_t> starts;
    std::string path;
    std::string whole;
    std::string checkpoint_bytes;  // recovery point 0
};

}  // namespace

BOOST_AUTO_TEST_SUITE(torn_tail_test)

// C006: every cut point of the last two batches, and the empty file.
BOOST_FIXTURE_TEST_CASE(a_file_cut_anywhere_keeps_the_whole_batches_before, tail_fixture)
{
    for (std::size_t size = start_of(batch_count - 2); size <= whole.size(); ++size) {
        restore();
        open_with(std::string_view{whole}.substr(0, size));
        std::int64_t batches = batch_count;
        while (start_of(batches) > size) --batches;
        check_cut_to(batches);
    }
    restore();
    open_with("");
    check_cut_to(0);
}

// C002: zeros, 0xFF and random bytes behind the last batch.
BOOST_FIXTURE_TEST_CASE(whatever_follows_the_last_batch_is_cut, tail_fixture)
{
    std::mt19937_64 random{2};
    for (const std::size_t bytes :
         {std::size_t{1}, std::size_t{83}, std::size_t{84}, std::size_t{4096}, std::size_t{4} << 20}) {
        std::string noise(bytes, '\0');
        for (char& c : noise) c = static_cast<char>(random() | 1);
        const std::pair<std::string, const char*> tails[] = {{std::string(bytes, '\0'), "zero_tail_cut"},
                                                             {std::string(bytes, '\xff'), "torn_tail_cut"},
                                                             {noise, "torn_tail_cut"}};
        for (const auto& [tail, event] : tails) {
            restore();
            events.events.clear();
            open_with(whole + tail);
            BOOST_TEST(log->recovery().torn_bytes_cut == bytes);
            BOOST_TEST(events.has(event));
            check_cut_to(batch_count);
        }
    }
}

BOOST_FIXTURE_TEST_CASE(any_changed_byte_of_the_last_batch_makes_it_a_torn_tail, tail_fixture)
{
    for (std::size_t at = start_of(batch_count - 1); at < whole.size(); ++at) {
        for (const char mask : {'\x01', '\x80', '\xff'}) {
            std::string changed = whole;
            changed[at] = static_cast<char>(changed[at] ^ mask);
            restore();
            open_with(changed);
            check_cut_to(batch_count - 1);
        }
    }
}

// The batch behind it records a watermark above: what is damaged had been acknowledged.
BOOST_FIXTURE_TEST_CASE(any_changed_byte_before_the_last_batch_is_damage, tail_fixture)
{
    for (std::int64_t batch = 0; batch < batch_count - 1; ++batch) {
        for (std::size_t at = start_of(batch); at < start_of(batch + 1); ++at) {
            for (const char mask : {'\x01', '\x10', '\xff'}) {
                std::string changed = whole;
                changed[at] = static_cast<char>(changed[at] ^ mask);
                restore();
                open_with(changed);
                check_damaged(batch, changed);
            }
        }
    }
}

BOOST_FIXTURE_TEST_CASE(zeros_from_any_byte_to_the_end_are_a_torn_tail, tail_fixture)
{
    for (std::size_t at = start_of(batch_count - 2); at < whole.size(); ++at) {
        std::string changed = whole;
        std::fill(changed.begin() + static_cast<std::ptrdiff_t>(at), changed.end(), '\0');
        if (changed == whole) continue;
        restore();
        open_with(changed);
        const bool previous_is_whole = changed.compare(0, start_of(batch_count - 1), whole, 0, start_of(batch_count - 1)) == 0;
        check_cut_to(previous_is_whole ? batch_count - 1 : batch_count - 2);
    }
}

BOOST_FIXTURE_TEST_CASE(a_zeroed_batch_before_the_last_is_damage, tail_fixture)
{
    for (std::int64_t batch = 0; batch < batch_count - 1; ++batch) {
        std::string changed = whole;
        std::fill(changed.begin() + static_cast<std::ptrdiff_t>(start_of(batch)),
                  changed.begin() + static_cast<std::ptrdiff_t>(start_of(batch + 1)), '\0');
        restore();
        open_with(changed);
        check_damaged(batch, changed);
    }
}

// Below the recovery point everything was durable: nothing there can be torn, however the end looks.
BOOST_FIXTURE_TEST_CASE(the_same_below_the_recovery_point_is_damage, tail_fixture)
{
    checkpoint();
    checkpoint_bytes = *files.content("log/checkpoint");
    BOOST_TEST(log->recovery_point().value() == 2 * batch_count);
    for (std::size_t at = start_of(batch_count - 1); at < whole.size(); ++at) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 0x20);
        restore();
        open_with(changed);
        check_damaged(batch_count - 1, changed);

        const std::string cut = whole.substr(0, at);
        restore();
        open_with(cut);
        check_damaged(batch_count - 1, cut);

        const std::string zeros = cut + std::string(whole.size() - at, '\0');
        if (zeros == whole) continue;
        restore();
        open_with(zeros);
        check_damaged(batch_count - 1, zeros);
    }
}

BOOST_FIXTURE_TEST_CASE(a_damaged_log_stays_damaged_when_it_is_opened_again, tail_fixture)
{
    std::string changed = whole;
    changed[start_of(1) + 90] ^= 1;
    open_with(changed);
    check_damaged(1, changed);
    files.crash(crash_keeps::only_durable);
    open();
    check_damaged(1, changed);
}

// Two batches of one commit cycle carry the same watermark: neither proves that the other was acknowledged.
BOOST_FIXTURE_TEST_CASE(batches_behind_that_prove_nothing_are_cut_as_well, tail_fixture)
{
    encoded_batches cycle;
    add_next(cycle, base::offset{8}, 1);
    const std::size_t second = cycle.bytes.size();
    add_next(cycle, base::offset{9}, 1);
    std::string content = whole + cycle.bytes;
    content[whole.size() + 100] ^= 1;
    open_with(content);
    BOOST_TEST(second > 100);
    BOOST_TEST(log->recovery().torn_bytes_cut == cycle.bytes.size());
    check_cut_to(batch_count);
}

// A first batch that proves nothing may be followed by one that does.
BOOST_FIXTURE_TEST_CASE(the_proof_may_stand_in_any_later_batch, tail_fixture)
{
    encoded_batches cycle;
    add_next(cycle, base::offset{8}, 1);
    add_next(cycle, base::offset{9}, 1);
    batch_content proof{base::offset{10}, base::offset{10}, 10, {value_at(10)}};
    add_batch(cycle, proof);
    std::string content = whole + cycle.bytes;
    content[whole.size() + 100] ^= 1;
    open_with(content);
    BOOST_REQUIRE(log->failure().has_value());
    BOOST_TEST(log->damages().front().from.value() == 8);
    BOOST_TEST(log->damages().front().end.value() == 9);
    BOOST_TEST(log->end().value() == 11);
    read_all();
}

// A whole batch taken out of the middle, or two that changed places: every batch is valid, the offsets are not.
BOOST_FIXTURE_TEST_CASE(a_batch_taken_out_is_damage, tail_fixture)
{
    for (std::int64_t batch = 0; batch < batch_count - 1; ++batch) {
        const std::string without = whole.substr(0, start_of(batch)) + whole.substr(start_of(batch + 1));
        restore();
        open_with(without);
        check_damaged(batch, without);
    }
}

BOOST_FIXTURE_TEST_CASE(batches_out_of_order_are_damage, tail_fixture)
{
    const std::string swapped = whole.substr(0, start_of(1)) + whole.substr(start_of(2), start_of(3) - start_of(2)) +
                                whole.substr(start_of(1), start_of(2) - start_of(1)) + whole.substr(start_of(3));
    open_with(swapped);
    BOOST_REQUIRE(log->failure().has_value());
    const log_content read = read_all();
    for (std::size_t i = 0; i < 2 * batch_count; ++i) BOOST_TEST(read.values[i].has_value() == (i < 2 || i >= 6));
}

BOOST_FIXTURE_TEST_CASE(a_repeated_batch_is_not_served_twice, tail_fixture)
{
    open_with(whole.substr(0, start_of(2)) + whole.substr(start_of(1)));
    BOOST_REQUIRE(log->failure().has_value());
    BOOST_TEST(log->end().value() == 2 * batch_count);
    read_all();
}

// Two bad stretches: each is named, and what is between them is served.
BOOST_FIXTURE_TEST_CASE(every_damaged_stretch_is_named, tail_fixture)
{
    std::string changed = whole;
    changed[start_of(0) + 20] ^= 1;
    changed[start_of(2) + 30] ^= 1;
    open_with(changed);
    BOOST_REQUIRE(log->damages().size() == 2);
    BOOST_TEST(log->damages()[0].from.value() == 0);
    BOOST_TEST(log->damages()[1].from.value() == 4);
    const log_content read = read_all();
    BOOST_TEST(!read.values[0].has_value());
    BOOST_TEST(read.values[2].has_value());
    BOOST_TEST(!read.values[4].has_value());
    BOOST_TEST(read.values[7].has_value());
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

// A record whose value is the image of two batches of some other log.
std::string image_of(std::int64_t base)
{
    encoded_batches image;
    add_batch(image, {base::offset{base}, base::offset{base}, 1, {"inner"}});
    add_batch(image, {base::offset{base + 1}, base::offset{base + 1}, 1, {"inner"}});
    return image.bytes;
}

std::string batch_with_image(std::int64_t base, std::int64_t image_base)
{
    encoded_batches outer;
    add_batch(outer, {base::offset{base}, base::offset{base}, 1, {image_of(image_base)}});
    return outer.bytes;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stored_batch_images_test)

// Someone stores a segment file as a record. Its batches are valid, but they are not evidence.
BOOST_FIXTURE_TEST_CASE(a_torn_batch_that_holds_batch_images_is_still_torn, tail_fixture)
{
    const std::string last = batch_with_image(8, 1000);
    const std::size_t header = storage::batch_layout::header_bytes;
    for (std::size_t at = header; at < header + 8; ++at) {
        std::string content = whole + last;
        content[whole.size() + at] = static_cast<char>(content[whole.size() + at] ^ 0x40);
        restore();
        open_with(content);
        check_cut_to(batch_count);
    }
    // The CRC field itself, and the end cut off.
    std::string content = whole + last;
    content[whole.size() + storage::batch_layout::crc] ^= 1;
    restore();
    open_with(content);
    check_cut_to(batch_count);
    restore();
    open_with(std::string_view{whole + last}.substr(0, whole.size() + last.size() - 1));
    check_cut_to(batch_count);
}

// The offsets of an image below the bad place never count, even when its header is gone.
BOOST_FIXTURE_TEST_CASE(images_of_older_offsets_prove_nothing, tail_fixture)
{
    std::string content = whole + batch_with_image(8, 0);
    content[whole.size()] ^= 1;
    open_with(content);
    check_cut_to(batch_count);
}

// A damaged batch that holds images, with real batches behind it: damage ends at the real one.
BOOST_FIXTURE_TEST_CASE(images_inside_damage_are_never_served, tail_fixture)
{
    encoded_batches behind;
    add_batch(behind, {base::offset{9}, base::offset{9}, 1, {value_at(9)}});
    const std::string last = batch_with_image(8, 1000);
    std::string content = whole + last + behind.bytes;
    content[whole.size() + storage::batch_layout::header_bytes + 2] ^= 1;
    open_with(content);
    BOOST_REQUIRE(log->damages().size() == 1);
    BOOST_TEST(log->damages().front().from.value() == 8);
    BOOST_TEST(log->damages().front().end.value() == 9);
    BOOST_TEST(log->end().value() == 10);
    const log_content read = read_all();
    BOOST_TEST(!read.values[8].has_value());
    BOOST_TEST(read.values[9].has_value());
}

// The header of a batch that holds images is gone, so every byte is tried: still only what carries on here is served.
BOOST_FIXTURE_TEST_CASE(images_behind_a_destroyed_header_are_never_served, tail_fixture)
{
    for (const std::int64_t image : {0, 1000}) {
        encoded_batches behind;
        add_batch(behind, {base::offset{9}, base::offset{9}, 1, {value_at(9)}});
        std::string content = whole + batch_with_image(8, image) + behind.bytes;
        content[whole.size()] ^= 1;
        restore();
        open_with(content);
        BOOST_REQUIRE(log->damages().size() == 1);
        BOOST_TEST(log->damages().front().from.value() == 8);
        BOOST_TEST(log->damages().front().end.value() == 9);
        BOOST_TEST(log->end().value() == 10);
        BOOST_TEST(read_all().values[9].has_value());
    }
}

// Images of higher offsets and nothing else behind: nobody can tell, so nothing is cut and nothing is made up.
BOOST_FIXTURE_TEST_CASE(images_that_might_be_proof_stop_the_cut, tail_fixture)
{
    std::string content = whole + batch_with_image(8, 1000);
    content[whole.size()] ^= 1;
    open_with(content);
    BOOST_REQUIRE(log->failure().has_value());
    BOOST_TEST(log->end().value() == 2 * batch_count);
    BOOST_TEST(*files.content(path) == content);
    for (const auto& value : read_all().values) BOOST_TEST(value.has_value());
}

// A length that was changed to reach over the following batches does not hide them.
BOOST_FIXTURE_TEST_CASE(a_wrong_length_does_not_hide_the_next_batch, tail_fixture)
{
    for (std::size_t byte = 1; byte < 4; ++byte) {
        std::string changed = whole;
        changed[start_of(1) + storage::batch_layout::length + byte] ^= 2;
        restore();
        open_with(changed);
        check_damaged(1, changed);
    }
}

BOOST_AUTO_TEST_SUITE_END()
