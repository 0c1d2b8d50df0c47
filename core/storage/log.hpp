#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/ids.hpp"
#include "core/base/logger.hpp"
#include "core/io/file_system.hpp"
#include "core/storage/batch.hpp"

// The log of one partition on one broker: segments, sparse index, recovery point.
//
// Owner and threads: one thread (the loop) owns the log and calls everything but the run() of jobs. A job carries all that
// it touches (shared file handles, bytes) to a worker, which calls run(), and comes back to complete_*(). At most one append
// job of a log exists at a time; read jobs may overlap with it and with each other.

namespace pystream::storage {

struct log_options {
    std::uint64_t segment_bytes = 1ULL << 30;  // roll before a segment would exceed this
    std::int64_t segment_ms = 0;               // roll when the active segment's first record is older; 0 = never
};

// A stretch of offsets that cannot be served, found by recovery or by a read. Never repaired by guessing.
struct damage {
    base::offset from;
    base::offset end;
    std::string path;        // of the segment file
    std::uint64_t position;  // in it
    std::string reason;
};

// What recovery did, for the log file and for status.
struct recovery_report {
    std::uint64_t bytes_scanned = 0;
    std::uint64_t torn_bytes_cut = 0;
    std::uint64_t bytes_rewritten = 0;
    std::int64_t duration_ms = 0;
};

// Where one batch of an append stands, so that the index need not decode it again.
struct batch_extent {
    base::offset base;
    base::offset end;
    std::uint32_t length_bytes = 0;
    std::int64_t max_timestamp_ns = 0;
    base::leader_epoch epoch;
    std::uint32_t crc = 0;
    bool has_keys = false;
};

// Of a batch that append_batch has just made.
inline batch_extent extent_of(const batch_header& header)
{
    const bool has_keys = (header.attributes & batch_attributes::has_keys) != 0;
    return {header.base_offset, header.end(), header.length_bytes, header.max_timestamp_ns, header.epoch, header.crc, has_keys};
}

struct segment_info {
    base::offset base;
    std::uint64_t bytes = 0;
    std::uint64_t index_entries = 0;
};

struct log_state;        // implementation
struct append_plan;      // implementation
struct read_plan;        // implementation
struct checkpoint_plan;  // implementation

// Bytes on their way to the disk.
class append_job {
public:
    append_job(append_job&&) noexcept;
    append_job& operator=(append_job&&) noexcept;
    ~append_job();
    // Worker: writes the bytes (rolling segments as planned) without making them durable, except that a new
    // segment's directory entry is synced and a segment that was left behind is synced. On disk_full, too_many_open_files and
    // read_only everything is cut back to where the job began; io_failed means that the file's content is unknown.
    base::result<void> run();
    // Worker, after a successful run(): the file that must be synced before anything is acknowledged.
    const std::shared_ptr<io::file>& file_to_sync() const noexcept;
    std::uint64_t bytes() const noexcept;

private:
    friend class log;
    explicit append_job(std::unique_ptr<append_plan> plan);
    std::unique_ptr<append_plan> plan_;
};

struct read_outcome {
    std::vector<batch_run> runs;    // contiguous, the first one holds `from` unless damage stands there
    std::optional<damage> damaged;  // the first damage met; `runs` end before it
    std::uint64_t bytes_read = 0;
};

class read_job {
public:
    read_job(read_job&&) noexcept;
    read_job& operator=(read_job&&) noexcept;
    ~read_job();
    // Worker: reads and verifies whole batches. An error is io_failed or too_many_open_files; bad bytes are in `damaged`.
    base::result<read_outcome> run();

private:
    friend class log;
    explicit read_job(std::unique_ptr<read_plan> plan);
    std::unique_ptr<read_plan> plan_;
};

// First offset whose timestamp is at or above a point in time; same two steps.
class time_job {
public:
    time_job(time_job&&) noexcept;
    time_job& operator=(time_job&&) noexcept;
    ~time_job();
    base::result<std::optional<base::offset>> run();  // nullopt: none below the limit

private:
    friend class log;
    time_job(std::unique_ptr<read_plan> plan, std::int64_t timestamp_ns);
    std::unique_ptr<read_plan> plan_;
    std::int64_t timestamp_ns_;
};

// Moves the recovery point when a log has fallen quiet and at a clean stop.
class checkpoint_job {
public:
    checkpoint_job(checkpoint_job&&) noexcept;
    checkpoint_job& operator=(checkpoint_job&&) noexcept;
    ~checkpoint_job();
    base::result<void> run();

private:
    friend class log;
    explicit checkpoint_job(std::unique_ptr<checkpoint_plan> plan);
    std::unique_ptr<checkpoint_plan> plan_;
};

class log {
public:
    // Blocking. Makes `directory` (its parent exists) with an empty first segment; all of it, and the entry in the parent,
    // is durable on return. A half-made directory from an earlier try (no segment with bytes in it) is taken over.
    static base::result<std::unique_ptr<log>> create(io::file_system& files, std::string directory, log_options options,
                                                     base::logger& logger);
    // Blocking. Recovery as docs/recovery.md describes it: scans above the recovery point, cuts a torn tail, writes the bytes above
    // the recovery point again and syncs them, rebuilds indexes. With damage before acknowledged data the log opens all the same,
    // read-only: failure() says why. An error: the directory cannot be used at all.
    static base::result<std::unique_ptr<log>> open(io::file_system& files, std::string directory, log_options options,
                                                   base::logger& logger);
    ~log();

    base::offset start() const noexcept;  // first offset kept
    base::offset end() const noexcept;    // behind the last batch that was completed (durable, or written in relaxed mode)
    base::offset recorded_high_watermark() const noexcept;  // the highest one that any batch seen by recovery records
    std::optional<batch_extent> last_batch() const noexcept;
    std::int64_t last_timestamp_ns() const noexcept;
    // Whether any record ever appended has a key: from the checkpoint file, the recovery scan and the appends since
    // (batch_attributes::has_keys). Growing a topic asks, since more partitions send a key elsewhere.
    bool has_keys() const noexcept;
    const std::vector<damage>& damages() const noexcept;
    const recovery_report& recovery() const noexcept;
    // Set when the log takes no more writes until it is opened again.
    const std::optional<base::error>& failure() const noexcept;
    std::uint64_t size_bytes() const noexcept;
    std::vector<segment_info> segments() const;
    void set_options(log_options options) noexcept;

    // Takes encoded, contiguous batches that continue at end(). `now_ns` is for rolling by age.
    // Precondition: no failure(), no append job out.
    append_job prepare_append(std::string bytes, std::vector<batch_extent> extents, std::int64_t now_ns);
    // `synced` is the outcome of run() or, if that went well, of making file_to_sync() durable. On success end() moves and the bytes
    // come back for the tail cache. On disk_full, too_many_open_files and read_only the log is as before; on anything else failure() is set.
    base::result<std::shared_ptr<const std::string>> complete_append(append_job job, const base::result<void>& outcome);

    // Reads batches from the one that holds `from` up to `limit` (exclusive, <= end()), stopping once `bytes_max` is reached; at least one
    // batch. Precondition: start() <= from < limit.
    read_job prepare_read(base::offset from, base::offset limit, std::size_t bytes_max) const;
    // Remembers damage that a read found, once, with a log line.
    void note_damage(const damage& found);
    time_job prepare_time_lookup(std::int64_t timestamp_ns, base::offset limit) const;

    // Moves the recovery point to end(): run() syncs the active segment, writes its index and the recovery point, all durable when it
    // succeeds. Precondition: no failure(), no append job and no checkpoint job out (and none is prepared before this one is complete).
    checkpoint_job prepare_checkpoint();
    void complete_checkpoint(checkpoint_job job, const base::result<void>& outcome);  // an error of a sync sets failure()
    base::offset recovery_point() const noexcept;

    // prepare, run, sync, complete in one: for tools, examples and tests.
    base::result<void> append_and_sync(std::string bytes, std::vector<batch_extent> extents, std::int64_t now_ns);

private:
    explicit log(std::unique_ptr<log_state> state);
    std::unique_ptr<log_state> state_;
};

}  // namespace pystream::storage
