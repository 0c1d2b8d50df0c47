#include "core/storage/checkpoint.hpp"

#include "core/base/bytes.hpp"
#include "core/base/crc32c.hpp"
#include "core/storage/atomic_file.hpp"
#include "core/storage/segment_files.hpp"

namespace pystream::storage {
namespace {

constexpr std::uint32_t magic_value = 0x50534350;  // "PSCP"
constexpr std::uint16_t version_value = 1;
constexpr std::size_t file_bytes = 52;
constexpr std::size_t crc_position = file_bytes - sizeof(std::uint32_t);
constexpr std::uint16_t has_keys_flag = 1;
constexpr std::uint64_t no_position = ~std::uint64_t{0};

base::error wrong(std::string_view reason)
{
    return {base::errc::corrupt_metadata, {}, std::string{reason}};
}

}  // namespace

std::string encode_checkpoint(const checkpoint& value)
{
    std::string bytes;
    base::append_big_endian(bytes, magic_value);
    base::append_big_endian(bytes, version_value);
    base::append_big_endian<std::uint16_t>(bytes, value.has_keys ? has_keys_flag : 0);
    base::append_big_endian(bytes, value.log_start.value());
    base::append_big_endian(bytes, value.segment_base.value());
    base::append_big_endian(bytes, value.recovery_point.offset.value());
    base::append_big_endian(bytes, value.recovery_point.position);
    base::append_big_endian(bytes, value.last_batch_position.value_or(no_position));
    base::append_big_endian(bytes, base::crc32c(bytes));
    return bytes;
}

base::result<checkpoint> decode_checkpoint(std::string_view bytes)
{
    if (bytes.size() != file_bytes) return wrong("not " + std::to_string(file_bytes) + " bytes long");
    const char* const from = bytes.data();
    if (base::load_big_endian<std::uint32_t>(from) != magic_value) return wrong("no checkpoint magic");
    if (base::load_big_endian<std::uint16_t>(from + 4) != version_value) return wrong("unknown version");
    if (base::load_big_endian<std::uint32_t>(from + crc_position) != base::crc32c(bytes.substr(0, crc_position)))
        return wrong("checksum mismatch");
    const auto flags = base::load_big_endian<std::uint16_t>(from + 6);
    if ((flags & ~has_keys_flag) != 0) return wrong("unknown flags");
    checkpoint value;
    value.has_keys = (flags & has_keys_flag) != 0;
    value.log_start = base::offset{base::load_big_endian<std::int64_t>(from + 8)};
    value.segment_base = base::offset{base::load_big_endian<std::int64_t>(from + 16)};
    value.recovery_point.offset = base::offset{base::load_big_endian<std::int64_t>(from + 24)};
    value.recovery_point.position = base::load_big_endian<std::uint64_t>(from + 32);
    const auto last = base::load_big_endian<std::uint64_t>(from + 40);
    if (last != no_position) value.last_batch_position = last;
    const bool ordered = base::offset{0} <= value.segment_base && value.segment_base <= value.recovery_point.offset &&
                         base::offset{0} <= value.log_start && value.log_start <= value.recovery_point.offset;
    if (!ordered || (last != no_position && last >= value.recovery_point.position)) return wrong("fields out of order");
    return value;
}

base::result<void> write_checkpoint(io::file_system& files, const std::string& directory, const checkpoint& value)
{
    return replace_file(files, checkpoint_path(directory), encode_checkpoint(value));
}

base::result<std::optional<checkpoint>> read_checkpoint(io::file_system& files, const std::string& directory)
{
    const auto bytes = read_file(files, checkpoint_path(directory), file_bytes);
    if (!bytes && bytes.error().code == base::errc::not_found_on_disk) return std::optional<checkpoint>{};
    if (!bytes) return bytes.error();
    const auto value = decode_checkpoint(*bytes);
    if (!value) return value.error();
    return std::optional{*value};
}

}  // namespace pystream::storage
