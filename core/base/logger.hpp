#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace pystream::base {

enum class severity : std::uint8_t { debug, info, warning, error, critical };

// One named fact of a log line.
struct log_field {
    std::string_view name;
    std::variant<std::int64_t, std::string> value;
    log_field(std::string_view n, std::string_view v) : name(n), value(std::string{v}) {}
    log_field(std::string_view n, std::integral auto v) : name(n), value(static_cast<std::int64_t>(v)) {}
};

// Where events go. Implementations are called from any thread and never throw or block for long.
class logger {
public:
    virtual ~logger() = default;
    virtual bool enabled(severity level) const noexcept = 0;
    virtual void write(severity level, std::string_view event, std::initializer_list<log_field> fields) noexcept = 0;
};

// Drops everything.
class null_logger final : public logger {
public:
    bool enabled(severity) const noexcept override { return false; }
    void write(severity, std::string_view, std::initializer_list<log_field>) noexcept override {}
};

}  // namespace pystream::base
