#include <cstdint>
#include <string_view>

#include "core/base/assert.hpp"
#include "core/cluster/metadata_store.hpp"
#include "core/groups/offset_records.hpp"

// Bytes as cluster.meta, as one row, and as the key and value of a committed offset: whatever is accepted is written back to
// something that means the same.

namespace {

using namespace pystream;

void as_file(std::string_view bytes)
{
    const auto rows = cluster::decode_metadata_file(bytes);
    if (!rows) return;
    const std::string written = cluster::encode_metadata_file(*rows);
    const auto again = cluster::decode_metadata_file(written);
    PYSTREAM_ASSERT(again && cluster::encode_metadata_file(*again) == written);
    (void)cluster::decode_metadata(rows->rows);
}

// The first line is the key, the rest the value.
void as_row(std::string_view bytes)
{
    const std::size_t line = bytes.find('\n');
    if (line == bytes.npos) return;
    const std::string key{bytes.substr(0, line)};
    const std::vector<cluster::row> rows{{"cluster", 1, cluster::encode_cluster(std::string(32, '1'))},
                                         {key, 1, std::string{bytes.substr(line + 1)}}};
    const auto decoded = cluster::decode_metadata(rows);
    if (!decoded) return;
    for (const auto& [id, broker] : decoded->brokers) PYSTREAM_ASSERT(cluster::broker_key(id) == key);
}

void as_committed_offset(std::string_view bytes)
{
    if (const auto key = groups::decode_key(bytes)) PYSTREAM_ASSERT(groups::encode_key(*key) == bytes);
    if (const auto value = groups::decode_value(bytes)) PYSTREAM_ASSERT(groups::encode_value(*value) == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes{reinterpret_cast<const char*>(data), size};
    as_file(bytes);
    as_row(bytes);
    as_committed_offset(bytes);
    return 0;
}
