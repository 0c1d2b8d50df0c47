#include "core/groups/offset_records.hpp"

#include <algorithm>
#include <array>

#include "core/base/bytes.hpp"
#include "core/base/limits.hpp"

namespace pystream::groups {
namespace {

namespace limits = base::limits;

constexpr std::uint8_t format_version = 1;
constexpr std::int32_t no_metadata = -1;

base::error corrupt(std::string reason)
{
    return {base::errc::corrupt_record, {}, std::move(reason)};
}

// Takes fields off the front. After one that is not there every further one is empty, and complete() is false.
class reader {
public:
    explicit reader(std::string_view bytes) : rest_(bytes) {}

    std::string_view bytes(std::size_t count)
    {
        if (short_ || rest_.size() < count) {
            short_ = true;
            return {};
        }
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }
    template <class Integer>
    Integer integer()
    {
        const std::string_view taken = bytes(sizeof(Integer));
        return taken.empty() ? Integer{0} : base::load_big_endian<Integer>(taken.data());
    }
    bool complete() const { return !short_ && rest_.empty(); }

private:
    std::string_view rest_;
    bool short_ = false;
};

base::topic_id to_topic_id(std::string_view bytes)
{
    std::array<unsigned char, base::topic_id::size_bytes> out{};
    std::copy(bytes.begin(), bytes.end(), out.begin());
    return base::topic_id{out};
}

}  // namespace

std::string encode_key(const offset_key& key)
{
    std::string out;
    base::append_big_endian(out, format_version);
    base::append_big_endian(out, static_cast<std::uint16_t>(key.group.size()));
    out += key.group;
    for (const unsigned char byte : key.topic.bytes()) out += static_cast<char>(byte);
    base::append_big_endian(out, key.partition.value());
    return out;
}

std::string encode_value(const committed& value)
{
    std::string out;
    base::append_big_endian(out, format_version);
    base::append_big_endian(out, value.offset.value());
    base::append_big_endian(out, value.committed_ms);
    base::append_big_endian(out, value.metadata ? static_cast<std::int32_t>(value.metadata->size()) : no_metadata);
    if (value.metadata) out += *value.metadata;
    return out;
}

base::result<offset_key> decode_key(std::string_view bytes)
{
    reader in{bytes};
    if (in.integer<std::uint8_t>() != format_version) return corrupt("committed offset: unknown version of a key");
    offset_key out;
    out.group = in.bytes(in.integer<std::uint16_t>());
    out.topic = to_topic_id(in.bytes(base::topic_id::size_bytes));
    out.partition = base::partition_index{in.integer<std::int32_t>()};
    if (!in.complete()) return corrupt("committed offset: a key of a wrong length");
    const std::int32_t partition = out.partition.value();
    if (out.group.empty() || out.group.size() > limits::name_bytes_max || partition < 0 || partition >= limits::partitions_max)
        return corrupt("committed offset: a key that names no group or partition");
    return out;
}

base::result<committed> decode_value(std::string_view bytes)
{
    reader in{bytes};
    if (in.integer<std::uint8_t>() != format_version) return corrupt("committed offset: unknown version of a value");
    committed out;
    out.offset = base::offset{in.integer<std::int64_t>()};
    out.committed_ms = in.integer<std::int64_t>();
    const auto metadata_bytes = in.integer<std::int32_t>();
    if (metadata_bytes < no_metadata) return corrupt("committed offset: metadata of a negative length");
    if (metadata_bytes != no_metadata) out.metadata = in.bytes(static_cast<std::size_t>(metadata_bytes));
    if (!in.complete()) return corrupt("committed offset: a value of a wrong length");
    if (out.offset.value() < 0 || out.committed_ms < 0) return corrupt("committed offset: a negative offset or time");
    return out;
}

}  // namespace pystream::groups
