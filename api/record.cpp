#include <algorithm>
#include <optional>

#include "api/base64.hpp"
#include "api/handlers.hpp"
#include "api/text.hpp"

namespace pystream::api {
namespace {

using storage::value_kind;

// A record and the leader epoch it was written in; views point into the fetch.
struct found_record {
    storage::decoded_record record;
    base::leader_epoch epoch;
};

error removed(base::offset at, base::offset start)
{
    error e{errc::offset_removed, "this record has been removed"};
    e.offset = at.value();
    e.earliest = start.value();
    return e;
}

error beyond_end(base::offset at, const engine::fetch_result& fetched)
{
    error e{errc::offset_out_of_range, "there is no record at this offset yet"};
    e.offset = at.value();
    e.earliest = fetched.start.value();
    e.latest = fetched.high_watermark.value();
    return e;
}

// The batch that covers `at` is the first one of the fetch; the record may still have been compacted away.
result<void> find_record(const engine::fetch_result& fetched, base::offset at, storage::record_cursor& cursor,
                         found_record& found)
{
    while (true) {
        const auto more = cursor.next(found.record);
        if (!more) return more.error();
        if (!*more || found.record.offset > at) return removed(at, fetched.start);
        if (found.record.offset == at) return {};
    }
}

// What may stand in a header of ours: record headers are the users' bytes.
bool is_field_value(std::string_view text) noexcept
{
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; }) && trim(text) == text;
}

std::string content_type_of(const storage::decoded_record& record)
{
    for (const auto& header : record.headers)
        if (header.name == "content-type" && !header.value.empty() && is_field_value(header.value))
            return std::string{header.value};
    switch (record.kind) {
    case value_kind::json: return "application/json";
    case value_kind::text: return "text/plain; charset=utf-8";
    case value_kind::bytes: break;
    }
    return "application/octet-stream";
}

std::string etag_of(const base::topic_id& topic, const found_record& found)
{
    return '"' + topic.to_hex() + '-' + std::to_string(found.epoch.value()) + '-' +
           std::to_string(found.record.offset.value()) + '"';
}

// RFC 9110 section 13.1.2: weak comparison.
bool is_cached(std::optional<std::string_view> if_none_match, std::string_view etag) noexcept
{
    auto rest = if_none_match.value_or("");
    while (!rest.empty()) {
        auto candidate = trim(next_part(rest, ','));
        if (candidate.starts_with("W/")) candidate.remove_prefix(2);
        if (candidate == etag || candidate == "*") return true;
    }
    return false;
}

void add_facts(response& answer, const storage::decoded_record& record)
{
    answer.headers.push_back({"Record-Offset", std::to_string(record.offset.value())});
    answer.headers.push_back({"Record-Timestamp", std::to_string(record.timestamp_ns / 1'000'000)});
    if (!record.key) return;
    if (record.key_is_text && is_field_value(*record.key)) {
        answer.headers.push_back({"Record-Key", std::string{*record.key}});
    } else {
        header key{"Record-Key-Base64", {}};
        append_base64(key.value, *record.key);
        answer.headers.push_back(std::move(key));
    }
}

response as_response(const context& c, const base::topic_id& topic, const found_record& found)
{
    response answer;
    const auto etag = etag_of(topic, found);
    // A record never changes, but the same path means another one when the topic is deleted and made anew: caches ask.
    answer.headers = {{"ETag", etag}, {"Cache-Control", "no-cache"}};
    if (is_cached(c.incoming.find("If-None-Match"), etag)) {
        answer.status = 304;
        return answer;
    }
    add_facts(answer, found.record);
    if (!found.record.value) {
        answer.status = 204;
        answer.headers.push_back({"Record-Tombstone", "true"});
        return answer;
    }
    answer.headers.push_back({"Content-Type", content_type_of(found.record)});
    // What users stored must not run as a page of ours.
    answer.headers.push_back({"Content-Security-Policy", "sandbox; default-src 'none'"});
    answer.body = *found.record.value;
    return answer;
}

}  // namespace

engine::awaitable<result<response>> get_record(context& c)
{
    const auto topic = c.core.describe_topic(c.path.topic);
    if (!topic) co_return topic.error();
    engine::fetch_request request{c.path.topic, c.path.partition, {engine::fetch_position::kind::at, c.path.offset, 0}};
    request.bytes_max = 1;
    auto fetched = co_await c.core.fetch(std::move(request));
    if (!fetched) {
        const auto& failed = fetched.error();
        const bool below =
            failed.code == errc::offset_out_of_range && failed.earliest && c.path.offset.value() < *failed.earliest;
        co_return below ? removed(c.path.offset, base::offset{*failed.earliest}) : failed;
    }
    if (fetched->runs.empty()) co_return beyond_end(c.path.offset, *fetched);
    const auto batch = fetched->runs.front().bytes;
    const auto header = storage::decode_header(batch);
    if (!header) co_return header.error();
    found_record found{{}, header->epoch};
    storage::record_cursor cursor{batch};
    const auto read = find_record(*fetched, c.path.offset, cursor, found);
    if (!read) co_return read.error();
    co_return as_response(c, topic->id, found);
}

}  // namespace pystream::api
