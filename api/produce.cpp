#include <utility>

#include "api/describe.hpp"
#include "api/handlers.hpp"
#include "api/raw_record.hpp"
#include "api/record_decoder.hpp"
#include "api/routes.hpp"
#include "api/text.hpp"

namespace pystream::api {
namespace {

constexpr std::size_t result_bytes = 96;  // about what one record takes in the answer

using decoder = result<storage::record_set>(std::string_view);

// Only a raw body takes its key and headers from outside; elsewhere they would be ignored in silence. Nor are producer
// sequences ignored, which a later version knows.
result<void> refuse_meaningless(const context& c, bool is_raw)
{
    for (const auto name : {std::string_view{"key"}, std::string_view{"key_base64"}})
        if (!is_raw && c.query.find(name)) return base::invalid(std::string{name}, "JSON records carry their key in the body");
    for (const auto& [name, value] : c.incoming.headers) {
        if (starts_ignoring_case(name, "Producer-")) {
            error unknown{errc::unknown_field, "idempotent producers are not available in this version"};
            unknown.fields.push_back({name, unknown.detail});
            return unknown;
        }
        if (!is_raw && starts_ignoring_case(name, "Record-"))
            return base::invalid(name, "JSON records carry key and headers in the body");
    }
    return {};
}

engine::awaitable<result<storage::record_set>> decode_on_pool(context& c, decoder* run)
{
    auto work = [run, body = std::move(c.incoming.body)] { return run(body); };
    auto records = co_await c.core.offload(std::move(work));
    co_return records;
}

result<engine::produce_request> read_request(context& c)
{
    engine::produce_request request;
    request.topic = c.path.topic;
    const auto expected = c.query.integer("expected_offset", 0, base::json_integer_max);
    if (!expected) return expected.error();
    if (*expected) request.expected_offset = base::offset{**expected};
    if (c.path.has_partition) request.partition = c.path.partition;
    return request;
}

}  // namespace

engine::awaitable<result<response>> produce(context& c)
{
    const bool is_raw = c.body_type.essence != json_type && c.body_type.essence != ndjson_type;
    const auto meaningful = refuse_meaningless(c, is_raw);
    if (!meaningful) co_return meaningful.error();
    auto request = read_request(c);
    if (!request) co_return request.error();
    decoder* const run = c.body_type.essence == json_type ? decode_json_records : decode_ndjson_records;
    result<storage::record_set> records = storage::record_set{};
    if (is_raw)
        records = decode_raw_record(c);
    else if (c.incoming.body.size() <= c.options.offload_above_bytes)
        records = run(c.incoming.body);
    else
        records = co_await decode_on_pool(c, run);
    if (!records) co_return records.error();
    request->records = std::move(*records);
    auto produced = co_await c.core.produce(std::move(*request));
    if (!produced) co_return produced.error();
    if (produced->results.size() * result_bytes <= c.options.offload_above_bytes)
        co_return produce_response(*produced, c.incoming.request_id);
    auto encode = [done = std::move(*produced), id = c.incoming.request_id] { return produce_response(done, id); };
    auto answer = co_await c.core.offload(std::move(encode));
    co_return answer;
}

}  // namespace pystream::api
