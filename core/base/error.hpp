#pragma once

#include <boost/system/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pystream::base {

// Everything that can go wrong below the HTTP layer. api/problem.cpp maps each to a status and says whether to retry;
// the names here are the `code` of the answer.
enum class errc : std::uint8_t {
    // what the caller asked for is not acceptable; nothing changed
    malformed,         // bytes that cannot be parsed
    invalid_field,     // a field or parameter outside what is allowed
    unknown_field,     // a field or parameter that does not exist
    record_too_large,  // one record above max_record_bytes
    batch_too_large,   // one partition's share of a request above the batch limit
    internal_topic,    // users never write, alter or delete topics whose name starts with "__"
    // the thing does not exist
    topic_not_found,
    partition_not_found,
    group_not_found,
    offset_removed,  // below the log start: retention or compaction removed it
    // the state forbids it; nothing changed
    topic_exists,
    reroute_required,     // growing a topic that has keys without reroute_keys
    offset_mismatch,      // conditional append: facts expected, actual
    offset_regression,    // a commit below the committed offset without reset
    offset_out_of_range,  // facts earliest, latest
    // storage
    disk_full,
    read_only,  // the file system refuses writes for now
    too_many_open_files,
    io_failed,          // EIO, or any error of a sync: the file's content can no longer be known
    not_found_on_disk,  // a file or directory that should be there is not
    already_exists_on_disk,
    locked,            // another process owns the directory
    corrupt_record,    // facts offset, path, position
    corrupt_metadata,  // a metadata file that does not validate
    // availability
    not_ready,
    draining,
    overloaded,
    partition_failed,
    partition_unavailable,  // no leader that can serve
    brokers_unavailable,
    not_enough_replicas,
    replication_failed,
    partially_written,  // some partitions of one request have it, some do not
    outcome_unknown,    // it may or may not have happened
    canceled,           // the caller went away
    internal,           // a bug
};

// The stable name: `topic_not_found`.
std::string_view to_string(errc code) noexcept;

// One thing wrong with a request. `pointer` is a JSON pointer (RFC 6901) into the body, or a parameter or header name.
struct field_error {
    std::string pointer;
    std::string detail;
};

// An error as a value. `detail` is a sentence that may be shown to the client: no paths, no addresses of ours.
// `internal` is for our log only.
struct error {
    errc code = errc::internal;
    std::string detail;
    std::string internal;
    std::vector<field_error> fields;
    std::optional<std::int64_t> expected;
    std::optional<std::int64_t> actual;
    std::optional<std::int64_t> earliest;
    std::optional<std::int64_t> latest;
    std::optional<std::int64_t> offset;
    std::vector<std::int32_t> brokers;
    bool outcome_unknown = false;  // true: the change may have happened all the same

    error() = default;
    error(errc c, std::string d = {}, std::string i = {}) : code(c), detail(std::move(d)), internal(std::move(i)) {}
};

// An `invalid_field` error about one field.
error invalid(std::string pointer, std::string detail);

template <class T>
using result = boost::system::result<T, error>;

// Found by argument-dependent lookup: what result<T>::value() does on an error. Reaching it is a bug.
[[noreturn]] void throw_exception_from_error(const error& e, const boost::source_location& where);

}  // namespace pystream::base
