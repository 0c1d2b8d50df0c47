// The storage layer used alone: make a log, append a batch durably, open the log again, read it back.
//
//   example_append_read [DIRECTORY]      without one, a temporary directory is made and removed
#include <filesystem>
#include <iostream>
#include <random>
#include <string>

#include "core/base/clock.hpp"
#include "core/base/logger.hpp"
#include "core/io/posix_file_system.hpp"
#include "core/storage/log.hpp"

namespace {

using namespace pystream;

int fail(std::string_view what, const base::error& error)
{
    std::cerr << what << ": " << base::to_string(error.code) << ' ' << error.detail << ' ' << error.internal << '\n';
    return 1;
}

base::result<void> append_greetings(storage::log& log, std::int64_t now_ns)
{
    storage::record_set records;
    records.add({.key = "user-1", .value = "hello"});
    records.add({.key = "user-2", .value = "world"});

    std::string bytes;
    storage::batch_stamp stamp;
    stamp.base_offset = log.end();
    stamp.epoch = base::leader_epoch{1};
    stamp.timestamp_ns = now_ns;
    stamp.high_watermark = log.end();
    const storage::batch_extent extent = storage::extent_of(storage::append_batch(bytes, stamp, records));
    return log.append_and_sync(std::move(bytes), {extent}, now_ns);
}

base::result<int> print_all(const storage::log& log)
{
    int count = 0;
    for (base::offset next = log.start(); next < log.end();) {
        auto read = log.prepare_read(next, log.end(), 64 * 1024).run();
        if (!read) return read.error();
        if (read->damaged) return base::error{base::errc::corrupt_record, read->damaged->reason};
        for (const storage::batch_run& run : read->runs) {
            for (std::string_view rest = run.bytes; !rest.empty();) {
                storage::record_cursor cursor{rest};
                storage::decoded_record record;
                for (auto more = cursor.next(record); more && *more; more = cursor.next(record), ++count)
                    std::cout << record.offset << ' ' << record.key.value_or("-") << ' ' << record.value.value_or("-") << '\n';
                rest.remove_prefix(storage::decode_header(rest)->length_bytes);
            }
            next = run.end;
        }
    }
    return count;
}

int run(const std::string& directory)
{
    const auto files = io::make_posix_file_system();
    base::null_logger logger;
    {
        auto log = storage::log::create(*files, directory, {}, logger);
        if (!log) return fail("create", log.error());
        if (auto done = append_greetings(**log, base::system_clock{}.wall_ns()); !done) return fail("append", done.error());
    }  // nothing is flushed here: what append_and_sync accepted is on the disk already
    auto log = storage::log::open(*files, directory, {}, logger);
    if (!log) return fail("open", log.error());
    const auto count = print_all(**log);
    if (!count) return fail("read", count.error());
    return *count == 2 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc > 1) return run(argv[1]);
    const auto directory =
        std::filesystem::temp_directory_path() / ("pystream-example-" + std::to_string(std::random_device{}()));
    const int status = run(directory.string());
    std::filesystem::remove_all(directory);
    return status;
}
