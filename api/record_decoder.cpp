#include "api/record_decoder.hpp"

#include <boost/json/basic_parser_impl.hpp>

#include "api/record_handler.hpp"
#include "api/text.hpp"
#include "core/base/limits.hpp"

namespace pystream::api {
namespace {

using parser = boost::json::basic_parser<record_handler>;

// Levels around a value: the envelope, the array, the record. A value itself may nest limits::json_depth_max deep.
constexpr std::size_t json_envelope_depth = 3;
constexpr std::size_t ndjson_envelope_depth = 1;

boost::json::parse_options options_for(std::size_t envelope_depth)
{
    boost::json::parse_options options;
    options.max_depth = base::limits::json_depth_max + envelope_depth;
    return options;
}

// Room for the records of a body of that size, so that the set grows in few steps.
void reserve_for(record_handler& handler, std::string_view body)
{
    handler.records().reserve(body.size() / 64 + 1, body.size());
}

base::result<void> parse_document(parser& reader, std::string_view text, std::size_t first_line)
{
    boost::json::error_code failed;
    const auto consumed = reader.write_some(false, text.data(), text.size(), failed);
    if (!failed && consumed < text.size()) failed = boost::json::error::extra_data;
    if (!failed) return {};
    if (failed == boost::json::error::too_deep)
        return malformed_at("a value nested deeper than " + std::to_string(base::limits::json_depth_max), text, consumed,
                            first_line);
    return malformed_at(failed.message(), text, consumed, first_line);
}

base::result<storage::record_set> finish(record_handler& handler, std::string_view pointer)
{
    if (handler.errors().empty() && handler.records().empty())
        handler.errors().invalid(std::string{pointer}, "must hold a record");
    if (!handler.errors().empty()) return handler.errors().take();
    return std::move(handler.records());
}

bool is_blank(std::string_view line) noexcept
{
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

base::result<storage::record_set> decode_json_records(std::string_view body)
{
    if (body.empty()) return base::error{base::errc::malformed, "the body is empty; expected {\"records\":[...]}"};
    parser reader{options_for(json_envelope_depth), record_form::json};
    auto& handler = reader.handler();
    reserve_for(handler, body);
    const auto parsed = parse_document(reader, body, 1);
    if (!parsed) return parsed.error();
    if (handler.errors().empty() && !handler.saw_records_field())
        handler.errors().invalid("/records", "is missing: an array of records");
    return finish(handler, "/records");
}

base::result<storage::record_set> decode_ndjson_records(std::string_view body)
{
    parser reader{options_for(ndjson_envelope_depth), record_form::ndjson};
    auto& handler = reader.handler();
    reserve_for(handler, body);
    for (std::size_t line = 1; !body.empty(); ++line) {
        const auto text = next_part(body, '\n');
        if (is_blank(text)) continue;
        reader.reset();
        handler.begin_line(line);
        const auto parsed = parse_document(reader, text, line);
        if (!parsed) return parsed.error();
    }
    return finish(handler, "");
}

}  // namespace pystream::api
