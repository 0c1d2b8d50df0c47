#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/error.hpp"
#include "core/base/ids.hpp"
#include "core/engine/types.hpp"

namespace pystream::api {

struct page_options {
    std::size_t records_max = 0;
    std::uint64_t bytes_max = 0;  // of keys, values and headers; at least one record comes
    bool base64 = false;          // values=base64: the same fields for every record
    bool ndjson = false;
};

struct page {
    std::string body;
    base::offset next;  // where to go on reading
};

// The records of a fetch from its first offset on, as one JSON answer or one record a line. Values go out the way they came:
// text as a string, JSON as its text, bytes as value_base64. The error is corrupt_record.
base::result<page> encode_page(const std::string& topic, const engine::fetch_result& fetched, const page_options& options);

// The bytes of log that a page would be made of, to decide where to make it.
std::size_t stored_bytes(const engine::fetch_result& fetched) noexcept;

}  // namespace pystream::api
