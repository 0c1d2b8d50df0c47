#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pystream::api {

// Appends `text`, which must be valid UTF-8, as a JSON string (RFC 8259 section 7): only what must be escaped is.
void append_json_string(std::string& out, std::string_view text);

// Appends `number` in decimal.
void append_integer(std::string& out, std::int64_t number);

// Writes one JSON document behind a string, commas included. The caller keeps begin and end in balance. Names of members
// are our own constants and are not escaped.
class json_writer {
public:
    explicit json_writer(std::string& out) noexcept : out_(out) {}

    json_writer& begin_object() { return open('{'); }
    json_writer& end_object() { return close('}'); }
    json_writer& begin_array() { return open('['); }
    json_writer& end_array() { return close(']'); }
    json_writer& name(std::string_view member);

    json_writer& string(std::string_view text);
    json_writer& integer(std::int64_t number);
    json_writer& count(std::uint64_t number) { return integer(static_cast<std::int64_t>(number)); }
    json_writer& boolean(bool value) { return raw(value ? "true" : "false"); }
    json_writer& null() { return raw("null"); }
    // `json` is a complete JSON value.
    json_writer& raw(std::string_view json);
    // Base64 with padding (RFC 4648 section 4).
    json_writer& base64(std::string_view bytes);

    json_writer& member(std::string_view member_name, std::string_view text) { return name(member_name).string(text); }

private:
    json_writer& open(char bracket);
    json_writer& close(char bracket);
    void separate();

    std::string& out_;
    bool comma_ = false;  // the next member or element needs one in front
};

}  // namespace pystream::api
