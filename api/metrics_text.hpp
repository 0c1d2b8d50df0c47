#pragma once

#include <string>

#include "api/http.hpp"
#include "core/engine/types.hpp"

namespace pystream::api {

struct metrics_input {
    engine::engine_counters engine;
    server_counters server;
    engine::cluster_description cluster;
    bool ready = false;
    std::string version;
};

// Everything this server counts, in the Prometheus text format 0.0.4.
std::string metrics_text(const metrics_input& input);

}  // namespace pystream::api
