#include "server/response_head.hpp"

#include <array>
#include <charconv>
#include <chrono>

#include "server/http_text.hpp"

namespace pystream::server {
namespace {

struct status_text {
    unsigned status;
    std::string_view line;
};

constexpr status_text known[] = {
    {200, "HTTP/1.1 200 OK\r\n"},
    {201, "HTTP/1.1 201 Created\r\n"},
    {202, "HTTP/1.1 202 Accepted\r\n"},
    {204, "HTTP/1.1 204 No Content\r\n"},
    {206, "HTTP/1.1 206 Partial Content\r\n"},
    {304, "HTTP/1.1 304 Not Modified\r\n"},
    {400, "HTTP/1.1 400 Bad Request\r\n"},
    {401, "HTTP/1.1 401 Unauthorized\r\n"},
    {403, "HTTP/1.1 403 Forbidden\r\n"},
    {404, "HTTP/1.1 404 Not Found\r\n"},
    {405, "HTTP/1.1 405 Method Not Allowed\r\n"},
    {406, "HTTP/1.1 406 Not Acceptable\r\n"},
    {408, "HTTP/1.1 408 Request Timeout\r\n"},
    {409, "HTTP/1.1 409 Conflict\r\n"},
    {410, "HTTP/1.1 410 Gone\r\n"},
    {412, "HTTP/1.1 412 Precondition Failed\r\n"},
    {413, "HTTP/1.1 413 Content Too Large\r\n"},
    {414, "HTTP/1.1 414 URI Too Long\r\n"},
    {415, "HTTP/1.1 415 Unsupported Media Type\r\n"},
    {416, "HTTP/1.1 416 Range Not Satisfiable\r\n"},
    {417, "HTTP/1.1 417 Expectation Failed\r\n"},
    {421, "HTTP/1.1 421 Misdirected Request\r\n"},
    {422, "HTTP/1.1 422 Unprocessable Content\r\n"},
    {429, "HTTP/1.1 429 Too Many Requests\r\n"},
    {431, "HTTP/1.1 431 Request Header Fields Too Large\r\n"},
    {500, "HTTP/1.1 500 Internal Server Error\r\n"},
    {501, "HTTP/1.1 501 Not Implemented\r\n"},
    {503, "HTTP/1.1 503 Service Unavailable\r\n"},
    {504, "HTTP/1.1 504 Gateway Timeout\r\n"},
    {505, "HTTP/1.1 505 HTTP Version Not Supported\r\n"},
    {507, "HTTP/1.1 507 Insufficient Storage\r\n"},
};

void append_number(std::string& out, std::uint64_t value)
{
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    out.append(digits, end);
}

void append_status_line(std::string& out, unsigned status)
{
    for (const status_text& entry : known)
        if (entry.status == status) {
            out.append(entry.line);
            return;
        }
    out.append("HTTP/1.1 ");
    append_number(out, status);
    out.append(" \r\n");  // an empty reason phrase (RFC 9112, 4)
}

void append_field(std::string& out, std::string_view name, std::string_view value)
{
    out.append(name).append(": ").append(value).append("\r\n");
}

void append_two_digits(std::string& out, unsigned value)
{
    out += static_cast<char>('0' + value / 10);
    out += static_cast<char>('0' + value % 10);
}

}  // namespace

std::string http_date(std::int64_t unix_seconds)
{
    using namespace std::chrono;
    constexpr std::string_view days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::string_view months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const sys_seconds when{seconds{unix_seconds}};
    const sys_days day = floor<std::chrono::days>(when);
    const year_month_day date{day};
    const hh_mm_ss time{when - day};

    std::string out{days[weekday{day}.c_encoding()]};
    out.append(", ");
    append_two_digits(out, static_cast<unsigned>(date.day()));
    out.append(" ").append(months[static_cast<unsigned>(date.month()) - 1]).append(" ");
    append_number(out, static_cast<std::uint64_t>(static_cast<int>(date.year())));
    out.append(" ");
    append_two_digits(out, static_cast<unsigned>(time.hours().count()));
    out.append(":");
    append_two_digits(out, static_cast<unsigned>(time.minutes().count()));
    out.append(":");
    append_two_digits(out, static_cast<unsigned>(time.seconds().count()));
    out.append(" GMT");
    return out;
}

void append_response_head(std::string& out, const api::response& answer, const response_framing& framing)
{
    append_status_line(out, answer.status);
    append_field(out, "Date", framing.date);
    for (const api::header& field : answer.headers)
        if (is_token(field.name) && is_field_value(field.value)) append_field(out, field.name, field.value);
    append_field(out, "X-Request-Id", framing.request_id);
    out.append("X-Content-Type-Options: nosniff\r\n");
    if (framing.close)
        out.append("Connection: close\r\n");
    else if (framing.http_1_0)
        out.append("Connection: keep-alive\r\n");
    if (status_has_body(answer.status)) {
        out.append("Content-Length: ");
        append_number(out, body_of(answer).size());
        out.append("\r\n");
    }
    out.append("\r\n");
}

}  // namespace pystream::server
