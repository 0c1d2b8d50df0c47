#include "core/cluster/replicated_partition.hpp"

#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"

namespace pystream::cluster {
namespace {

using base::errc;
using base::error;
using base::offset;
using base::result;

// After these nothing was stored and the same append may work later; after anything else the replica's file is not known.
bool nothing_stored(errc code)
{
    return code == errc::disk_full || code == errc::too_many_open_files || code == errc::read_only ||
           code == errc::topic_not_found;
}

// What an operator is told: the error's own words, or what its code means.
std::string sentence_for(const error& why)
{
    if (!why.detail.empty()) return why.detail;
    if (why.code == errc::io_failed)
        return "a write or sync failed, and what the file holds is not known until the server starts again";
    return std::string{base::to_string(why.code)};
}

}  // namespace

replicated_partition::replicated_partition(partition_row row, std::shared_ptr<replica> leader, std::string problem,
                                           topics::tail_cache& cache, topics::partition::position at, events on)
    : row_(std::move(row)),
      leader_(std::move(leader)),
      problem_(std::move(problem)),
      memory_(cache, at),
      on_(std::move(on)),
      durable_ends_(row_.active.size(), at.end)
{
    if (!leader_) return;
    if (auto failure = leader_->state().failure) {
        failure_ = std::move(failure);
        problem_ = sentence_for(*failure_);
    }
}

std::optional<error> replicated_partition::write_refusal() const
{
    if (retired_) return error{errc::topic_not_found, "the topic is being deleted"};
    if (failure_) return error{errc::partition_failed, "the partition takes no writes: " + problem_};
    if (leader_ && leader_->failure())
        return error{errc::partition_failed, "the partition takes no writes: " + sentence_for(*leader_->failure())};
    if (!leader_) return error{errc::partition_unavailable, "the partition has no available leader: " + problem_};
    return std::nullopt;
}

std::optional<error> replicated_partition::read_refusal() const
{
    if (!leader_) return error{errc::partition_unavailable, "the partition has no available leader: " + problem_};
    return std::nullopt;
}

std::string replicated_partition::problem() const
{
    if (problem_.empty() && leader_ && leader_->failure()) return sentence_for(*leader_->failure());
    return problem_;
}

offset replicated_partition::start() const
{
    return leader_ ? leader_->start() : offset{0};
}

result<topics::partition::accepted> replicated_partition::append(const storage::record_set& records,
                                                                 std::span<const std::uint32_t> selection, std::int64_t now_ns,
                                                                 std::uint16_t attributes, write_decided decided)
{
    owner_.check();
    if (auto refused = write_refusal()) return *refused;
    const auto accepted = memory_.accept(records, selection, row_.epoch, now_ns, attributes);
    undecided_.push_back({accepted.end, std::move(decided)});
    last_now_ns_ = now_ns;
    pump(now_ns);
    return accepted;
}

// Gives everything pending to the leader's replica, unless it is still busy with the lot before.
void replicated_partition::pump(std::int64_t now_ns)
{
    if (appending_ || !memory_.has_pending()) return;
    append_request request{row_.epoch, last_stored_, memory_.take_pending(), now_ns};
    appending_ = true;
    auto answered = [self = shared_from_this(), base = request.batches.base, extents = request.batches.extents](
                        result<append_answer> answer) mutable { self->appended(base, std::move(extents), std::move(answer)); };
    leader_->append(std::move(request), std::move(answered));
}

void replicated_partition::appended(offset base, std::vector<storage::batch_extent> extents, result<append_answer> answer)
{
    owner_.check();
    appending_ = false;
    if (!answer) {
        fail_from(base, extents.back().end, answer.error());
    } else {
        const auto leader_at = std::find(row_.active.begin(), row_.active.end(), row_.leader);
        PYSTREAM_ASSERT(leader_at != row_.active.end());
        durable_ends_[static_cast<std::size_t>(leader_at - row_.active.begin())] = answer->durable_end;
        last_stored_ = extents.back();
        memory_.tail().add(answer->bytes, extents);
        on_.appended(static_cast<std::uint64_t>(extents.back().end - base), answer->bytes->size(), extents.size());
        raise_high_watermark();
    }
    pump(last_now_ns_);
}

// Acknowledgment happens here and nowhere else: what every active replica has durably becomes visible, and its writers are told.
void replicated_partition::raise_high_watermark()
{
    const offset durable = *std::min_element(durable_ends_.begin(), durable_ends_.end());
    if (durable == memory_.high_watermark()) return;
    memory_.raise_high_watermark(durable);
    while (!undecided_.empty() && undecided_.front().end <= durable) {
        auto decided = std::move(undecided_.front().decided);
        undecided_.pop_front();
        decided({});
    }
    on_.high_watermark_raised();
}

// The append of [base, in_flight_end) failed. What was accepted behind it was never given to a replica and goes with it.
void replicated_partition::fail_from(offset base, offset in_flight_end, const error& why)
{
    const bool known = nothing_stored(why.code);
    error in_flight = why;
    in_flight.outcome_unknown = !known;
    error behind = why;
    behind.outcome_unknown = false;
    if (!known) {
        failure_ = why;
        problem_ = sentence_for(why);
        in_flight.code = behind.code = errc::partition_failed;
    }
    memory_.roll_back(base);
    on_.append_failed(why);
    while (!undecided_.empty()) {
        auto entry = std::move(undecided_.front());
        undecided_.pop_front();
        entry.decided(entry.end <= in_flight_end ? in_flight : behind);
    }
}

}  // namespace pystream::cluster
