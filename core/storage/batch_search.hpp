#pragma once

#include <optional>

#include "core/io/file_system.hpp"
#include "core/storage/batch.hpp"
#include "core/storage/place.hpp"

namespace pystream::storage {

// The first whole valid batch of offsets above `bad.offset` behind the bad place `bad`, up to file position `end`: where reading can
// go on after damage, and the evidence that tells damage from a torn tail (docs/recovery.md).
//
// A payload may hold images of batches (a segment file stored as a record). So when a sane header stands at the bad place, a batch
// inside the extent it claims counts only if it carries on exactly where that header's offsets end; without one every byte is tried.
base::result<std::optional<place>> find_batch_behind(const io::file& file, place bad, std::uint64_t end);

}  // namespace pystream::storage
