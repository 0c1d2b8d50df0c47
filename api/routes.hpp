#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/context.hpp"

namespace pystream::api {

// What a request to a route may carry.
enum class body_form : std::uint8_t {
    none,
    json,     // application/json, one document
    records,  // JSON, NDJSON, or any other type as one record's bytes
};

inline constexpr std::string_view json_type = "application/json";
inline constexpr std::string_view ndjson_type = "application/x-ndjson";

struct route {
    static constexpr std::size_t parameters_max = 8;
    static constexpr std::size_t offers_max = 2;

    method verb;
    std::string_view pattern;  // "/api/topics/{topic}"
    handler* run;
    body_form body = body_form::none;
    std::array<std::string_view, parameters_max> parameters{};  // of the query; "topic*" may be repeated
    std::array<std::string_view, offers_max> offers{};  // media types to choose from by Accept; none: any Accept will do
    bool exempt = false;                                // answered however loaded the server is

    std::span<const std::string_view> known_parameters() const noexcept { return filled(parameters); }
    std::span<const std::string_view> offered() const noexcept { return filled(offers); }

private:
    template <std::size_t Size>
    static std::span<const std::string_view> filled(const std::array<std::string_view, Size>& names) noexcept;
};

// The one table of all operations. HEAD goes with GET; OPTIONS, 404 and 405 follow from it.
std::span<const route> routes() noexcept;

// `path` is the target without its query, still percent-encoded. Null: no such path, or not with this method.
const route* match_route(method verb, std::string_view path) noexcept;

// The methods of a path, for Allow; empty: no such path.
std::string allowed_methods(std::string_view path);

// Decodes and checks the variable parts of a path that matched. Errors: malformed for bad percent-encoding, invalid_field naming
// the part.
result<path_values> read_path(const route& matched, std::string_view path);

std::string_view to_string(method verb) noexcept;

template <std::size_t Size>
std::span<const std::string_view> route::filled(const std::array<std::string_view, Size>& names) noexcept
{
    std::size_t count = 0;
    while (count < Size && !names[count].empty()) ++count;
    return {names.data(), count};
}

}  // namespace pystream::api
