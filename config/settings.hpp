#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/logger.hpp"

// What the operator chose. Read once at start, by one thread, before anything else runs; the composition root copies
// values into the options structs of the parts. docs/configuration.md lists every setting.

namespace pystream::config {

// Defaults are in the table (config/settings_table.cpp), not here: a load() without any input fills every field.
struct settings {
    std::string app_name;
    std::string host;        // an IP address without brackets, or "localhost"
    std::uint16_t port = 0;  // 0: the system chooses one
    base::severity log_level = base::severity::info;
    std::string data_dir;
    std::int32_t default_partitions = 0;
    std::uint64_t segment_bytes = 0;
    std::optional<std::int64_t> segment_millis;
    std::size_t worker_threads = 0;
    std::size_t max_body_bytes = 0;
    std::size_t max_batch_bytes = 0;
    std::size_t max_record_bytes = 0;
    std::size_t max_connections = 0;
    std::size_t max_inflight_bytes = 0;
    std::size_t tail_cache_bytes = 0;
    std::int64_t shutdown_grace_millis = 0;
    std::vector<std::string> cors_origins;  // scheme://host[:port], or one "*"
    bool insecure = false;
};

// In rising precedence.
enum class origin : std::uint8_t { fallback, env_file, environment, command_line };

std::string_view to_string(origin from) noexcept;

// Where a setting's value comes from, for the start log.
struct effective_value {
    std::string_view name;  // MAX_BODY_BYTES
    std::string value;      // as given; empty when unset
    origin from = origin::fallback;
};

// One reason not to start.
struct bad_value {
    std::string name;  // as the user wrote it: PYSTREAM_PORT, --port, or a place in the env file
    std::string value;
    std::string reason;  // what is allowed, and a hint where we know one
};

// `PYSTREAM_PORT="abc": allowed: an integer from 0 to 65535`
std::string to_string(const bad_value& bad);

enum class request : std::uint8_t { serve, help, version };

struct load_result {
    settings values;  // usable only when `bad` is empty
    request wanted = request::serve;
    std::vector<effective_value> effective;  // one per row of the table, in its order
    std::vector<std::string> warnings;       // start anyway, but say so
    std::vector<bad_value> bad;              // all of them at once
};

// Everything that load() looks at besides the env file.
struct load_input {
    std::vector<std::string> arguments;     // without the program's name
    std::vector<std::string> environment;   // NAME=value; names without PYSTREAM_ are ignored
    std::string default_env_file = ".env";  // read when it exists; one named by --env-file must exist
};

load_input process_input(int argc, const char* const* argv, const char* const* environment);

// Command line > environment > env file > default. Never throws for bad input: see load_result::bad.
load_result load(const load_input& input);

// What --help and --version print, newline included.
std::string help_text();
std::string version_text();
// "0.1.0"
std::string_view version() noexcept;

}  // namespace pystream::config
