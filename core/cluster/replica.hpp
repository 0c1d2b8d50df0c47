#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/ids.hpp"
#include "core/storage/log.hpp"
#include "core/topics/partition.hpp"

namespace pystream::cluster {

struct append_request {
    base::leader_epoch epoch;  // the appending leader's
    std::optional<storage::batch_extent>
        previous;  // the leader's batch before these; its epoch and CRC must be the replica's last
    topics::pending_batches batches;
    std::int64_t now_ns = 0;
};

struct append_answer {
    base::offset durable_end;
    std::shared_ptr<const std::string> bytes;  // what was appended, for memory
};

struct replica_state {
    base::broker_id broker;
    base::offset start;
    base::offset end;
    std::uint64_t bytes = 0;
    std::vector<storage::segment_info> segments;
    std::vector<storage::damage> damages;
    std::optional<base::error> failure;  // takes no writes until it is opened again
};

// One copy of one partition, wherever it is: the seam behind which a broker may be another process. Every call may take long or end with an
// unknown outcome; the answer comes through the callback on the owner's thread, never from inside the call.
class replica {
public:
    template <class T>
    using done = std::function<void(base::result<T>)>;

    virtual ~replica() = default;
    // Refuses an old epoch, a gap, and a previous batch that differs. On success the batches are durable. disk_full,
    // too_many_open_files and read_only: nothing was stored, later appends may work. Any other error: the replica is failed.
    virtual void append(append_request request, done<append_answer> answer) = 0;
    // Whole batches from the one that holds `from`, below `limit`; at least one. Precondition: start <= from < limit <= end.
    virtual void read(base::offset from, base::offset limit, std::size_t bytes_max, done<storage::read_outcome> answer) = 0;
    // First offset below `limit` whose timestamp is at or after the given one.
    virtual void find_time(std::int64_t timestamp_ns, base::offset limit, done<std::optional<base::offset>> answer) = 0;
    // Moves the recovery point to the end, so that a restart need not scan; does nothing when it is there already.
    virtual void checkpoint(done<void> answer) = 0;
    virtual void set_options(const storage::log_options& options) = 0;
    // Takes no more work (topic_not_found) and answers when nothing is out any more: only then may its files be moved or removed.
    virtual void close(done<void> answer) = 0;
    // What is known here and now.
    virtual base::offset start() const = 0;
    virtual std::uint64_t size_bytes() const = 0;
    virtual const std::optional<base::error>& failure() const = 0;
    virtual bool damaged() const = 0;  // some of its records cannot be served
    virtual replica_state state() const = 0;
};

}  // namespace pystream::cluster
