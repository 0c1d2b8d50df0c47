#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cluster/metadata.hpp"
#include "core/io/file_system.hpp"

namespace pystream::cluster {

enum class transaction_outcome : std::uint8_t {
    applied,   // all changes are durable
    conflict,  // a row was not at its expected revision (or the write surely failed): nothing changed
    unknown,   // it may or may not have been applied; the caller re-reads before it goes on
};

struct transaction_result {
    transaction_outcome outcome = transaction_outcome::unknown;
    std::int64_t revision = 0;  // of the store, when applied
    base::error error;          // why not, otherwise
};

struct loaded_rows {
    std::int64_t revision = 0;
    std::vector<row> rows;  // by key
};

// Where the cluster's rows live. Any call may take long or end with an unknown outcome; the answer comes through the callback on the
// owner's thread, never from inside the call.
class metadata_store {
public:
    virtual ~metadata_store() = default;
    virtual void load(std::function<void(base::result<loaded_rows>)> done) = 0;
    virtual void transact(std::vector<row_change> changes, std::function<void(transaction_result)> done) = 0;
};

// The local form: all rows in DATA_DIR/cluster.meta (docs/formats.md), replaced whole and durably. Pure part, so that the
// blocking write can be put on a worker by whoever owns the threads.
//
// File content: {"version":1,"revision":N,"rows":[{"key":...,"revision":...,"value":{...}}, ...]}
std::string encode_metadata_file(const loaded_rows& rows);
base::result<loaded_rows> decode_metadata_file(std::string_view content);

// Applies changes to a copy: the new rows, or the conflict. Pure.
base::result<loaded_rows> apply_changes(const loaded_rows& rows, const std::vector<row_change>& changes);

}  // namespace pystream::cluster
