#include "core/storage/recovery.hpp"

#include <algorithm>
#include <chrono>

#include "core/base/limits.hpp"
#include "core/storage/active_scan.hpp"
#include "core/storage/atomic_file.hpp"
#include "core/storage/checkpoint.hpp"
#include "core/storage/checkpoint_plan.hpp"
#include "core/storage/read_plan.hpp"
#include "core/storage/segment_files.hpp"

namespace pystream::storage {
namespace {

using steady = std::chrono::steady_clock;

class recovery {
public:
    recovery(io::file_system& files, std::string directory, log_options options, base::logger& logger)
        : files_(files), logger_(logger), state_(std::make_unique<log_state>(files, std::move(directory), options, logger))
    {
    }

    base::result<std::unique_ptr<log_state>> run()
    {
        const auto began = steady::now();
        if (auto listed = read_directory(); !listed) return listed.error();
        if (auto read = load_checkpoint(); !read) return read.error();
        if (bases_.empty() && !checkpoint_)
            return base::error{base::errc::not_found_on_disk, "the log has no files", directory()};
        if (auto opened = open_segments(); !opened) return opened.error();
        if (state_->active.file)
            if (auto recovered = recover_active(); !recovered) return recovered.error();
        if (auto found = find_last_batch(); !found) return found.error();
        state_->report.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(steady::now() - began).count();
        log_outcome();
        return std::move(state_);
    }

private:
    const std::string& directory() const noexcept { return state_->directory; }

    // Own files by name; everything else in the directory is not ours to judge. Our unfinished temporary files go.
    base::result<void> read_directory()
    {
        const auto entries = files_.list(directory());
        if (!entries) return entries.error();
        for (const io::directory_entry& entry : *entries) {
            if (entry.kind != io::entry_kind::file) continue;
            if (const auto base = parse_segment_name(entry.name))
                bases_.push_back(*base);
            else if (entry.name.ends_with(temporary_suffix))
                (void)files_.remove(directory() + "/" + entry.name);
        }
        return {};
    }

    // A checkpoint that does not validate is as good as none: everything is derived from the segments again, and without a
    // recovery point nothing but zeros is ever cut.
    base::result<void> load_checkpoint()
    {
        auto read = read_checkpoint(files_, directory());
        if (read) {
            checkpoint_ = *read;
        } else if (read.error().code != base::errc::corrupt_metadata) {
            return read.error();
        }
        if (!checkpoint_)
            logger_.write(base::severity::warning, "checkpoint_lost",
                          {{"path", checkpoint_path(directory())}, {"reason", read ? "missing" : read.error().internal}});
        return {};
    }

    base::result<void> open_segments()
    {
        state_->start = checkpoint_ ? checkpoint_->log_start : bases_.front();
        const bool newest_is_missing = checkpoint_ && (bases_.empty() || bases_.back() < checkpoint_->segment_base);
        state_->active.base = newest_is_missing ? checkpoint_->segment_base : bases_.back();
        for (const base::offset base : bases_) {
            if (base == state_->active.base) continue;
            const auto file = files_.open(segment_path(directory(), base), io::open_mode::read);
            if (!file) return file.error();
            const auto bytes = (*file)->size();
            if (!bytes) return bytes.error();
            state_->sealed.push_back({base, *bytes, count_index_entries(base)});
        }
        const base::offset first = state_->sealed.empty() ? state_->active.base : state_->sealed.front().base;
        if (first > state_->start)
            add_damage({state_->start, first, segment_path(directory(), state_->start), 0, "segment files are missing"});
        if (newest_is_missing) {
            state_->end = state_->recovery_point = checkpoint_->recovery_point.offset;
            add_damage({state_->active.base, state_->end, segment_path(directory(), state_->active.base), 0,
                        "the newest segment file is missing"});
            return {};
        }
        auto file = files_.open(segment_path(directory(), state_->active.base), io::open_mode::read_write);
        if (!file) return file.error();
        state_->active.file = std::move(*file);
        return {};
    }

    // For status only, so as the file's size has it.
    std::uint64_t count_index_entries(base::offset base)
    {
        const auto file = files_.open(index_path(directory(), base), io::open_mode::read);
        if (!file) return 0;
        const auto bytes = (*file)->size();
        if (!bytes || *bytes < index_layout::header_bytes) return 0;
        return (*bytes - index_layout::header_bytes) / index_layout::entry_bytes;
    }

    base::result<void> recover_active()
    {
        const auto bytes = state_->active.file->size();
        if (!bytes) return bytes.error();
        begin_ = floor();
        batch_tally known;
        bool resumed =
            checkpoint_ &&
            *checkpoint_ == checkpoint{state_->start, state_->active.base, {0, state_->active.base}, {}, checkpoint_->has_keys};
        if (begin_.position > 0) {
            auto tally = resume(*bytes);
            if (!tally) return tally.error();
            resumed = tally->has_value();
            if (resumed) known = std::move(**tally);
        }
        const place scan_from = resumed ? begin_ : place{0, state_->active.base};
        auto scan = scan_active(*state_->active.file, scan_from, std::move(known), *bytes);
        if (!scan) return scan.error();
        state_->report.bytes_scanned = scan->bytes_read;

        const verdict found = judge(*scan, checkpoint_ ? std::optional{begin_.offset} : std::nullopt);
        adopt(*scan, found);
        if (found == verdict::damaged) return keep_damaged(*scan);
        if (resumed && *bytes == begin_.position) return {};  // as the checkpoint left it: nothing to write
        return make_whole(*scan);
    }

    // Everything below it in the active segment was durable at some time: the recovery point, or the segment's beginning, because a
    // segment is made only after its predecessor was synced.
    place floor() const
    {
        if (checkpoint_ && checkpoint_->segment_base == state_->active.base) return checkpoint_->recovery_point;
        return {0, state_->active.base};
    }

    // What the checkpoint and the index file say of the part below the recovery point, if the batch that ends there is what it should be.
    base::result<std::optional<batch_tally>> resume(std::uint64_t file_bytes)
    {
        std::optional<batch_tally> none;
        if (!checkpoint_->last_batch_position || file_bytes < begin_.position) return none;
        const std::uint64_t last = *checkpoint_->last_batch_position;
        std::string bytes(
            static_cast<std::size_t>(std::min<std::uint64_t>(begin_.position - last, base::limits::batch_bytes_max)), '\0');
        const auto count = state_->active.file->read_at(last, bytes);
        if (!count) return count.error();
        const auto header = verify_batch({bytes.data(), *count});
        if (!header || header->end() != begin_.offset || last + header->length_bytes != begin_.position) return none;
        const auto file = read_file(files_, index_path(directory(), state_->active.base), index_file_bytes_max);
        if (!file) return none;
        auto index = sparse_index::decode(*file, state_->active.base, begin_.position);
        if (!index) return none;
        return std::optional{
            batch_tally{std::move(*index), extent_of(*header), last, header->high_watermark, checkpoint_->has_keys}};
    }

    void adopt(active_scan& scan, verdict found)
    {
        const bool cut = found == verdict::torn_tail;
        batch_tally& tally = cut ? scan.whole : scan.all;
        const place end = cut ? *scan.first_invalid() : scan.end;
        state_->active.bytes = end.position;
        state_->active.index = std::move(tally.index);
        state_->active.last_batch_position = tally.last_position;
        state_->last_batch = tally.last;
        state_->recorded_high_watermark = tally.high_watermark;
        // What was sealed since the checkpoint is not read, so nobody knows: then it is better to ask once too often.
        const bool knows_sealed = state_->sealed.empty() || (checkpoint_ && checkpoint_->segment_base == state_->active.base);
        state_->has_keys = tally.has_keys || !knows_sealed || (checkpoint_ && checkpoint_->has_keys);
        state_->end = std::max(end.offset, begin_.offset);
        state_->recovery_point = begin_.offset;
    }

    base::result<void> keep_damaged(const active_scan& scan)
    {
        const std::string& path = state_->active.file->path();
        std::uint64_t valid_from = begin_.position;
        for (const segment_gap& gap : scan.gaps) {
            add_damage({gap.from.offset, gap.end.offset, path, gap.from.position, gap.reason});
            if (auto written = rewrite(valid_from, gap.from.position); !written) return written;
            valid_from = std::max(begin_.position, gap.end.position);
        }
        if (auto written = rewrite(valid_from, scan.end.position); !written) return written;
        const std::string fault = scan.fault.empty() ? "the segment ends early" : scan.fault;
        if (scan.gaps.empty() || scan.end.offset < begin_.offset)
            add_damage({scan.end.offset, state_->end, path, scan.end.position, fault});
        return state_->active.file->sync_data();
    }

    base::result<void> make_whole(const active_scan& scan)
    {
        io::file& file = *state_->active.file;
        if (scan.file_bytes > state_->active.bytes)
            if (auto cut = file.truncate(state_->active.bytes); !cut) return cut;
        if (auto written = rewrite(begin_.position, state_->active.bytes); !written) return written;
        checkpoint_plan plan = plan_checkpoint(*state_);
        if (auto saved = run_checkpoint(plan); !saved) return saved;  // syncs the segment and its entry first
        state_->recovery_point = state_->end;
        if (scan.file_bytes > state_->active.bytes) log_cut(scan);
        return {};
    }

    // Bytes whose sync failed or never came may exist in the page cache only, and look clean there: written again they are on their way.
    base::result<void> rewrite(std::uint64_t from, std::uint64_t end)
    {
        std::string piece;
        while (from < end) {
            piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(base::limits::mebibyte, end - from)));
            const auto count = state_->active.file->read_at(from, piece);
            if (!count) return count.error();
            if (*count != piece.size())
                return base::error{
                    base::errc::io_failed, {}, state_->active.file->path() + " became shorter while it was recovered"};
            if (auto written = state_->active.file->write_at(from, piece); !written) return written;
            from += piece.size();
            state_->report.bytes_rewritten += piece.size();
        }
        return {};
    }

    // The newest segment may still be empty; then the last batch is in the one before.
    base::result<void> find_last_batch()
    {
        if (state_->last_batch || state_->sealed.empty() || !state_->active.file) return {};
        const sealed_segment& before = state_->sealed.back();
        read_plan plan;
        plan.files = &files_;
        plan.directory = directory();
        plan.segments.push_back({before.base, state_->active.base, nullptr, before.bytes, {}});
        plan.from = state_->active.base + -1;
        plan.limit = state_->active.base;
        plan.bytes_max = 1;
        const auto read = run_read(plan);
        if (!read) return read.error();
        if (read->runs.empty()) return {};
        const auto header = decode_header(read->runs.front().bytes);
        state_->last_batch = extent_of(*header);
        state_->recorded_high_watermark = header->high_watermark;
        return {};
    }

    void add_damage(damage found)
    {
        base::error error{base::errc::corrupt_record, "the log is damaged before acknowledged records",
                          found.path + " at " + std::to_string(found.position) + ": " + found.reason};
        error.offset = found.from.value();
        if (!state_->failure) state_->failure = std::move(error);
        logger_.write(base::severity::error, "log_damaged",
                      {{"path", found.path},
                       {"position", found.position},
                       {"offset", found.from.value()},
                       {"end", found.end.value()},
                       {"reason", found.reason}});
        if (found.from < found.end) state_->damages.push_back(std::move(found));
    }

    void log_cut(const active_scan& scan)
    {
        const std::uint64_t bytes = scan.file_bytes - state_->active.bytes;
        state_->report.torn_bytes_cut = bytes;
        const bool zeros = scan.gaps.empty() && scan.zero_tail;
        logger_.write(zeros ? base::severity::info : base::severity::warning, zeros ? "zero_tail_cut" : "torn_tail_cut",
                      {{"path", state_->active.file->path()}, {"offset", state_->end.value()}, {"bytes", bytes}});
    }

    void log_outcome()
    {
        const recovery_report& report = state_->report;
        logger_.write(base::severity::debug, "log_recovered",
                      {{"path", directory()},
                       {"start", state_->start.value()},
                       {"end", state_->end.value()},
                       {"bytes_scanned", report.bytes_scanned},
                       {"bytes_rewritten", report.bytes_rewritten},
                       {"duration_ms", report.duration_ms}});
    }

    static constexpr std::size_t index_file_bytes_max =
        index_layout::header_bytes +
        (2 * base::limits::segment_bytes_max / base::limits::index_interval_bytes) * index_layout::entry_bytes;

    io::file_system& files_;
    base::logger& logger_;
    std::unique_ptr<log_state> state_;
    std::vector<base::offset> bases_;  // of the segment files found, ascending
    std::optional<checkpoint> checkpoint_;
    place begin_;
};

}  // namespace

base::result<std::unique_ptr<log_state>> recover_log(io::file_system& files, std::string directory, log_options options,
                                                     base::logger& logger)
{
    return recovery{files, std::move(directory), options, logger}.run();
}

}  // namespace pystream::storage
