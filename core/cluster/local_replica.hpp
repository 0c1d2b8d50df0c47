#pragma once

#include <memory>
#include <optional>

#include "core/base/owner_thread.hpp"
#include "core/cluster/replica.hpp"
#include "core/cluster/work.hpp"

namespace pystream::cluster {

// A replica whose log lies in a storage root of this process. Owner: the loop thread; lane and pool outlive it. Callbacks keep it
// alive until the last job is back.
class local_replica final : public replica, public std::enable_shared_from_this<local_replica> {
public:
    local_replica(base::broker_id broker, std::unique_ptr<storage::log> log, commit_lane& lane, worker_pool& pool);

    void append(append_request request, done<append_answer> answer) override;
    void read(base::offset from, base::offset limit, std::size_t bytes_max, done<storage::read_outcome> answer) override;
    void find_time(std::int64_t timestamp_ns, base::offset limit, done<std::optional<base::offset>> answer) override;
    void checkpoint(done<void> answer) override;
    void set_options(const storage::log_options& options) override { log_->set_options(options); }
    void close(done<void> answer) override;
    const std::optional<base::error>& failure() const override { return log_->failure(); }
    base::offset start() const override { return log_->start(); }
    std::uint64_t size_bytes() const override { return log_->size_bytes(); }
    bool damaged() const override { return !log_->damages().empty(); }
    replica_state state() const override;

private:
    struct waiting_append {
        append_request request;
        done<append_answer> answer;
    };
    std::optional<base::error> refusal(const append_request& request) const;
    void start_append(append_request request, done<append_answer> answer);
    void finish_write();
    void begin_job() { ++jobs_out_; }
    void end_job();
    template <class T>
    bool refuse_closed(const done<T>& answer);

    base::owner_thread owner_;
    base::broker_id broker_;
    std::unique_ptr<storage::log> log_;
    commit_lane& lane_;
    worker_pool& pool_;
    base::leader_epoch epoch_;  // the highest seen
    bool writing_ = false;      // an append or a checkpoint is out
    std::size_t jobs_out_ = 0;  // of any kind
    bool closed_ = false;
    done<void> when_closed_;
    std::optional<waiting_append> next_;
};

}  // namespace pystream::cluster
