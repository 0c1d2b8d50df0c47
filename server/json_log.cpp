#include "server/json_log.hpp"

#include <poll.h>
#include <unistd.h>

#include <charconv>
#include <chrono>

namespace pystream::server {
namespace {

constexpr std::size_t line_bytes_max = 4096;  // PIPE_BUF: written whole or not at all
constexpr std::size_t text_bytes_max = 1024;  // of one value
constexpr std::string_view hex = "0123456789abcdef";

std::string_view level_name(base::severity level) noexcept
{
    constexpr std::string_view names[] = {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"};
    return names[static_cast<std::size_t>(level)];
}

void append_number(std::string& out, std::int64_t value, int width = 0)
{
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    for (auto missing = width - (end - digits); missing > 0; --missing) out += '0';
    out.append(digits, end);
}

// RFC 3339, UTC, milliseconds.
void append_time(std::string& out, std::int64_t wall_ns)
{
    using namespace std::chrono;
    const sys_time<milliseconds> when{milliseconds{wall_ns / 1'000'000}};
    const sys_days day = floor<days>(when);
    const year_month_day date{day};
    const hh_mm_ss time{when - day};
    append_number(out, static_cast<int>(date.year()), 4);
    out += '-';
    append_number(out, static_cast<unsigned>(date.month()), 2);
    out += '-';
    append_number(out, static_cast<unsigned>(date.day()), 2);
    out += 'T';
    append_number(out, time.hours().count(), 2);
    out += ':';
    append_number(out, time.minutes().count(), 2);
    out += ':';
    append_number(out, time.seconds().count(), 2);
    out += '.';
    append_number(out, time.subseconds().count(), 3);
    out += 'Z';
}

// Anything outside printable ASCII is escaped byte by byte: a log line stays valid JSON whatever a client or a path holds.
void append_text(std::string& out, std::string_view text)
{
    out += '"';
    for (const char c : text.substr(0, text_bytes_max)) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (byte >= 0x20 && byte < 0x7f)
            out += c;
        else
            ((out += "\\u00") += hex[byte >> 4]) += hex[byte & 0xf];
    }
    out += text.size() > text_bytes_max ? "...\"" : "\"";
}

void append_field(std::string& out, const base::log_field& field)
{
    const std::size_t before = out.size();
    out += ',';
    append_text(out, field.name);
    out += ':';
    if (const auto* number = std::get_if<std::int64_t>(&field.value))
        append_number(out, *number);
    else
        append_text(out, std::get<std::string>(field.value));
    if (out.size() > line_bytes_max - 2) out.resize(before);  // room for "}\n"
}

}  // namespace

std::string format_log_line(std::int64_t wall_ns, base::severity level, std::string_view event,
                            std::initializer_list<base::log_field> fields)
{
    std::string out = R"({"time":")";
    append_time(out, wall_ns);
    out.append(R"(","level":")").append(level_name(level)).append(R"(","event":)");
    append_text(out, event);
    for (const base::log_field& field : fields) append_field(out, field);
    return out += "}\n";
}

void json_log::write(base::severity level, std::string_view event, std::initializer_list<base::log_field> fields) noexcept
try {
    if (!enabled(level)) return;
    const std::string line = format_log_line(clock_.wall_ns(), level, event, fields);
    const std::lock_guard lock{mutex_};
    write_line(line);
} catch (...) {  // out of memory: the event is lost, the caller goes on
}

void json_log::write_line(const std::string& line)
{
    const auto put = [this](std::string_view text) {
        pollfd ready{descriptor_, POLLOUT, 0};
        const bool takes = ::poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0;
        return takes && ::write(descriptor_, text.data(), text.size()) > 0;
    };
    if (dropped_ > 0) {
        const auto note =
            format_log_line(clock_.wall_ns(), base::severity::warning, "log lines dropped", {{"count", dropped_}});
        if (!put(note)) {
            ++dropped_;
            return;
        }
        dropped_ = 0;
    }
    if (!put(line)) ++dropped_;
}

}  // namespace pystream::server
