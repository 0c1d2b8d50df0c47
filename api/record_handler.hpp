#pragma once

#include <boost/json/error.hpp>
#include <boost/json/string_view.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/field_errors.hpp"
#include "core/storage/record.hpp"

namespace pystream::api {

enum class record_form : std::uint8_t { json, ndjson };

// The handler of boost::json::basic_parser that record_decoder.hpp speaks of. Every on_* function returns true: what is
// wrong with the fields is collected, so that a syntax error further on still wins.
class record_handler {
public:
    static constexpr std::size_t max_object_size = SIZE_MAX;
    static constexpr std::size_t max_array_size = SIZE_MAX;
    static constexpr std::size_t max_key_size = SIZE_MAX;
    static constexpr std::size_t max_string_size = SIZE_MAX;
    using error_code = boost::json::error_code;
    using text = boost::json::string_view;

    explicit record_handler(record_form form) noexcept : form_(form) {}
    // NDJSON: the next document stands on this line.
    void begin_line(std::size_t number) noexcept { line_ = number; }

    field_errors& errors() noexcept { return errors_; }
    storage::record_set& records() noexcept { return records_; }
    bool saw_records_field() const noexcept { return saw_records_field_; }

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_object_begin(error_code&) { return begin(true); }
    bool on_object_end(std::size_t, error_code&) { return end('}'); }
    bool on_array_begin(error_code&) { return begin(false); }
    bool on_array_end(std::size_t, error_code&) { return end(']'); }
    bool on_key_part(text part, std::size_t, error_code&) { return key_part(part); }
    bool on_key(text part, std::size_t, error_code&) { return key_end(part); }
    bool on_string_part(text part, std::size_t, error_code&) { return string_part(part); }
    bool on_string(text part, std::size_t, error_code&) { return string_end(part); }
    bool on_number_part(text part, error_code&) { return number_part(part); }
    bool on_int64(std::int64_t, text part, error_code&) { return number_end(part); }
    bool on_uint64(std::uint64_t, text part, error_code&) { return number_end(part); }
    bool on_double(double, text part, error_code&) { return number_end(part); }
    bool on_bool(bool value, error_code&) { return literal(value ? "true" : "false", false); }
    bool on_null(error_code&) { return literal("null", true); }
    bool on_comment_part(text, error_code&) { return true; }
    bool on_comment(text, error_code&) { return true; }

private:
    // Where the parser stands: which value comes next, or inside which container it is.
    enum class place : std::uint8_t { root, envelope, records, record, headers, header, value, skipped };
    enum class field : std::uint8_t { unknown, records, key, key_base64, value, value_base64, headers };
    struct header_extent {
        std::size_t name_bytes = 0;
        std::size_t value_bytes = 0;
    };

    bool begin(bool object);
    bool end(char bracket);
    bool key_part(std::string_view part);
    bool key_end(std::string_view part);
    bool string_part(std::string_view part);
    bool string_end(std::string_view part);
    bool number_part(std::string_view part);
    bool number_end(std::string_view part);
    bool literal(std::string_view json, bool is_null);

    void begin_record();
    void begin_in_record(bool object);
    void begin_header();
    void finish_record();
    void finish_header();
    void enter_value(char bracket);
    void skip_container();
    void name_field();
    std::string* string_target();
    bool takes_number() const noexcept;
    void separate();

    // record_check.cpp
    void wrong_type();
    void check_key();
    void check_value();
    void add_record();
    std::string record_pointer() const;
    std::string field_pointer(std::string_view name) const;
    std::string header_pointer() const;
    bool seen(field which) const noexcept { return (seen_ & (1U << static_cast<unsigned>(which))) != 0; }

    const record_form form_;
    storage::record_set records_;
    field_errors errors_;
    std::size_t line_ = 0;
    std::size_t index_ = 0;  // records begun or refused in the array so far
    bool saw_records_field_ = false;

    place place_ = place::root;
    place return_to_ = place::root;  // after value or skipped
    std::size_t nesting_ = 0;        // containers open in value or skipped
    bool comma_ = false;             // in value: the next element needs one in front
    bool in_token_ = false;          // in value: a string, name or number has begun

    field field_ = field::unknown;
    std::string token_;  // of a name or string that comes in parts
    unsigned seen_ = 0;

    std::string key_;
    bool key_null_ = false;
    std::string value_;
    bool value_null_ = false;
    storage::value_kind kind_ = storage::value_kind::bytes;
    std::string header_bytes_;  // names and values one after the other
    std::vector<header_extent> headers_;
    std::size_t header_strings_ = 0;  // of the header at hand
    std::vector<storage::header_view> header_views_;
};

}  // namespace pystream::api
