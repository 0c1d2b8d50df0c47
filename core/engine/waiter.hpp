#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prepend.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "core/base/clock.hpp"
#include "core/engine/awaitable.hpp"

namespace pystream::engine {

enum class wake : std::uint8_t { notified, timed_out, canceled };

class waiter;

// All waits of the engine with one timer. Owner: the loop thread; must outlive its waiters' waits.
class deadline_queue {
public:
    using time = base::clock::monotonic_time;
    deadline_queue(loop_executor loop, const base::clock& clock);
    // No wait is left: lets the loop run out.
    void stop();
    std::size_t size() const noexcept { return by_time_.size(); }

private:
    friend class waiter;
    using entries = std::multimap<time, std::shared_ptr<waiter>>;
    entries::iterator add(time deadline, std::shared_ptr<waiter> who);
    void remove(entries::iterator at) { by_time_.erase(at); }
    void arm();
    void expire();

    const base::clock& clock_;
    boost::asio::steady_timer timer_;
    entries by_time_;
    time armed_for_ = time::max();
    bool stopped_ = false;
};

// One coroutine's wait for one event: ends once, by notify(), at its deadline, or when the coroutine is cancelled.
class waiter : public std::enable_shared_from_this<waiter> {
public:
    explicit waiter(deadline_queue& queue) noexcept : queue_(queue) {}

    // Before wait(): the wait ends at once. Again: nothing.
    void notify() { end(wake::notified); }

    // To be awaited once. `cancellable`: a cancellation of the coroutine ends the wait (it is then up to the caller to stop).
    awaitable<wake> wait(deadline_queue::time deadline, bool cancellable);

private:
    friend class deadline_queue;
    struct resumption {
        virtual ~resumption() = default;
        virtual void post(wake reason) = 0;
    };
    template <class Handler>
    struct resumption_of;

    template <class Handler>
    void begin(Handler handler, deadline_queue::time deadline, bool cancellable);
    void end(wake reason);

    deadline_queue& queue_;
    std::unique_ptr<resumption> resume_;
    deadline_queue::entries::iterator place_;
    bool waiting_ = false;
    bool ended_ = false;
};

}  // namespace pystream::engine
