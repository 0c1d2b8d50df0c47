#include "core/cluster/local_replica.hpp"

#include <utility>

#include "core/base/assert.hpp"

namespace pystream::cluster {

using base::errc;
using base::error;
using base::offset;
using base::result;

local_replica::local_replica(base::broker_id broker, std::unique_ptr<storage::log> log, commit_lane& lane, worker_pool& pool)
    : broker_(broker), log_(std::move(log)), lane_(lane), pool_(pool)
{
    if (const auto last = log_->last_batch()) epoch_ = last->epoch;
}

std::optional<error> local_replica::refusal(const append_request& request) const
{
    if (closed_) return error{errc::topic_not_found, "the topic was deleted"};
    if (log_->failure()) return log_->failure();
    if (request.epoch < epoch_) return error{errc::replication_failed, "a newer leader epoch is known"};
    if (request.batches.base != log_->end())
        return error{errc::replication_failed, "the batches do not continue the replica's log"};
    const auto last = log_->last_batch();
    if (request.previous && last && (request.previous->epoch != last->epoch || request.previous->crc != last->crc))
        return error{errc::replication_failed, "the leader's previous batch differs from the replica's last one"};
    return std::nullopt;
}

void local_replica::append(append_request request, done<append_answer> answer)
{
    owner_.check();
    if (!writing_) return start_append(std::move(request), std::move(answer));
    PYSTREAM_ASSERT(!next_);
    next_ = waiting_append{std::move(request), std::move(answer)};
}

void local_replica::start_append(append_request request, done<append_answer> answer)
{
    writing_ = true;
    auto self = shared_from_this();
    if (auto refused = refusal(request)) {
        pool_.run([] {},
                  [self, refused = std::move(*refused), answer = std::move(answer)] {
                      self->finish_write();
                      answer(refused);
                  });
        return;
    }
    epoch_ = request.epoch;
    begin_job();
    auto job = log_->prepare_append(std::move(request.batches.bytes), std::move(request.batches.extents), request.now_ns);
    lane_.append(std::move(job), [self, answer = std::move(answer)](storage::append_job finished, const result<void>& outcome) {
        auto stored = self->log_->complete_append(std::move(finished), outcome);
        self->finish_write();
        if (stored)
            answer(append_answer{self->log_->end(), std::move(*stored)});
        else
            answer(stored.error());
        self->end_job();
    });
}

void local_replica::end_job()
{
    --jobs_out_;
    if (jobs_out_ == 0 && when_closed_) std::exchange(when_closed_, nullptr)({});
}

void local_replica::close(done<void> answer)
{
    owner_.check();
    closed_ = true;
    if (jobs_out_ > 0) {
        when_closed_ = std::move(answer);
        return;
    }
    pool_.run([] {}, [answer = std::move(answer)] { answer({}); });
}

template <class T>
bool local_replica::refuse_closed(const done<T>& answer)
{
    if (!closed_) return false;
    pool_.run([] {}, [answer] { answer(error{errc::topic_not_found, "the topic was deleted"}); });
    return true;
}

void local_replica::finish_write()
{
    writing_ = false;
    if (!next_) return;
    auto next = std::move(*next_);
    next_.reset();
    start_append(std::move(next.request), std::move(next.answer));
}

void local_replica::read(offset from, offset limit, std::size_t bytes_max, done<storage::read_outcome> answer)
{
    if (refuse_closed(answer)) return;
    begin_job();
    run_on_pool(
        pool_, [job = log_->prepare_read(from, limit, bytes_max)]() mutable { return job.run(); },
        [self = shared_from_this(), answer = std::move(answer)](result<storage::read_outcome> outcome) {
            if (outcome && outcome->damaged) self->log_->note_damage(*outcome->damaged);
            answer(std::move(outcome));
            self->end_job();
        });
}

void local_replica::find_time(std::int64_t timestamp_ns, offset limit, done<std::optional<offset>> answer)
{
    if (refuse_closed(answer)) return;
    begin_job();
    run_on_pool(
        pool_, [job = log_->prepare_time_lookup(timestamp_ns, limit)]() mutable { return job.run(); },
        [self = shared_from_this(), answer = std::move(answer)](result<std::optional<offset>> found) {
            answer(std::move(found));
            self->end_job();
        });
}

void local_replica::checkpoint(done<void> answer)
{
    auto self = shared_from_this();
    if (closed_ || writing_ || log_->failure() || log_->recovery_point() == log_->end()) {
        pool_.run([] {}, [answer = std::move(answer)] { answer({}); });
        return;
    }
    writing_ = true;
    begin_job();
    auto job = std::make_shared<storage::checkpoint_job>(log_->prepare_checkpoint());
    run_on_pool(
        pool_, [job] { return job->run(); },
        [self, job, answer = std::move(answer)](result<void> outcome) {
            self->log_->complete_checkpoint(std::move(*job), outcome);
            self->finish_write();
            answer(std::move(outcome));
            self->end_job();
        });
}

replica_state local_replica::state() const
{
    return {broker_, log_->start(), log_->end(), log_->size_bytes(), log_->segments(), log_->damages(), log_->failure()};
}

}  // namespace pystream::cluster
