#include <array>

#include "api/handlers.hpp"
#include "api/record_encoder.hpp"
#include "api/routes.hpp"
#include "core/base/limits.hpp"

namespace pystream::api {
namespace {

using engine::fetch_position;

constexpr std::int64_t records_default = 500;
constexpr std::int64_t records_max = 10'000;
constexpr std::int64_t bytes_default = base::limits::mebibyte;
constexpr std::int64_t bytes_max = 16 * base::limits::mebibyte;

struct fetch_call {
    engine::fetch_request request;
    page_options page;
};

error invalid_position()
{
    return base::invalid("offset", "give one of offset, from and timestamp");
}

// Without any of the three: from the earliest record.
result<fetch_position> read_position(const query_parameters& query)
{
    static constexpr std::array<std::string_view, 2> ends{"earliest", "latest"};
    const auto offset = query.integer("offset", 0, base::json_integer_max);
    if (!offset) return offset.error();
    const auto end = query.choice("from", ends);
    if (!end) return end.error();
    const auto time = query.find("timestamp");
    if (int{offset->has_value()} + int{query.find("from").has_value()} + int{time.has_value()} > 1) return invalid_position();
    fetch_position position;
    if (*offset) {
        position.from = fetch_position::kind::at;
        position.at = base::offset{**offset};
    } else if (time) {
        const auto ms = parse_time_ms(*time);
        if (!ms) return base::invalid("timestamp", "timestamp must be milliseconds since 1970 or like 2025-11-29T12:00:00Z");
        position.from = fetch_position::kind::timestamp;
        position.timestamp_ms = *ms;
    } else {
        position.from = *end == 0 ? fetch_position::kind::earliest : fetch_position::kind::latest;
    }
    return position;
}

result<fetch_call> read_call(const context& c)
{
    static constexpr std::array<std::string_view, 2> past_end{"error", "wait"};
    static constexpr std::array<std::string_view, 2> values{"auto", "base64"};
    const auto position = read_position(c.query);
    if (!position) return position.error();
    const auto records = c.query.integer_or("max_records", records_default, 1, records_max);
    if (!records) return records.error();
    const auto bytes = c.query.integer_or("max_bytes", bytes_default, 1, bytes_max);
    if (!bytes) return bytes.error();
    const auto wait_ms = c.query.integer_or("wait_ms", 0, 0, base::limits::wait_ms_max);
    if (!wait_ms) return wait_ms.error();
    const auto beyond = c.query.choice("past_end", past_end);
    if (!beyond) return beyond.error();
    const auto form = c.query.choice("values", values);
    if (!form) return form.error();
    fetch_call call{{c.path.topic, c.path.partition, *position}, {}};
    call.request.bytes_max = static_cast<std::uint64_t>(*bytes);
    call.request.wait_ms = *wait_ms;
    call.request.wait_past_end = *beyond == 1;
    call.page = {.records_max = static_cast<std::size_t>(*records),
                 .bytes_max = static_cast<std::uint64_t>(*bytes),
                 .base64 = *form == 1,
                 .ndjson = c.accepted == 1};
    return call;
}

response page_response(page made, const engine::fetch_result& fetched, bool ndjson)
{
    auto answer = json_response(std::move(made.body));
    if (ndjson) answer.headers.front().value = ndjson_type;
    answer.headers.push_back({"Stream-Earliest-Offset", std::to_string(fetched.start.value())});
    answer.headers.push_back({"Stream-Next-Offset", std::to_string(made.next.value())});
    answer.headers.push_back({"Stream-High-Watermark", std::to_string(fetched.high_watermark.value())});
    answer.headers.push_back({"Vary", "Accept"});
    return answer;
}

}  // namespace

engine::awaitable<result<response>> fetch_records(context& c)
{
    auto call = read_call(c);
    if (!call) co_return call.error();
    const page_options options = call->page;
    auto fetched = co_await c.core.fetch(std::move(call->request));
    if (!fetched) co_return fetched.error();
    if (stored_bytes(*fetched) <= c.options.offload_above_bytes) {
        auto made = encode_page(c.path.topic, *fetched, options);
        if (!made) co_return made.error();
        co_return page_response(std::move(*made), *fetched, options.ndjson);
    }
    auto encode = [topic = c.path.topic, from = *fetched, options] { return encode_page(topic, from, options); };
    auto made = co_await c.core.offload(std::move(encode));
    if (!made) co_return made.error();
    co_return page_response(std::move(*made), *fetched, options.ndjson);
}

}  // namespace pystream::api
