#include "api/record_handler.hpp"

#include "api/json_writer.hpp"

namespace pystream::api {
namespace {

constexpr std::string_view record_fields = "key, key_base64, value, value_base64, headers";

}  // namespace

bool record_handler::begin(bool object)
{
    const bool is_record = form_ == record_form::ndjson ? place_ == place::root : place_ == place::records;
    switch (place_) {
    case place::value:
        separate();
        value_ += object ? '{' : '[';
        comma_ = false;
        ++nesting_;
        return true;
    case place::skipped: ++nesting_; return true;
    case place::record: begin_in_record(object); return true;
    default: break;
    }
    if (object && is_record)
        begin_record();
    else if (object && place_ == place::root)
        place_ = place::envelope;
    else if (!object && place_ == place::envelope && field_ == field::records)
        place_ = place::records;
    else if (!object && place_ == place::headers)
        begin_header();
    else
        skip_container();
    return true;
}

void record_handler::begin_in_record(bool object)
{
    if (field_ == field::value)
        enter_value(object ? '{' : '[');
    else if (field_ == field::headers && !object)
        place_ = place::headers;
    else
        skip_container();
}

void record_handler::enter_value(char bracket)
{
    kind_ = storage::value_kind::json;
    value_ += bracket;
    comma_ = false;
    nesting_ = 1;
    place_ = place::value;
    return_to_ = place::record;
}

// A container where none belongs, or in a field that does not exist.
void record_handler::skip_container()
{
    wrong_type();
    return_to_ = place_;
    place_ = place::skipped;
    nesting_ = 1;
}

bool record_handler::end(char bracket)
{
    switch (place_) {
    case place::value:
        value_ += bracket;
        comma_ = true;
        [[fallthrough]];
    case place::skipped:
        if (--nesting_ == 0) place_ = return_to_;
        return true;
    case place::header: finish_header(); return true;
    case place::headers: place_ = place::record; return true;
    case place::record: finish_record(); return true;
    case place::records: place_ = place::envelope; return true;
    default: place_ = place::root; return true;
    }
}

bool record_handler::key_part(std::string_view part)
{
    if (place_ == place::skipped) return true;
    if (place_ == place::value && !in_token_) separate();
    in_token_ = place_ == place::value;
    token_ += part;
    return true;
}

bool record_handler::key_end(std::string_view part)
{
    key_part(part);
    if (place_ == place::value) {
        append_json_string(value_, token_);
        value_ += ':';
        comma_ = false;
        in_token_ = false;
    } else if (place_ != place::skipped) {
        name_field();
    }
    token_.clear();
    return true;
}

// A member of the envelope or of a record begins: which one is it?
void record_handler::name_field()
{
    static constexpr std::pair<std::string_view, field> known[] = {
        {"key", field::key},         {"key_base64", field::key_base64},     {"value", field::value},
        {"headers", field::headers}, {"value_base64", field::value_base64},
    };
    field_ = field::unknown;
    if (place_ == place::envelope && token_ == "records") field_ = field::records;
    if (place_ == place::record)
        for (const auto& [name, which] : known)
            if (name == token_) field_ = which;
    const auto parent = place_ == place::record ? record_pointer() : std::string{};
    if (field_ == field::unknown) return errors_.unknown(parent, token_, place_ == place::record ? record_fields : "records");
    const bool repeated = field_ == field::records ? saw_records_field_ : seen(field_);
    if (field_ == field::records)
        saw_records_field_ = true;
    else
        seen_ |= 1U << static_cast<unsigned>(field_);
    if (!repeated) return;
    errors_.invalid(child_pointer(parent, token_), "appears twice");
    field_ = field::unknown;
}

// Where the characters of a string at this place go; null: nowhere.
std::string* record_handler::string_target()
{
    if (place_ == place::header) return header_strings_ < 2 ? &header_bytes_ : nullptr;
    if (place_ != place::record) return nullptr;
    switch (field_) {
    case field::key:
    case field::key_base64: return &key_;
    case field::value:
    case field::value_base64: return &value_;
    default: return nullptr;
    }
}

bool record_handler::string_part(std::string_view part)
{
    if (place_ == place::value) {
        token_ += part;
        in_token_ = true;
    } else if (auto* target = string_target()) {
        *target += part;
        if (place_ == place::header)
            (header_strings_ == 0 ? headers_.back().name_bytes : headers_.back().value_bytes) += part.size();
    }
    return true;
}

bool record_handler::string_end(std::string_view part)
{
    if (place_ == place::value) {
        separate();
        if (in_token_) part = token_ += part;
        append_json_string(value_, part);
        token_.clear();
        in_token_ = false;
        return true;
    }
    string_part(part);
    if (place_ == place::header) {
        ++header_strings_;
    } else if (place_ == place::record && string_target() != nullptr) {
        if (field_ == field::value) kind_ = storage::value_kind::text;
    } else if (place_ != place::skipped) {
        wrong_type();
    }
    return true;
}

bool record_handler::takes_number() const noexcept
{
    return place_ == place::value || (place_ == place::record && field_ == field::value);
}

bool record_handler::number_part(std::string_view part)
{
    if (!takes_number()) return true;
    if (!in_token_ && place_ == place::value) separate();
    in_token_ = true;
    value_ += part;
    return true;
}

bool record_handler::number_end(std::string_view part)
{
    number_part(part);
    in_token_ = false;
    if (place_ == place::record && field_ == field::value)
        kind_ = storage::value_kind::json;
    else if (place_ != place::value && place_ != place::skipped)
        wrong_type();
    return true;
}

bool record_handler::literal(std::string_view json, bool is_null)
{
    if (place_ == place::value) {
        separate();
        value_ += json;
    } else if (place_ == place::record && is_null && (field_ == field::value || field_ == field::value_base64)) {
        value_null_ = true;
    } else if (place_ == place::record && is_null && (field_ == field::key || field_ == field::key_base64)) {
        key_null_ = true;
    } else if (place_ == place::record && field_ == field::value) {
        kind_ = storage::value_kind::json;
        value_ += json;
    } else if (place_ != place::skipped) {
        wrong_type();
    }
    return true;
}

void record_handler::separate()
{
    if (comma_) value_ += ',';
    comma_ = true;
}

}  // namespace pystream::api
