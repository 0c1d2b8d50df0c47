#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/owner_thread.hpp"
#include "core/cluster/metadata.hpp"
#include "core/cluster/replica.hpp"
#include "core/topics/partition.hpp"

namespace pystream::cluster {

// Called when a batch is decided: visible (every active replica has it durably), or an error, with outcome_unknown when it may have been stored.
using write_decided = std::function<void(const base::result<void>&)>;

// A partition as the cluster sees it: leader, epoch, active set, replicas, and the way of a batch from the leader's memory to all of
// them. The one place where a write is acknowledged is raise_high_watermark(). Owner: the loop thread; callbacks to it
// keep it alive.
class replicated_partition final : public std::enable_shared_from_this<replicated_partition> {
public:
    struct events {
        std::function<void()> high_watermark_raised;            // readers may go on
        std::function<void(const base::error&)> append_failed;  // once for each failed append of the leader
        std::function<void(std::uint64_t records, std::uint64_t bytes, std::uint64_t batches)> appended;
    };

    // `leader` is the leader's replica; null when it is not available, `problem` then says why.
    replicated_partition(partition_row row, std::shared_ptr<replica> leader, std::string problem, topics::tail_cache& cache,
                         topics::partition::position at, events on);

    // Takes records as one batch; `decided` comes later, in the order of the calls, never from inside. An error: nothing was taken.
    base::result<topics::partition::accepted> append(const storage::record_set& records,
                                                     std::span<const std::uint32_t> selection, std::int64_t now_ns,
                                                     std::uint16_t attributes, write_decided decided);

    // Why it takes no writes; nullopt when it does.
    std::optional<base::error> write_refusal() const;
    // Why it serves no reads.
    std::optional<base::error> read_refusal() const;

    const partition_row& row() const noexcept { return row_; }
    base::offset start() const;
    base::offset end() const noexcept { return memory_.next_offset(); }
    base::offset high_watermark() const noexcept { return memory_.high_watermark(); }
    bool has_keys() const noexcept { return memory_.has_keys(); }
    bool idle() const noexcept { return !appending_ && !memory_.has_pending(); }
    const topics::tail_ring& tail() const noexcept { return memory_.tail(); }
    replica* leader() const noexcept { return leader_.get(); }
    // Why it takes no writes or cannot be served; empty when well.
    std::string problem() const;

    // The partition is being deleted: no more appends are taken, undecided ones end as they end.
    void retire() noexcept { retired_ = true; }

private:
    struct undecided {
        base::offset end;
        write_decided decided;
    };
    void pump(std::int64_t now_ns);
    void appended(base::offset base, std::vector<storage::batch_extent> extents, base::result<append_answer> answer);
    void raise_high_watermark();
    void fail_from(base::offset base, base::offset in_flight_end, const base::error& why);

    base::owner_thread owner_;
    partition_row row_;
    std::shared_ptr<replica> leader_;
    std::string problem_;
    topics::partition memory_;
    events on_;
    std::optional<base::error> failure_;
    std::optional<storage::batch_extent> last_stored_;
    std::vector<base::offset> durable_ends_;  // one for each member of the active set
    std::deque<undecided> undecided_;
    std::int64_t last_now_ns_ = 0;
    bool appending_ = false;
    bool retired_ = false;
};

}  // namespace pystream::cluster
