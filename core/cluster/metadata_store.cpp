#include "core/cluster/metadata_store.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>

#include "core/cluster/json_fields.hpp"

namespace pystream::cluster {
namespace {

namespace json = boost::json;

constexpr std::size_t key_bytes_max = 512;

base::result<row> decode_file_row(const json::value& value, std::int64_t store_revision)
{
    object_fields fields{value};
    row out;
    out.key = fields.text("key", key_bytes_max);
    out.revision = fields.integer("revision", 1, std::max<std::int64_t>(store_revision, 1));
    out.value = json::serialize(fields.object("value"));
    if (auto ok = fields.finish(); !ok) return ok.error();
    return out;
}

bool by_key(const row_change& a, const row_change& b)
{
    return a.key < b.key;
}

// The row's revision must be the expected one; 0 stands for no row.
base::result<void> check_change(const row* current, const row_change& change)
{
    const std::int64_t revision = current == nullptr ? 0 : current->revision;
    if (revision != change.expected_revision)
        return base::error{base::errc::internal, "the metadata changed meanwhile",
                           "row \"" + change.key + "\" is at revision " + std::to_string(revision) + ", expected " +
                               std::to_string(change.expected_revision)};
    if (!change.value) return {};
    // What could not be read back must not be written.
    const bool object = change.value->starts_with('{') && check_strictly(*change.value);
    if (object && !change.key.empty() && change.key.size() <= key_bytes_max) return {};
    return base::error{base::errc::internal, {}, "row \"" + change.key + "\": not a key with a JSON object"};
}

}  // namespace

// One row a line: for people, for grep and for diff.
std::string encode_metadata_file(const loaded_rows& rows)
{
    std::string out =
        "{\"version\":" + std::to_string(metadata_version) + ",\"revision\":" + std::to_string(rows.revision) + ",\"rows\":[";
    for (const row& one : rows.rows) {
        out += &one == rows.rows.data() ? "\n" : ",\n";
        out += "{\"key\":" + json::serialize(json::value(one.key)) + ",\"revision\":" + std::to_string(one.revision) +
               ",\"value\":";
        out += one.value;
        out += '}';
    }
    out += "\n]}\n";
    return out;
}

base::result<loaded_rows> decode_metadata_file(std::string_view content)
{
    const auto file = parse_strictly(content);
    if (!file) return file.error();
    object_fields fields{*file};
    loaded_rows out;
    fields.integer("version", metadata_version, metadata_version);
    out.revision = fields.integer("revision", 0, base::json_integer_max);
    const json::array& rows = fields.array("rows");
    if (auto ok = fields.finish(); !ok) return ok.error();
    out.rows.reserve(rows.size());
    for (const json::value& value : rows) {
        auto decoded = decode_file_row(value, out.revision);
        if (!decoded) return corrupt("row number " + std::to_string(out.rows.size() + 1) + ": " + decoded.error().internal);
        if (!out.rows.empty() && out.rows.back().key >= decoded->key)
            return corrupt("row \"" + decoded->key + "\" is not in key order, or stands twice");
        out.rows.push_back(std::move(*decoded));
    }
    return out;
}

base::result<loaded_rows> apply_changes(const loaded_rows& rows, const std::vector<row_change>& changes)
{
    std::vector<row_change> sorted = changes;
    std::sort(sorted.begin(), sorted.end(), by_key);
    loaded_rows out;
    out.revision = rows.revision + 1;
    out.rows.reserve(rows.rows.size() + sorted.size());
    auto old = rows.rows.begin();
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        row_change& change = sorted[i];
        if (i > 0 && sorted[i - 1].key == change.key)
            return base::error{base::errc::internal, {}, "row \"" + change.key + "\" is changed twice in one transaction"};
        for (; old != rows.rows.end() && old->key < change.key; ++old) out.rows.push_back(*old);
        const row* current = old != rows.rows.end() && old->key == change.key ? &*old : nullptr;
        if (auto ok = check_change(current, change); !ok) return ok.error();
        if (current != nullptr) ++old;
        if (change.value) out.rows.push_back({change.key, out.revision, std::move(*change.value)});
    }
    out.rows.insert(out.rows.end(), old, rows.rows.end());
    return out;
}

}  // namespace pystream::cluster
