#include "config/settings_table.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "config/value.hpp"
#include "core/base/ids.hpp"
#include "core/base/limits.hpp"

namespace pystream::config {

namespace {

namespace limits = base::limits;

constexpr std::size_t name_bytes_max = 64;

template <class Member>
struct member_of;
template <class Value>
struct member_of<Value settings::*> {
    using type = Value;
};
template <class Value>
struct member_of<std::optional<Value> settings::*> {
    using type = Value;
};

template <auto Member, std::int64_t Min, std::int64_t Max>
bool assign_integer(std::string_view text, settings& out)
{
    const auto value = parse_integer(text);
    if (!value || *value < Min || *value > Max) return false;
    out.*Member = static_cast<typename member_of<decltype(Member)>::type>(*value);
    return true;
}

template <auto Member, std::int64_t Min, std::int64_t Max>
setting integer(std::string_view name, std::string_view fallback, std::string_view help)
{
    std::string allowed = "an integer from " + std::to_string(Min) + " to " + std::to_string(Max);
    return {.name = name, .fallback = fallback, .allowed = allowed, .help = help, .assign = assign_integer<Member, Min, Max>};
}

template <auto Member, std::int64_t Min, std::int64_t Max>
setting optional_integer(std::string_view name, std::string_view help)
{
    setting row = integer<Member, Min, Max>(name, "", help);
    row.allowed += ", or unset";
    row.assign = [](std::string_view text, settings& out) {
        if (!text.empty()) return assign_integer<Member, Min, Max>(text, out);
        (out.*Member).reset();
        return true;
    };
    return row;
}

template <auto Member, auto Parse>
bool assign_parsed(std::string_view text, settings& out)
{
    auto value = Parse(text);
    if (value) out.*Member = std::move(*value);
    return value.has_value();
}

bool assign_origins(std::string_view text, settings& out)
{
    if (!text.empty()) return assign_parsed<&settings::cors_origins, parse_origins>(text, out);
    out.cors_origins.clear();
    return true;
}

// A setting that the design names and this version does not have: users learn that it is not there instead of being ignored.
setting reserved(std::string_view name, std::string_view fallback, std::string_view planned, std::string_view help)
{
    std::string allowed = fallback.empty() ? "unset" : std::string{fallback};
    allowed.append(" (not available yet: ").append(planned).append(")");
    return {.name = name, .fallback = fallback, .allowed = allowed, .help = help, .available = false};
}

constexpr std::int64_t whole = base::json_integer_max;
constexpr auto batch_max = static_cast<std::int64_t>(limits::batch_bytes_max);
constexpr auto gibibyte = static_cast<std::int64_t>(limits::gibibyte);
constexpr std::int64_t hour_millis = 3'600'000;

std::vector<setting> server_rows()
{
    return {
        {.name = "APP_NAME",
         .fallback = "pystream",
         .allowed = "1 to 64 printable ASCII characters",
         .help = "the service name in health answers and logs",
         .assign =
             [](std::string_view text, settings& out) {
                 if (!is_printable(text, name_bytes_max)) return false;
                 out.app_name = text;
                 return true;
             }},
        {.name = "HOST",
         .fallback = "127.0.0.1",
         .allowed = "an IPv4 address, an IPv6 address with or without brackets, or localhost",
         .help = "the address to listen on; beyond loopback it needs INSECURE=true",
         .assign = assign_parsed<&settings::host, parse_host>},
        integer<&settings::port, 0, 65535>("PORT", "8000", "the TCP port to listen on; 0 lets the system choose one"),
        {.name = "LOG_LEVEL",
         .fallback = "INFO",
         .allowed = "DEBUG, INFO, WARNING, ERROR or CRITICAL",
         .help = "the least severe kind of event that is logged",
         .assign = assign_parsed<&settings::log_level, parse_level>},
        {.name = "INSECURE",
         .fallback = "false",
         .allowed = "true or false",
         .help = "true: listen beyond loopback although anyone who can connect may read and write everything",
         .is_switch = true,
         .assign = assign_parsed<&settings::insecure, parse_boolean>},
        {.name = "CORS_ORIGINS",
         .fallback = "",
         .allowed = "*, or origins such as https://app.example separated by commas, or unset",
         .help = "the origins whose pages may call the API from a browser",
         .assign = assign_origins},
        integer<&settings::worker_threads, 1, 256>("WORKER_THREADS", "4",
                                                   "threads for blocking and long work besides the commits"),
        integer<&settings::max_connections, 1, 1'000'000>("MAX_CONNECTIONS", "10000", "open connections; one more is refused"),
        integer<&settings::max_inflight_bytes, 65'536, 64 * gibibyte>(
            "MAX_INFLIGHT_BYTES", "268435456",
            "memory for requests and answers under way, over all connections; above it: 503"),
        integer<&settings::shutdown_grace_millis, 0, hour_millis>("SHUTDOWN_GRACE_MILLIS", "30000",
                                                                  "how long a stop waits for requests under way"),
    };
}

std::vector<setting> storage_rows()
{
    return {
        {.name = "DATA_DIR",
         .fallback = "data",
         .allowed = "a path",
         .help = "the directory that holds everything; made when it is missing",
         .assign =
             [](std::string_view text, settings& out) {
                 out.data_dir = text;
                 return !text.empty();
             }},
        integer<&settings::default_partitions, 1, limits::partitions_max>("DEFAULT_PARTITIONS", "1",
                                                                          "partitions of a topic created without a count"),
        integer<&settings::segment_bytes, limits::segment_bytes_min, limits::segment_bytes_max>(
            "SEGMENT_BYTES", "1073741824", "a segment file is closed before it would exceed this"),
        optional_integer<&settings::segment_millis, 1, whole>(
            "SEGMENT_MILLIS", "a segment file is closed when its first record is older; unset: by size only"),
        integer<&settings::max_record_bytes, 1, batch_max>("MAX_RECORD_BYTES", "1048576",
                                                           "key, value and headers of one record"),
        integer<&settings::max_batch_bytes, 1, batch_max>("MAX_BATCH_BYTES", "8388608",
                                                          "the share of one request that goes to one partition, as stored"),
        integer<&settings::max_body_bytes, 1, gibibyte>("MAX_BODY_BYTES", "16777216", "one request body; above it: 413"),
        integer<&settings::tail_cache_bytes, 0, 64 * gibibyte>("TAIL_CACHE_BYTES", "67108864",
                                                               "memory for the newest batches, over all partitions"),
    };
}

std::vector<setting> reserved_rows()
{
    return {
        reserved("BROKERS", "1", "a larger count, or id=path,...", "the brokers in this process"),
        reserved("PLACEMENT", "modulo", "ring", "how partitions are spread over brokers"),
        reserved("DEFAULT_REPLICATION_FACTOR", "1", "2 and more", "replicas of a topic created without a factor"),
        reserved("DURABILITY", "sync", "interval", "when an append is acknowledged: once it is synced to the disk"),
        reserved("SYNC_RECORDS", "", "a count of records", "with DURABILITY=interval: sync after so many records"),
        reserved("SYNC_MILLIS", "", "milliseconds", "with DURABILITY=interval: sync after so long"),
        reserved("RETENTION_BYTES", "", "bytes", "remove the oldest segments of a partition above this size; unset: keep"),
        reserved("RETENTION_MILLIS", "", "milliseconds", "remove segments older than this; unset: keep"),
        reserved("SESSION_TIMEOUT_MILLIS", "10000", "milliseconds", "silence after which a group member is evicted"),
        reserved("SESSION_TIMEOUT_MILLIS_MIN", "", "milliseconds", "the shortest session timeout a member may ask for"),
        reserved("SESSION_TIMEOUT_MILLIS_MAX", "", "milliseconds", "the longest session timeout a member may ask for"),
        reserved("AUTH_TOKENS_FILE", "", "a path", "the tokens that callers must present"),
        reserved("TLS_CERT", "", "a path", "the certificate chain for HTTPS, PEM"),
        reserved("TLS_KEY", "", "a path", "its private key, PEM"),
        reserved("ADVERTISED_URL", "", "a URL", "where other brokers reach this one"),
    };
}

std::vector<setting> make_table()
{
    std::vector<setting> table = server_rows();
    for (auto& rows : {storage_rows(), reserved_rows()}) table.insert(table.end(), rows.begin(), rows.end());
    return table;
}

}  // namespace

std::span<const setting> settings_table()
{
    static const std::vector<setting> table = make_table();
    return table;
}

std::string environment_name(const setting& row)
{
    return std::string{environment_prefix}.append(row.name);
}

std::string option_name(const setting& row)
{
    std::string name{row.name};
    for (char& c : name) c = c == '_' ? '-' : static_cast<char>(c - 'A' + 'a');
    return name;
}

}  // namespace pystream::config
