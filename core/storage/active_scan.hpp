#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/storage/log.hpp"
#include "core/storage/segment_walker.hpp"
#include "core/storage/sparse_index.hpp"

namespace pystream::storage {

// What a stretch of valid batches tells.
struct batch_tally {
    sparse_index index;
    std::optional<batch_extent> last;
    std::optional<std::uint64_t> last_position;
    base::offset high_watermark;  // the highest recorded one
    bool has_keys = false;
    void add(const scanned_batch& batch);
};

// What recovery finds in the newest segment.
struct active_scan {
    batch_tally whole;              // up to the first invalid place
    batch_tally all;                // every valid batch, also those behind bad stretches
    std::vector<segment_gap> gaps;  // bad stretches with valid batches behind them
    place end;                      // behind the last valid batch
    std::string fault;              // what is wrong there; empty when the file ends there
    bool stray_proof = false;       // a valid batch off the way proves that first_invalid() was acknowledged
    bool zero_tail = false;         // only zeros stand there: blocks written ahead, or a size that came before its bytes
    std::uint64_t file_bytes = 0;
    std::uint64_t bytes_read = 0;

    // The first place where something is wrong; nullopt when all of the file is valid batches.
    std::optional<place> first_invalid() const;
};

// Scans from `begin`, where `known` tells what stands before it. Reads everything behind `begin` once.
base::result<active_scan> scan_active(const io::file& file, place begin, batch_tally known, std::uint64_t file_bytes);

enum class verdict : std::uint8_t {
    whole,      // nothing is wrong
    torn_tail,  // what is wrong was never acknowledged: cut at first_invalid()
    damaged,    // acknowledged records are not readable: touch nothing
};

// The decision, docs/recovery.md. `recovery_point` is unknown when the checkpoint was lost.
verdict judge(const active_scan& scan, std::optional<base::offset> recovery_point);

}  // namespace pystream::storage
