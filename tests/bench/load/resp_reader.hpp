#pragma once

#include <cstddef>
#include <string_view>

#include "tests/bench/load/http_reader.hpp"

namespace pystream::bench {

// One value of the Redis protocol (RESP2). Arrays are walked, not kept: what the load needs is where they end and how long they are.
struct resp_value {
    char type = 0;              // '+', '-', ':', '$' or '*'
    std::string_view text;      // of '+', '-', ':' and '$'
    std::size_t elements = 0;   // of '*'
    bool null = false;          // $-1 or *-1
    bool error_inside = false;  // this value or one in it is an error
    std::size_t bytes = 0;      // all of it
};

// Reads the value at the start of `in`; nothing is kept between calls.
scan read_resp(std::string_view in, resp_value& out, unsigned depth_max = 8);

}  // namespace pystream::bench
