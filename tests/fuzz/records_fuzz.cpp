#include <cstdint>
#include <string>

#include "api/record_decoder.hpp"
#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/storage/batch.hpp"

// Bytes as a produce body, JSON or JSON lines: whatever is accepted makes a batch that verifies and gives back as many records,
// each with its key.

namespace {

using namespace pystream;

void store_and_read(const storage::record_set& records)
{
    if (records.empty() || storage::batch_bytes_upper_bound(records) > base::limits::batch_bytes_max) return;
    std::string bytes;
    storage::batch_stamp stamp;
    stamp.base_offset = base::offset{7};
    storage::append_batch(bytes, stamp, records);
    PYSTREAM_ASSERT(storage::verify_batch(bytes));
    storage::record_cursor cursor{bytes};
    storage::decoded_record record;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const auto more = cursor.next(record);
        PYSTREAM_ASSERT(more && *more);
        PYSTREAM_ASSERT(record.key == records.key(i));
        PYSTREAM_ASSERT(record.key || record.value);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view body{reinterpret_cast<const char*>(data), size};
    if (const auto records = api::decode_json_records(body)) store_and_read(*records);
    if (const auto records = api::decode_ndjson_records(body)) store_and_read(*records);
    return 0;
}
