#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/cluster/work.hpp"
#include "core/engine/awaitable.hpp"
#include "core/engine/thread_group.hpp"
#include "core/io/durability.hpp"
#include "core/io/file_system.hpp"

namespace pystream::engine {

// cluster::worker_pool on threads. Work that was started runs to its end; join() waits for all of it.
class asio_worker_pool final : public cluster::worker_pool {
public:
    asio_worker_pool(loop_executor loop, std::unique_ptr<thread_group> threads);
    void run(std::function<void()> work, std::function<void()> done) override;
    boost::asio::any_io_executor executor() { return threads_->executor(); }
    void join() { threads_->join(); }

private:
    loop_executor loop_;
    std::unique_ptr<thread_group> threads_;
};

// cluster::commit_lane of one storage root: one commit in flight at a time, on threads of its own, so that commits never queue behind reads or
// another root's hung disk. There is no timer and no delay: what arrives while a commit is in flight forms the next one.
class asio_commit_lane final : public cluster::commit_lane {
public:
    struct counters {
        std::uint64_t cycles = 0;
        std::uint64_t cycle_ns_total = 0;
        std::uint64_t files_synced = 0;
    };
    asio_commit_lane(loop_executor loop, io::file_system& files, std::string root, const thread_source& make_threads);
    void append(storage::append_job job, append_done done) override;
    const counters& counted() const noexcept { return counters_; }
    void join() { threads_->join(); }

private:
    struct entry {
        storage::append_job job;
        append_done done;
    };
    struct cycle;
    void start();
    void finish(cycle& finished);
    void write(cycle& current);
    void make_durable(cycle& current);

    loop_executor loop_;
    io::file_system& files_;
    std::string root_;
    std::unique_ptr<thread_group> threads_;
    std::vector<entry> waiting_;
    bool scheduled_ = false;  // a cycle is about to start or in flight
    counters counters_;
};

}  // namespace pystream::engine
