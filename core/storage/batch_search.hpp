#pragma once

#include <optional>

#include "core/io/file_system.hpp"
#include "core/storage/batch.hpp"
#include "core/storage/place.hpp"

namespace pystream::storage {

struct search_outcome {
    std::optional<place> next;  // where reading can go on
    // A valid batch was met whose watermark says that `bad.offset` was acknowledged, though it does not carry on here.
    bool proof = false;
};

// Looks behind the bad place `bad`, up to file position `end`, for the first whole valid batch of offsets above `bad.offset`: where reading
// can go on after damage, and the evidence that tells damage from a torn tail (docs/recovery.md).
//
// A payload may hold images of batches (a segment file stored as a record). So when a sane header stands at the bad place, a batch
// inside the extent it claims counts only if it carries on exactly where that header's offsets end. Without one every byte is tried, and
// reading goes on only at a batch whose offsets can have come about in the bytes between, or from which whole batches reach to `end`.
base::result<search_outcome> find_batch_behind(const io::file& file, place bad, std::uint64_t end);

}  // namespace pystream::storage
