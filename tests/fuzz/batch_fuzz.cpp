#include <cstdint>
#include <string>

#include "core/base/assert.hpp"
#include "core/base/bytes.hpp"
#include "core/base/crc32c.hpp"
#include "core/storage/batch.hpp"

// Bytes as a record batch: whatever verify_batch accepts is walked to its end without an error. The checksum is put right first,
// or nothing behind it would ever be reached.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace pystream;
    using layout = storage::batch_layout;
    std::string bytes{reinterpret_cast<const char*>(data), size};
    if (const auto header = storage::decode_header(bytes); header && header->length_bytes <= bytes.size()) {
        const auto covered = std::string_view{bytes}.substr(layout::attributes, header->length_bytes - layout::attributes);
        base::store_big_endian(bytes.data() + layout::crc, base::crc32c(covered));
    }
    const auto header = storage::verify_batch(bytes);
    if (!header) return 0;
    storage::record_cursor cursor{bytes};
    storage::decoded_record record;
    std::uint32_t count = 0;
    while (true) {
        const auto more = cursor.next(record);
        PYSTREAM_ASSERT(more);
        if (!*more) break;
        PYSTREAM_ASSERT(record.offset >= header->base_offset && record.offset < header->end());
        ++count;
    }
    PYSTREAM_ASSERT(count == header->record_count);
    return 0;
}
