#include "core/base/error.hpp"

#include <stdexcept>

namespace pystream::base {

std::string_view to_string(errc code) noexcept
{
    switch (code) {
    case errc::malformed: return "malformed";
    case errc::invalid_field: return "invalid_field";
    case errc::unknown_field: return "unknown_field";
    case errc::record_too_large: return "record_too_large";
    case errc::batch_too_large: return "batch_too_large";
    case errc::internal_topic: return "internal_topic";
    case errc::topic_not_found: return "topic_not_found";
    case errc::partition_not_found: return "partition_not_found";
    case errc::group_not_found: return "group_not_found";
    case errc::offset_removed: return "offset_removed";
    case errc::topic_exists: return "topic_exists";
    case errc::reroute_required: return "reroute_required";
    case errc::offset_mismatch: return "offset_mismatch";
    case errc::offset_regression: return "offset_regression";
    case errc::offset_out_of_range: return "offset_out_of_range";
    case errc::disk_full: return "disk_full";
    case errc::read_only: return "read_only";
    case errc::too_many_open_files: return "too_many_open_files";
    case errc::io_failed: return "io_failed";
    case errc::not_found_on_disk: return "not_found_on_disk";
    case errc::already_exists_on_disk: return "already_exists_on_disk";
    case errc::locked: return "locked";
    case errc::corrupt_record: return "corrupt_record";
    case errc::corrupt_metadata: return "corrupt_metadata";
    case errc::not_ready: return "not_ready";
    case errc::draining: return "draining";
    case errc::overloaded: return "overloaded";
    case errc::partition_failed: return "partition_failed";
    case errc::partition_unavailable: return "partition_unavailable";
    case errc::brokers_unavailable: return "brokers_unavailable";
    case errc::not_enough_replicas: return "not_enough_replicas";
    case errc::replication_failed: return "replication_failed";
    case errc::partially_written: return "partially_written";
    case errc::outcome_unknown: return "outcome_unknown";
    case errc::canceled: return "canceled";
    case errc::internal: return "internal";
    }
    return "internal";
}

error invalid(std::string pointer, std::string detail)
{
    error e{errc::invalid_field, detail};
    e.fields.push_back({std::move(pointer), std::move(detail)});
    return e;
}

void throw_exception_from_error(const error& e, const boost::source_location& where)
{
    throw std::logic_error("unexpected error " + std::string{to_string(e.code)} + " (" + e.detail + e.internal + ") at " +
                           where.file_name() + ":" + std::to_string(where.line()));
}

}  // namespace pystream::base
