#include "api/field_errors.hpp"

#include <algorithm>

namespace pystream::api {

void field_errors::unknown(std::string_view parent, std::string_view name, std::string_view known)
{
    add(base::errc::unknown_field, child_pointer(parent, name), std::string{"no such field; there are "}.append(known));
}

void field_errors::add(base::errc code, std::string pointer, std::string detail)
{
    if (found_.fields.size() >= fields_max) return;
    if (found_.fields.empty()) {
        found_.code = code;
        found_.detail = (pointer.empty() ? std::string{"the body"} : pointer) + ": " + detail;
    }
    found_.fields.push_back({std::move(pointer), std::move(detail)});
}

void field_errors::add(const base::error& other)
{
    for (const auto& field : other.fields) add(other.code, field.pointer, field.detail);
}

std::string child_pointer(std::string_view parent, std::string_view token)
{
    constexpr std::size_t token_bytes_max = 100;
    std::string pointer{parent};
    pointer += '/';
    for (const char c : token.substr(0, token_bytes_max)) {
        if (c == '~')
            pointer += "~0";
        else if (c == '/')
            pointer += "~1";
        else
            pointer += c;
    }
    return pointer;
}

base::error malformed_at(std::string_view what, std::string_view body, std::size_t position, std::size_t first_line)
{
    const auto before = body.substr(0, position);
    const auto line = first_line + static_cast<std::size_t>(std::ranges::count(before, '\n'));
    const auto column = before.size() - (before.rfind('\n') + 1) + 1;
    return {base::errc::malformed,
            std::string{"not JSON: "}.append(what) + " at line " + std::to_string(line) + ", column " + std::to_string(column)};
}

}  // namespace pystream::api
