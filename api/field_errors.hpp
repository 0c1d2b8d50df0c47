#pragma once

#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace pystream::api {

// What is wrong with a body, collected so that one answer names several places.
class field_errors {
public:
    static constexpr std::size_t fields_max = 10;

    void invalid(std::string pointer, std::string detail)
    {
        add(base::errc::invalid_field, std::move(pointer), std::move(detail));
    }
    // `name` is the client's own text.
    void unknown(std::string_view parent, std::string_view name, std::string_view known);

    // Takes over the fields of an error that another part found.
    void add(const base::error& other);

    bool empty() const noexcept { return found_.fields.empty(); }
    // The first code and detail, and all fields. Precondition: not empty.
    base::error take() { return std::move(found_); }

private:
    void add(base::errc code, std::string pointer, std::string detail);
    base::error found_;
};

// `parent` with one more reference token (RFC 6901), cut where a hostile name would make the answer long.
std::string child_pointer(std::string_view parent, std::string_view token);

// A malformed error: what is wrong at which line and column (both from 1, in bytes) of `body`.
base::error malformed_at(std::string_view what, std::string_view body, std::size_t position, std::size_t first_line = 1);

}  // namespace pystream::api
