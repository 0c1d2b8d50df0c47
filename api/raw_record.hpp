#pragma once

#include "api/context.hpp"
#include "core/storage/record.hpp"

namespace pystream::api {

// Any body that is neither JSON nor NDJSON is one record: its bytes are the value. The key comes from ?key=, ?key_base64= or the
// Record-Key header, record headers from Record-Header-NAME. The Content-Type is kept as record header content-type.
result<storage::record_set> decode_raw_record(const context& c);

}  // namespace pystream::api
