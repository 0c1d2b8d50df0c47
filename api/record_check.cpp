#include "api/base64.hpp"
#include "api/record_handler.hpp"
#include "core/base/limits.hpp"

// The part of record_handler that looks at whole records and says what is wrong with them.

namespace pystream::api {
namespace {

namespace limits = base::limits;

constexpr std::string_view base64_expected = "must be base64 with padding (RFC 4648 section 4)";

bool decode_in_place(std::string& text)
{
    auto bytes = decode_base64(text);
    if (bytes) text = std::move(*bytes);
    return bytes.has_value();
}

}  // namespace

std::string record_handler::record_pointer() const
{
    return form_ == record_form::ndjson ? "/lines/" + std::to_string(line_) : "/records/" + std::to_string(index_);
}

std::string record_handler::field_pointer(std::string_view name) const
{
    return child_pointer(record_pointer(), name);
}

// Of the header at hand, or of the next one.
std::string record_handler::header_pointer() const
{
    const auto number = headers_.size() - (place_ == place::header ? 1 : 0);
    return field_pointer("headers") + '/' + std::to_string(number);
}

// A value of a kind that does not belong here.
void record_handler::wrong_type()
{
    switch (place_) {
    case place::root: return errors_.invalid(form_ == record_form::ndjson ? record_pointer() : "", "must be an object");
    case place::envelope:
        if (field_ == field::records) errors_.invalid("/records", "must be an array of records");
        return;
    case place::records: errors_.invalid(record_pointer(), "must be an object"); return static_cast<void>(++index_);
    case place::headers: return errors_.invalid(header_pointer(), "must be an array of two strings: [name, value]");
    case place::header:
        errors_.invalid(header_pointer() + '/' + std::to_string(header_strings_), "must be a string");
        return static_cast<void>(++header_strings_);
    case place::record: break;
    case place::value:
    case place::skipped: return;
    }
    switch (field_) {
    case field::key: return errors_.invalid(field_pointer("key"), "must be a string or null; key_base64 takes bytes");
    case field::key_base64: return errors_.invalid(field_pointer("key_base64"), "must be a string or null");
    case field::value_base64: return errors_.invalid(field_pointer("value_base64"), "must be a string or null");
    case field::headers: return errors_.invalid(field_pointer("headers"), "must be an array of [name, value]");
    default: return;
    }
}

void record_handler::begin_record()
{
    if (index_ == limits::records_per_request_max)
        errors_.invalid(record_pointer(),
                        "one request takes at most " + std::to_string(limits::records_per_request_max) + " records");
    place_ = place::record;
    field_ = field::unknown;
    seen_ = 0;
    key_.clear();
    value_.clear();
    key_null_ = value_null_ = false;
    kind_ = storage::value_kind::bytes;
    header_bytes_.clear();
    headers_.clear();
}

void record_handler::begin_header()
{
    if (headers_.size() == limits::record_headers_max)
        errors_.invalid(field_pointer("headers"),
                        "a record takes at most " + std::to_string(limits::record_headers_max) + " headers");
    place_ = place::header;
    header_strings_ = 0;
    headers_.emplace_back();
}

void record_handler::finish_header()
{
    if (header_strings_ != 2)
        errors_.invalid(header_pointer(), "must be an array of two strings: [name, value]");
    else if (headers_.back().name_bytes == 0)
        errors_.invalid(header_pointer() + "/0", "must not be empty");
    place_ = place::headers;
}

void record_handler::finish_record()
{
    check_key();
    check_value();
    if (errors_.empty()) add_record();
    ++index_;
    place_ = form_ == record_form::ndjson ? place::root : place::records;
}

void record_handler::check_key()
{
    if (seen(field::key) && seen(field::key_base64))
        errors_.invalid(field_pointer("key_base64"), "not together with key");
    else if (seen(field::key_base64) && !decode_in_place(key_))
        errors_.invalid(field_pointer("key_base64"), std::string{base64_expected});
}

void record_handler::check_value()
{
    const bool is_base64 = seen(field::value_base64);
    const bool has_key = (seen(field::key) || seen(field::key_base64)) && !key_null_;
    if (seen(field::value) && is_base64)
        errors_.invalid(field_pointer("value_base64"), "not together with value");
    else if (!seen(field::value) && !is_base64)
        errors_.invalid(field_pointer("value"), "is missing: any JSON, or value_base64 for bytes");
    else if (value_null_ && !has_key)
        errors_.invalid(field_pointer(is_base64 ? "value_base64" : "value"), "null marks a key as deleted and needs a key");
    else if (is_base64 && !decode_in_place(value_))
        errors_.invalid(field_pointer("value_base64"), std::string{base64_expected});
}

void record_handler::add_record()
{
    header_views_.clear();
    std::string_view rest = header_bytes_;
    for (const auto& [name_bytes, value_bytes] : headers_) {
        header_views_.push_back({rest.substr(0, name_bytes), rest.substr(name_bytes, value_bytes)});
        rest.remove_prefix(name_bytes + value_bytes);
    }
    storage::record_view record;
    if ((seen(field::key) || seen(field::key_base64)) && !key_null_) record.key = key_;
    record.key_is_text = !seen(field::key_base64);
    if (!value_null_) record.value = value_;
    record.kind = kind_;
    record.headers = header_views_;
    records_.add(record);
}

}  // namespace pystream::api
