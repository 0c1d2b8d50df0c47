#pragma once

#include <string>
#include <vector>

#include "core/storage/batch_scanner.hpp"

namespace pystream::storage {

// A bad stretch between two valid ones of a segment.
struct segment_gap {
    place from;
    place end;
    std::string reason;
};

// Walks a segment file like batch_scanner but goes on behind bad stretches, as far as valid batches follow.
class segment_walker {
public:
    segment_walker(const io::file& file, place from, std::uint64_t end) : file_(&file), end_(end), scanner_(file, from, end) {}

    // nullopt: no valid batch follows any more.
    base::result<std::optional<scanned_batch>> next();
    const std::vector<segment_gap>& gaps() const noexcept { return gaps_; }
    // Behind the last valid batch, and what stands there; empty when it is the end of the stretch.
    const place& at() const noexcept { return scanner_.at(); }
    const std::string& fault() const noexcept { return scanner_.fault(); }
    // A valid batch off the way proves that the first bad place was acknowledged.
    bool stray_proof() const noexcept { return stray_proof_; }
    std::uint64_t bytes_read() const noexcept { return bytes_read_ + scanner_.bytes_read(); }

private:
    const io::file* file_;
    std::uint64_t end_;
    batch_scanner scanner_;
    std::vector<segment_gap> gaps_;
    std::uint64_t bytes_read_ = 0;
    bool stray_proof_ = false;
};

}  // namespace pystream::storage
