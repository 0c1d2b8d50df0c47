#pragma once

#include <cstddef>
#include <cstdint>

// Every bound that is not a setting. A loop, queue, buffer or wait without one of these or a setting is a bug.

namespace pystream::base::limits {

inline constexpr std::size_t kibibyte = 1024;
inline constexpr std::size_t mebibyte = 1024 * kibibyte;
inline constexpr std::uint64_t gibibyte = 1024ULL * mebibyte;

inline constexpr std::size_t name_bytes_max = 249;             // topic, group and producer names
inline constexpr std::int32_t partitions_max = 10'000;         // of one topic
inline constexpr std::int32_t partitions_total_max = 100'000;  // of the whole cluster
inline constexpr std::int32_t brokers_max = 1'000;
inline constexpr std::size_t batch_bytes_max = 64 * mebibyte;  // the largest MAX_BATCH_BYTES, so what recovery must expect
inline constexpr std::size_t record_headers_max = 64;          // of one record
inline constexpr std::size_t records_per_request_max = 100'000;
inline constexpr std::size_t commits_per_request_max = 1'000;
inline constexpr std::size_t commit_metadata_bytes_max = 4 * kibibyte;
inline constexpr std::size_t committed_offsets_max = 2'000'000;  // of all groups together
inline constexpr std::size_t list_items_max = 1'000;             // one page of a list
inline constexpr std::size_t json_depth_max = 32;
inline constexpr std::int64_t wait_ms_max = 60'000;
inline constexpr std::uint64_t segment_bytes_max = 4 * gibibyte;
inline constexpr std::uint64_t segment_bytes_min = 64 * kibibyte;
inline constexpr std::size_t index_interval_bytes = 16 * kibibyte;

}  // namespace pystream::base::limits
