#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/io/file_system.hpp"
#include "core/storage/batch.hpp"
#include "core/storage/place.hpp"

namespace pystream::storage {

struct scanned_batch {
    std::uint64_t position = 0;
    batch_header header;
    std::string_view bytes;  // until the scanner's next call
};

// Walks a stretch of one segment file batch by batch, verifying each and that offsets go on without a gap. Reads in large
// pieces; memory is bounded by the largest batch.
class batch_scanner {
public:
    // From the batch at `from` up to file position `end`. `file` must outlive the scanner.
    batch_scanner(const io::file& file, place from, std::uint64_t end) : file_(&file), at_(from), end_(end) {}

    // The next batch; nullopt at `end` or where no valid batch with the offset expected stands: then fault() says what is wrong. An
    // error only for a failing read.
    base::result<std::optional<scanned_batch>> next();
    // Where the next batch should begin.
    const place& at() const noexcept { return at_; }
    const std::string& fault() const noexcept { return fault_; }  // empty: the stretch ended well
    std::uint64_t bytes_read() const noexcept { return bytes_read_; }

private:
    // The file from at_ on, at least `bytes` of it unless the stretch is shorter.
    base::result<std::string_view> peek(std::size_t bytes);

    const io::file* file_;
    place at_;
    std::uint64_t end_;
    std::string buffer_;
    std::uint64_t buffer_position_ = 0;
    std::uint64_t bytes_read_ = 0;
    std::string fault_;
};

}  // namespace pystream::storage
