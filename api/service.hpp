#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/http.hpp"
#include "core/base/limits.hpp"
#include "core/base/logger.hpp"
#include "core/engine/engine.hpp"

namespace pystream::api {

// Copied from the settings by the composition root.
struct api_options {
    std::string service_name = "pystream";        // in health answers
    std::string version = "0.1.0";                // of the program, for /metrics
    std::vector<std::string> cors_origins;        // origins whose pages may call the API, or one "*"
    std::size_t body_bytes_max = 16 << 20;        // of a produce request; other bodies: at most 1 MiB of it
    std::size_t offload_above_bytes = 256 << 10;  // JSON work above this runs on the worker pool
    base::logger* logger = nullptr;               // for exceptions that no handler expects; null: nowhere
    std::int64_t partitions_asked_max = base::limits::partitions_max;  // in one request for committed offsets
};

// The HTTP API over an engine. Both references must outlive the service; the service must outlive every handle().
std::unique_ptr<service> make_service(engine::engine& core, const counters_source& counters, api_options options);

}  // namespace pystream::api
