#include <chrono>
#include <utility>

#include "core/engine/await.hpp"
#include "core/engine/engine_impl.hpp"

namespace pystream::engine {
namespace {

constexpr std::size_t checkpoints_out_max = 64;

// Whether a root takes writes again: enough bytes for the next records, written, synced and removed.
result<void> try_write(io::file_system& files, const std::string& root)
{
    const std::string path = root + "/probe.tmp";
    auto file = files.open(path, io::open_mode::create_truncate);
    if (!file) return file.error();
    result<void> outcome = (*file)->write_at(0, std::string(256 * 1024, '\0'));
    if (outcome) outcome = (*file)->sync_data();
    const auto removed = files.remove(path);
    return outcome ? removed : outcome;
}

}  // namespace

void partition_state::wake_readers(bool all)
{
    for (const waiting_reader& each : readers)
        if (all || each.wanted < log->high_watermark()) each.wait->notify();
}

awaitable<turnstile::pass> turnstile::enter()
{
    if (taken_) {
        const auto turn = queue_.insert(queue_.end(), std::make_shared<waiter>(deadlines_));
        const auto wait = *turn;
        co_await wait->wait(monotonic_time::max(), false);
        co_return pass{this};
    }
    taken_ = true;
    co_return pass{this};
}

void turnstile::leave()
{
    if (queue_.empty()) {
        taken_ = false;
        return;
    }
    const auto next = queue_.front();
    queue_.pop_front();
    next->notify();
}

void engine_impl::schedule_upkeep()
{
    upkeep_timer_.expires_after(options_.upkeep_interval);
    upkeep_timer_.async_wait([this](boost::system::error_code failed) {
        if (failed || draining_) return;
        upkeep();
        schedule_upkeep();
    });
}

void engine_impl::upkeep()
{
    checkpoint_quiet(false);
    for (auto& [id, broker] : brokers_)
        if (!broker.write_problem.empty() && !broker.probing) probe(broker);
}

// Recovery points move when a partition has fallen quiet, so that a later crash has little to scan.
void engine_impl::checkpoint_quiet(bool now)
{
    const auto quiet_since = clock_.monotonic() - options_.checkpoint_after_quiet;
    for (const auto& [name, topic] : topics_)
        for (const auto& partition : topic->partitions) {
            if (!partition->checkpoint_due || !partition->log->idle() || partition->log->leader() == nullptr) continue;
            if (!now &&
                (partition->last_append > quiet_since || checkpoints_out_ >= static_cast<std::int64_t>(checkpoints_out_max)))
                continue;
            partition->checkpoint_due = false;
            checkpoints_out_ += 1;
            partition->log->leader()->checkpoint([this, partition, name](const result<void>& outcome) {
                checkpoints_out_ -= 1;
                partition->checkpoint_due = partition->checkpoint_due || !outcome;  // again later
                if (!outcome)
                    logger_.write(base::severity::error, "checkpoint failed",
                                  {{"topic", name},
                                   {"partition", partition->log->row().index.value()},
                                   {"reason", outcome.error().internal}});
            });
        }
}

void engine_impl::note_append_failure(broker_state& broker, const std::string& topic, partition_index partition,
                                      const error& why)
{
    counters_.append_failures += 1;
    const bool repeated = !broker.write_problem.empty();
    if (why.code == errc::disk_full) broker.write_problem = "the disk is full";
    if (why.code == errc::read_only) broker.write_problem = "the file system is read-only";
    if (why.code == errc::too_many_open_files) broker.write_problem = "too many files are open";
    if (repeated && !broker.write_problem.empty()) return;
    logger_.write(
        base::severity::error, "append failed",
        {{"topic", topic}, {"partition", partition.value()}, {"code", base::to_string(why.code)}, {"reason", why.internal}});
}

void engine_impl::probe(broker_state& broker)
{
    broker.probing = true;
    cluster::run_on_pool(
        pool_, [this, root = broker.root] { return try_write(files_, root); },
        [this, &broker](const result<void>& outcome) {
            broker.probing = false;
            if (!outcome || broker.write_problem.empty()) return;
            logger_.write(base::severity::info, "the root takes writes again", {{"broker", broker.row.id.value()}});
            broker.write_problem.clear();
        });
}

// Until everything that was accepted is decided.
awaitable<void> engine_impl::drain_writes()
{
    while (undecided_bytes_ > 0)
        co_await std::make_shared<waiter>(deadlines_)->wait(clock_.monotonic() + std::chrono::milliseconds{2}, false);
}

}  // namespace pystream::engine
