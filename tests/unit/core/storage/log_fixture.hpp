#pragma once

#include <boost/test/unit_test.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/storage/log.hpp"
#include "core/storage/segment_files.hpp"
#include "tests/support/simulated_file_system.hpp"

namespace pystream::tests {

// Keeps the names of events, so that a test can ask what was reported.
class event_log final : public base::logger {
public:
    bool enabled(base::severity) const noexcept override { return true; }
    void write(base::severity, std::string_view event, std::initializer_list<base::log_field>) noexcept override
    {
        events.emplace_back(event);
    }
    bool has(std::string_view event) const
    {
        for (const std::string& known : events)
            if (known == event) return true;
        return false;
    }
    std::vector<std::string> events;
};

struct encoded_batches {
    std::string bytes;
    std::vector<storage::batch_extent> extents;
};

struct batch_content {
    base::offset base;
    base::offset high_watermark;
    std::int64_t timestamp_ns = 0;
    std::vector<std::string> values;
};

inline void add_batch(encoded_batches& out, const batch_content& content)
{
    storage::record_set records;
    for (const std::string& value : content.values) records.add({.value = value});
    storage::batch_stamp stamp;
    stamp.base_offset = content.base;
    stamp.epoch = base::leader_epoch{1};
    stamp.timestamp_ns = content.timestamp_ns;
    stamp.high_watermark = content.high_watermark;
    out.extents.push_back(storage::extent_of(storage::append_batch(out.bytes, stamp, records)));
}

// What a log gives back: one value an offset, nothing where it said damaged.
struct log_content {
    std::vector<std::optional<std::string>> values;  // from log start
    std::vector<storage::damage> damages;
};

// A log on the simulated disk. Every record's value is known, so whatever is read back can be compared.
class log_fixture {
public:
    explicit log_fixture(std::uint64_t seed = 1) : files(seed) {}

    void create()
    {
        auto made = storage::log::create(files, directory, options, events);
        BOOST_REQUIRE_MESSAGE(made, "create: " << (made ? "" : made.error().internal));
        log = std::move(*made);
    }

    base::result<void> try_open()
    {
        log.reset();
        auto opened = storage::log::open(files, directory, options, events);
        if (!opened) return opened.error();
        log = std::move(*opened);
        return {};
    }

    void open()
    {
        const auto opened = try_open();
        BOOST_REQUIRE_MESSAGE(opened, "open: " << (opened ? "" : opened.error().internal));
    }

    // As long for one offset as for another, so that batches of as many records are of one size.
    std::string value_at(std::int64_t offset) const
    {
        std::string digits = std::to_string(offset);
        digits.insert(0, 6 - digits.size(), '0');
        const auto attempt = attempts.find(offset);
        return "value-" + digits + "-" + std::to_string(attempt == attempts.end() ? 0 : attempt->second) +
               std::string(value_bytes, static_cast<char>('a' + offset % 26));
    }

    // One batch of `count` records that continues the log; its timestamp is the base offset in milliseconds.
    encoded_batches next_batch(std::size_t count = 1) const
    {
        encoded_batches out;
        add_next(out, log->end(), count);
        return out;
    }

    void add_next(encoded_batches& out, base::offset at, std::size_t count) const
    {
        batch_content content{at, log->end(), at.value() * 1'000'000, {}};
        for (std::size_t i = 0; i < count; ++i) content.values.push_back(value_at(at.value() + static_cast<std::int64_t>(i)));
        add_batch(out, content);
    }

    base::result<void> try_append(std::size_t count = 1)
    {
        encoded_batches batch = next_batch(count);
        return log->append_and_sync(std::move(batch.bytes), std::move(batch.extents), log->end().value() * 1'000'000);
    }

    void append(std::size_t batches = 1, std::size_t records = 1)
    {
        for (std::size_t i = 0; i < batches; ++i) {
            const auto done = try_append(records);
            BOOST_REQUIRE_MESSAGE(done, "append: " << (done ? "" : done.error().internal));
        }
    }

    void checkpoint()
    {
        storage::checkpoint_job job = log->prepare_checkpoint();
        auto done = job.run();
        BOOST_REQUIRE(done);
        log->complete_checkpoint(std::move(job), std::move(done));
    }

    std::string active_path() const { return storage::segment_path(directory, log->segments().back().base); }

    // Reads everything, stepping over damage; fails when what comes back is not what was appended at that offset.
    log_content read_all(std::size_t bytes_max = 1 << 16) const
    {
        log_content content;
        content.values.resize(static_cast<std::size_t>(log->end() - log->start()));
        for (base::offset next = log->start(); next < log->end();) {
            const auto read = log->prepare_read(next, log->end(), bytes_max).run();
            BOOST_REQUIRE_MESSAGE(read, "read: " << (read ? "" : read.error().internal));
            const base::offset before = next;
            for (const storage::batch_run& run : read->runs) next = take(run, next, content);
            if (read->damaged) {
                BOOST_REQUIRE(read->damaged->from <= next && next < read->damaged->end);
                content.damages.push_back(*read->damaged);
                next = read->damaged->end;
            }
            BOOST_REQUIRE_MESSAGE(next > before, "a read at " << before << " gave nothing");
        }
        return content;
    }

    // All offsets below `end` are there, intact.
    void check_whole(std::int64_t end) const
    {
        BOOST_TEST(!log->failure().has_value());
        BOOST_TEST(log->end().value() == end);
        const log_content content = read_all();
        BOOST_TEST(content.damages.empty());
        for (const auto& value : content.values) BOOST_TEST(value.has_value());
    }

    simulated_file_system files;
    std::string directory = "log";
    storage::log_options options;
    event_log events;
    std::size_t value_bytes = 20;
    std::map<std::int64_t, int>
        attempts;  // by offset, for tests that write one more than once: the last one is what must be read
    std::unique_ptr<storage::log> log;

private:
    base::offset take(const storage::batch_run& run, base::offset next, log_content& content) const
    {
        BOOST_REQUIRE(run.base <= next && next < run.end);
        base::offset expected = run.base;
        for (std::string_view rest = run.bytes; !rest.empty();) {
            const auto header = storage::verify_batch(rest);
            BOOST_REQUIRE(header);
            BOOST_REQUIRE_EQUAL(header->base_offset, expected);
            storage::record_cursor cursor{rest};
            storage::decoded_record record;
            for (auto more = cursor.next(record); more && *more; more = cursor.next(record), expected = expected + 1) {
                BOOST_REQUIRE_EQUAL(record.offset, expected);
                BOOST_REQUIRE_EQUAL(std::string{*record.value}, value_at(expected.value()));
                content.values[static_cast<std::size_t>(expected - log->start())] = std::string{*record.value};
            }
            rest.remove_prefix(header->length_bytes);
        }
        BOOST_REQUIRE_EQUAL(expected, run.end);
        return run.end;
    }
};

}  // namespace pystream::tests
