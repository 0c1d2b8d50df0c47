#include "api/problem.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "api/json_writer.hpp"
#include "api/utf8.hpp"

namespace pystream::api {
namespace {

using base::errc;

constexpr std::size_t engine_codes = static_cast<std::size_t>(errc::internal) + 1;
constexpr std::size_t http_codes = static_cast<std::size_t>(http_errc::http_version_not_supported) + 1;

// In the order of http_errc, then of base::errc: a code is found by its number. `retryable`: the same request may succeed
// later without anybody changing anything; whether it may have happened already is the answer's `outcome`.
constexpr std::array<problem_kind, http_codes + engine_codes> kinds{{
    {"bad_request", 400, "The request cannot be understood", false},
    {"origin_not_allowed", 403, "Pages of this origin may not write", false},
    {"not_found", 404, "There is nothing at this path", false},
    {"method_not_allowed", 405, "This path does not have that method", false},
    {"not_acceptable", 406, "No offered media type is acceptable", false},
    {"request_timeout", 408, "The request took too long to arrive", true},
    {"body_too_large", 413, "The request body is too large", false},
    {"uri_too_long", 414, "The request target is too long", false},
    {"unsupported_media_type", 415, "The request body's type is not supported", false},
    {"expectation_failed", 417, "The expectation cannot be met", false},
    {"headers_too_large", 431, "The request header is too large", false},
    {"too_many_connections", 503, "There are too many connections", true},
    {"server_busy", 503, "Too many bytes are in flight", true},
    {"http_version_not_supported", 505, "The HTTP version is not supported", false},

    {"malformed", 400, "The request cannot be parsed", false},
    {"invalid_field", 422, "A field or parameter has a value that is not allowed", false},
    {"unknown_field", 422, "A field or parameter does not exist", false},
    {"record_too_large", 413, "A record is too large", false},
    {"batch_too_large", 413, "The records for one partition are too large together", false},
    {"internal_topic", 403, "Internal topics belong to the broker", false},
    {"topic_not_found", 404, "The topic does not exist", false},
    {"partition_not_found", 404, "The partition does not exist", false},
    {"group_not_found", 404, "The group does not exist", false},
    {"offset_removed", 410, "The record at this offset has been removed", false},
    {"topic_exists", 409, "The topic exists already", false},
    {"reroute_required", 409, "Growing this topic would send keys to other partitions", false},
    {"offset_mismatch", 412, "The partition does not end at the expected offset", false},
    {"offset_regression", 409, "A committed offset would move back", false},
    {"offset_out_of_range", 416, "The offset is outside the partition", false},
    {"disk_full", 507, "The disk is full", true},
    {"read_only", 503, "The storage refuses writes", true},
    {"too_many_open_files", 503, "There are no file descriptors left", true},
    {"io_failed", 503, "The storage failed", false},
    {"not_found_on_disk", 500, "A file is missing", false},
    {"already_exists_on_disk", 500, "A file is in the way", false},
    {"locked", 500, "The data directory belongs to another process", false},
    {"corrupt_record", 500, "A stored record is damaged", false},
    {"corrupt_metadata", 500, "Stored metadata is damaged", false},
    {"not_ready", 503, "The server is not ready yet", true},
    {"draining", 503, "The server is shutting down", true},
    {"overloaded", 429, "Too much work is waiting", true},
    {"partition_failed", 503, "The partition has failed", false},
    {"partition_unavailable", 503, "The partition has no leader that can serve", true},
    {"brokers_unavailable", 503, "Brokers that are needed are not available", true},
    {"not_enough_replicas", 503, "Too few replicas are active", true},
    {"replication_failed", 503, "A follower could not store the records", true},
    {"partially_written", 503, "Some records were written and some were not", false},
    {"outcome_unknown", 504, "It is not known whether it happened", true},
    {"canceled", 503, "The request was cancelled", true},
    {"internal", 500, "The server made a mistake", false},
}};

constexpr const problem_kind& kind_of(http_errc code) noexcept
{
    return kinds[static_cast<std::size_t>(code)];
}
constexpr const problem_kind& kind_of(errc code) noexcept
{
    return kinds[http_codes + static_cast<std::size_t>(code)];
}

// Details and pointers may repeat what the client sent, which need not be UTF-8.
std::string shown(std::string_view text)
{
    std::string copy{text};
    if (!is_utf8(text)) std::ranges::replace_if(copy, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
    return copy;
}

bool outcome_is_unknown(const base::error& error) noexcept
{
    return error.outcome_unknown || error.code == errc::outcome_unknown || error.code == errc::partially_written;
}

void write_common(json_writer& json, const problem_kind& kind, std::string_view detail, bool unknown,
                  std::string_view request_id)
{
    json.name("type").string(std::string{"urn:problem-type:pystream:"}.append(kind.code));
    json.member("title", kind.title).name("status").integer(kind.status);
    json.member("detail", shown(detail.empty() ? kind.title : detail)).member("code", kind.code);
    json.name("retryable").boolean(kind.retryable).member("outcome", unknown ? "unknown" : "none");
    json.member("request_id", request_id);
}

void write_facts(json_writer& json, const base::error& error)
{
    const std::pair<std::string_view, const std::optional<std::int64_t>&> facts[] = {
        {"expected", error.expected}, {"actual", error.actual}, {"earliest", error.earliest},
        {"latest", error.latest},     {"offset", error.offset},
    };
    for (const auto& [name, value] : facts)
        if (value) json.name(name).integer(*value);
    if (!error.brokers.empty()) {
        json.name("brokers").begin_array();
        for (const auto broker : error.brokers) json.integer(broker);
        json.end_array();
    }
    if (error.fields.empty()) return;
    json.name("errors").begin_array();
    for (const auto& field : error.fields)
        json.begin_object().member("pointer", shown(field.pointer)).member("detail", shown(field.detail)).end_object();
    json.end_array();
}

response as_response(const problem_kind& kind, std::string body)
{
    response answer;
    answer.status = kind.status;
    answer.body = std::move(body);
    answer.headers.push_back({"Content-Type", "application/problem+json"});
    if (kind.retryable && (kind.status == 429 || kind.status == 503)) answer.headers.push_back({"Retry-After", "1"});
    return answer;
}

response write_problem(const problem_kind& kind, const base::error& error, std::string_view request_id, std::string_view more)
{
    std::string body;
    json_writer json{body};
    json.begin_object();
    write_common(json, kind, error.detail, outcome_is_unknown(error), request_id);
    write_facts(json, error);
    if (!more.empty()) json.raw(more);
    json.end_object();
    return as_response(kind, std::move(body));
}

}  // namespace

std::span<const problem_kind> problem_kinds() noexcept
{
    return kinds;
}

unsigned status_of(base::errc code) noexcept
{
    return kind_of(code).status;
}

response make_problem(http_errc code, std::string_view detail, std::string_view request_id)
{
    base::error said;
    said.detail = detail;
    return make_problem(code, said, request_id);
}

response make_problem(http_errc code, const base::error& facts, std::string_view request_id)
{
    return write_problem(kind_of(code), facts, request_id, {});
}

response make_problem(const base::error& error, std::string_view request_id, std::string_view more)
{
    return write_problem(kind_of(error.code), error, request_id, more);
}

}  // namespace pystream::api
