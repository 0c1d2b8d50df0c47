#include "api/json_writer.hpp"

#include <array>
#include <charconv>

#include "api/base64.hpp"

namespace pystream::api {
namespace {

// For every byte: 0 = as it is, 'u' = \u00XX, else the letter behind the backslash.
constexpr std::array<char, 256> make_escapes()
{
    std::array<char, 256> table{};
    for (std::size_t i = 0; i < 0x20; ++i) table[i] = 'u';
    table['\b'] = 'b';
    table['\t'] = 't';
    table['\n'] = 'n';
    table['\f'] = 'f';
    table['\r'] = 'r';
    table['"'] = '"';
    table['\\'] = '\\';
    return table;
}
constexpr auto escapes = make_escapes();

void append_escape(std::string& out, unsigned char byte)
{
    const char escape = escapes[byte];
    out += '\\';
    out += escape;
    if (escape != 'u') return;
    constexpr std::string_view digits = "0123456789abcdef";
    out += "00";
    out += digits[byte >> 4];
    out += digits[byte & 15];
}

}  // namespace

void append_json_string(std::string& out, std::string_view text)
{
    out += '"';
    std::size_t copied = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (escapes[byte] == 0) [[likely]]
            continue;
        out.append(text, copied, i - copied);
        append_escape(out, byte);
        copied = i + 1;
    }
    out.append(text, copied);
    out += '"';
}

void append_integer(std::string& out, std::int64_t number)
{
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    out.append(digits, end);
}

void json_writer::separate()
{
    if (comma_) out_ += ',';
    comma_ = true;
}

json_writer& json_writer::open(char bracket)
{
    separate();
    out_ += bracket;
    comma_ = false;
    return *this;
}

json_writer& json_writer::close(char bracket)
{
    out_ += bracket;
    comma_ = true;
    return *this;
}

json_writer& json_writer::name(std::string_view member)
{
    separate();
    out_ += '"';
    out_ += member;
    out_ += "\":";
    comma_ = false;
    return *this;
}

json_writer& json_writer::string(std::string_view text)
{
    separate();
    append_json_string(out_, text);
    return *this;
}

json_writer& json_writer::integer(std::int64_t number)
{
    separate();
    append_integer(out_, number);
    return *this;
}

json_writer& json_writer::raw(std::string_view json)
{
    separate();
    out_ += json;
    return *this;
}

json_writer& json_writer::base64(std::string_view bytes)
{
    separate();
    out_ += '"';
    append_base64(out_, bytes);
    out_ += '"';
    return *this;
}

}  // namespace pystream::api
