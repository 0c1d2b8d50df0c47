#include "core/engine/threads.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <chrono>
#include <latch>
#include <memory>
#include <optional>

namespace pystream::engine {
namespace {

namespace asio = boost::asio;
using base::result;

// One runs the cycle; the others sync files beside it.
constexpr std::size_t lane_threads = 4;

class asio_thread_group final : public thread_group {
public:
    explicit asio_thread_group(std::size_t threads) : pool_(threads) {}
    asio::any_io_executor executor() override { return pool_.get_executor(); }
    void run_all(std::size_t count, const std::function<void(std::size_t)>& task) override
    {
        std::latch others(static_cast<std::ptrdiff_t>(count) - 1);
        for (std::size_t i = 1; i < count; ++i)
            asio::post(pool_, [&, i] {
                task(i);
                others.count_down();
            });
        task(0);
        others.wait();
    }
    void join() override { pool_.join(); }

private:
    asio::thread_pool pool_;
};

}  // namespace

std::unique_ptr<thread_group> make_thread_pool(std::size_t threads)
{
    return std::make_unique<asio_thread_group>(threads);
}

asio_worker_pool::asio_worker_pool(loop_executor loop, std::unique_ptr<thread_group> threads)
    : loop_(std::move(loop)), threads_(std::move(threads))
{
}

void asio_worker_pool::run(std::function<void()> work, std::function<void()> done)
{
    // The loop must not run out while work is out.
    auto keep = asio::prefer(loop_, asio::execution::outstanding_work.tracked);
    asio::post(threads_->executor(), [keep, work = std::move(work), done = std::move(done)]() mutable {
        work();
        work = nullptr;
        asio::post(keep, std::move(done));
    });
}

struct asio_commit_lane::cycle {
    std::vector<entry> entries;
    std::vector<std::optional<result<void>>> outcomes;  // one for each entry
    std::uint64_t duration_ns = 0;
    std::uint64_t files_synced = 0;
};

asio_commit_lane::asio_commit_lane(loop_executor loop, io::file_system& files, std::string root,
                                   const thread_source& make_threads)
    : loop_(std::move(loop)), files_(files), root_(std::move(root)), threads_(make_threads(lane_threads))
{
}

void asio_commit_lane::append(storage::append_job job, append_done done)
{
    waiting_.push_back({std::move(job), std::move(done)});
    if (scheduled_) return;
    scheduled_ = true;
    // Not at once: the requests that this turn of the loop still brings shall share the sync.
    asio::post(loop_, [this] { start(); });
}

void asio_commit_lane::start()
{
    auto current = std::make_shared<cycle>();
    current->entries = std::exchange(waiting_, {});
    auto keep = asio::prefer(loop_, asio::execution::outstanding_work.tracked);
    asio::post(threads_->executor(), [this, keep, current] {
        [[maybe_unused]] const auto begun = std::chrono::steady_clock::now();
        write(*current);
#ifdef PYSTREAM_ACK_BEFORE_SYNC
        // The control build that the ordering test must fail: answers first, then makes durable.
        auto copy = std::make_shared<std::vector<std::shared_ptr<io::file>>>();
        for (auto& each : current->entries) {
            copy->push_back(each.job.file_to_sync());
        }
        asio::post(keep, [this, current] { finish(*current); });
        io::make_durable(files_, root_, *copy, [](std::size_t count, const auto& task) {
            for (std::size_t i = 0; i < count; ++i) task(i);
        });
#else
        make_durable(*current);
        current->duration_ns = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begun).count());
        asio::post(keep, [this, current] { finish(*current); });
#endif
    });
}

// Lane thread: the bytes go to the page cache; every job has its own outcome, so one bad file fails its own waiters only.
void asio_commit_lane::write(cycle& current)
{
    current.outcomes.resize(current.entries.size());
    for (std::size_t i = 0; i < current.entries.size(); ++i) current.outcomes[i] = current.entries[i].job.run();
}

// Lane thread: what was written is made durable, all files together.
void asio_commit_lane::make_durable(cycle& current)
{
    std::vector<std::size_t> written;
    std::vector<std::shared_ptr<io::file>> files;
    for (std::size_t i = 0; i < current.entries.size(); ++i) {
        if (!current.outcomes[i]->has_value()) continue;
        written.push_back(i);
        files.push_back(current.entries[i].job.file_to_sync());
    }
    auto synced = io::make_durable(
        files_, root_, files,
        [this](std::size_t count, const std::function<void(std::size_t)>& task) { threads_->run_all(count, task); });
    for (std::size_t i = 0; i < written.size(); ++i) current.outcomes[written[i]] = std::move(synced[i]);
    current.files_synced = files.size();
}

void asio_commit_lane::finish(cycle& finished)
{
    counters_.cycles += 1;
    counters_.cycle_ns_total += finished.duration_ns;
    counters_.files_synced += finished.files_synced;
    for (std::size_t i = 0; i < finished.entries.size(); ++i)
        finished.entries[i].done(std::move(finished.entries[i].job), std::move(*finished.outcomes[i]));
    scheduled_ = !waiting_.empty();
    if (scheduled_) start();
}

}  // namespace pystream::engine
