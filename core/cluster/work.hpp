#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/base/error.hpp"
#include "core/storage/log.hpp"

// Where blocking calls run. The engine implements both on threads, tests in place. Callbacks come on the owner's thread and never from
// inside the call.

namespace pystream::cluster {

// The write path of one storage root. Appends that are handed over while a commit is in flight form the next one:
// all are written, then made durable together, then told.
class commit_lane {
public:
    using append_done = std::function<void(storage::append_job, base::result<void>)>;
    virtual ~commit_lane() = default;
    virtual void append(storage::append_job job, append_done done) = 0;
};

// Everything else that blocks: cold reads, checkpoints, opening, metadata files.
class worker_pool {
public:
    virtual ~worker_pool() = default;
    virtual void run(std::function<void()> work, std::function<void()> done) = 0;
};

// Runs `work` (which may own move-only things) on the pool and gives its result to `done`.
template <class Work, class Done>
void run_on_pool(worker_pool& pool, Work work, Done done)
{
    struct state_type {
        Work work;
        Done done;
        std::optional<std::invoke_result_t<Work>> value;
    };
    auto state = std::make_shared<state_type>(state_type{std::move(work), std::move(done), std::nullopt});
    pool.run([state] { state->value.emplace(state->work()); }, [state] { state->done(std::move(*state->value)); });
}

}  // namespace pystream::cluster
