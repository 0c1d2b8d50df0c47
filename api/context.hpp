#pragma once

#include <string>

#include "api/http.hpp"
#include "api/media.hpp"
#include "api/query.hpp"
#include "api/service.hpp"
#include "core/base/error.hpp"
#include "core/base/ids.hpp"
#include "core/engine/engine.hpp"

namespace pystream::api {

using base::errc;
using base::error;
using base::result;

// The variable parts of a path: percent-decoded once and valid.
struct path_values {
    std::string topic;
    std::string group;
    std::string asset;
    base::partition_index partition;
    bool has_partition = false;
    base::offset offset;
};

// What a handler works on: one request after routing. It lives in the service's coroutine frame until the answer is made.
struct context {
    engine::engine& core;
    const counters_source& counters;
    const api_options& options;
    request& incoming;
    path_values path;
    query_parameters query;
    media_type body_type;      // of a request with a body
    std::size_t accepted = 0;  // which of the route's offered media types the client gets
};

// An error becomes a problem answer in one place, the service.
using handler = engine::awaitable<result<response>>(context& c);

}  // namespace pystream::api
