#include "api/record_encoder.hpp"

#include <algorithm>

#include "api/json_writer.hpp"
#include "api/utf8.hpp"

namespace pystream::api {
namespace {

using storage::decoded_record;
using storage::value_kind;

void write_key(json_writer& json, const decoded_record& record, bool base64)
{
    const bool as_bytes = base64 || (record.key && (!record.key_is_text || !is_utf8(*record.key)));
    json.name(as_bytes ? "key_base64" : "key");
    if (!record.key)
        json.null();
    else if (as_bytes)
        json.base64(*record.key);
    else
        json.string(*record.key);
}

void write_value(json_writer& json, const decoded_record& record, bool base64)
{
    if (!record.value) {
        json.name(base64 ? "value_base64" : "value").null();
    } else if (!base64 && record.kind == value_kind::json) {
        json.name("value").raw(*record.value);
    } else if (!base64 && record.kind == value_kind::text && is_utf8(*record.value)) {
        json.name("value").string(*record.value);
    } else {
        json.name("value_base64").base64(*record.value);
    }
}

void write_headers(json_writer& json, const decoded_record& record)
{
    json.name("headers").begin_array();
    for (const auto& header : record.headers) json.begin_array().string(header.name).string(header.value).end_array();
    json.end_array();
}

void write_record(json_writer& json, const decoded_record& record, bool base64)
{
    json.begin_object().name("offset").integer(record.offset.value());
    json.name("timestamp").integer(record.timestamp_ns / 1'000'000);
    write_key(json, record, base64);
    write_value(json, record, base64);
    if (base64 || !record.headers.empty()) write_headers(json, record);
    json.end_object();
}

std::uint64_t payload_bytes(const decoded_record& record) noexcept
{
    std::uint64_t bytes = record.key.value_or("").size() + record.value.value_or("").size();
    for (const auto& header : record.headers) bytes += header.name.size() + header.value.size();
    return bytes;
}

// Writes the records of one page; knows when it is full.
class page_writer {
public:
    page_writer(std::string& out, const page_options& options, base::offset first)
        : out_(out), json_(out), options_(options), next_(first)
    {
    }

    // False: the page is full.
    base::result<bool> add_batch(std::string_view batch)
    {
        storage::record_cursor cursor{batch};
        decoded_record record;
        while (true) {
            const auto more = cursor.next(record);
            if (!more || !*more) return more ? base::result<bool>{true} : more.error();
            if (record.offset < next_) continue;
            if (is_full(record)) return false;
            add(record);
        }
    }
    // Everything below `end` was looked at, whether there was a record or not.
    void passed(base::offset end) noexcept { next_ = std::max(next_, end); }

    json_writer& json() noexcept { return json_; }
    base::offset next() const noexcept { return next_; }

private:
    bool is_full(const decoded_record& record) const noexcept
    {
        return records_ >= options_.records_max || (records_ > 0 && bytes_ + payload_bytes(record) > options_.bytes_max);
    }

    void add(const decoded_record& record)
    {
        if (options_.ndjson) {
            json_writer line{out_};
            write_record(line, record, options_.base64);
            out_ += '\n';
        } else {
            write_record(json_, record, options_.base64);
        }
        ++records_;
        bytes_ += payload_bytes(record);
        next_ = record.offset + 1;
    }

    std::string& out_;
    json_writer json_;
    const page_options& options_;
    base::offset next_;
    std::size_t records_ = 0;
    std::uint64_t bytes_ = 0;
};

base::result<void> add_runs(page_writer& writer, const engine::fetch_result& fetched)
{
    for (const auto& run : fetched.runs) {
        auto rest = run.bytes;
        while (!rest.empty()) {
            const auto header = storage::decode_header(rest);
            if (!header) return header.error();
            if (header->end() > writer.next()) {
                const auto more = writer.add_batch(rest);
                if (!more) return more.error();
                if (!*more) return {};
                writer.passed(header->end());
            }
            rest.remove_prefix(header->length_bytes);
        }
        writer.passed(run.end);
    }
    return {};
}

}  // namespace

std::size_t stored_bytes(const engine::fetch_result& fetched) noexcept
{
    std::size_t bytes = 0;
    for (const auto& run : fetched.runs) bytes += run.bytes.size();
    return bytes;
}

base::result<page> encode_page(const std::string& topic, const engine::fetch_result& fetched, const page_options& options)
{
    page made;
    made.body.reserve(128 + std::min<std::uint64_t>(stored_bytes(fetched), options.bytes_max) * 3 / 2);
    page_writer writer{made.body, options, fetched.first};
    auto& json = writer.json();
    if (!options.ndjson) {
        json.begin_object().member("topic", topic).name("partition").integer(fetched.partition.value());
        json.name("records").begin_array();
    }
    const auto added = add_runs(writer, fetched);
    if (!added) return added.error();
    made.next = writer.next();
    if (options.ndjson) return made;
    json.end_array().name("start").integer(fetched.start.value());
    json.name("high_watermark").integer(fetched.high_watermark.value());
    json.name("next_offset").integer(made.next.value()).end_object();
    return made;
}

}  // namespace pystream::api
