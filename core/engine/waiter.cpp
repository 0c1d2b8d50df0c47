#include "core/engine/waiter.hpp"

namespace pystream::engine {

namespace asio = boost::asio;

deadline_queue::deadline_queue(loop_executor loop, const base::clock& clock) : clock_(clock), timer_(std::move(loop)) {}

void deadline_queue::stop()
{
    stopped_ = true;
    timer_.cancel();
}

deadline_queue::entries::iterator deadline_queue::add(time deadline, std::shared_ptr<waiter> who)
{
    const auto at = by_time_.emplace_hint(by_time_.end(), deadline, std::move(who));
    if (deadline < armed_for_) arm();
    return at;
}

void deadline_queue::arm()
{
    armed_for_ = by_time_.begin()->first;
    timer_.expires_at(armed_for_);
    timer_.async_wait([this](boost::system::error_code failed) {
        if (!failed && !stopped_) expire();
    });
}

void deadline_queue::expire()
{
    const time now = clock_.monotonic();
    armed_for_ = time::max();
    while (!by_time_.empty() && by_time_.begin()->first <= now) by_time_.begin()->second->end(wake::timed_out);
    if (!by_time_.empty()) arm();
}

template <class Handler>
struct waiter::resumption_of final : waiter::resumption {
    explicit resumption_of(Handler h) : handler(std::move(h)) {}
    void post(wake reason) override
    {
        auto home = asio::get_associated_executor(handler);
        asio::post(home, asio::prepend(std::move(handler), reason));
    }
    Handler handler;
};

template <class Handler>
void waiter::begin(Handler handler, deadline_queue::time deadline, bool cancellable)
{
    auto slot = asio::get_associated_cancellation_slot(handler);
    resume_ = std::make_unique<resumption_of<Handler>>(std::move(handler));
    if (ended_) return std::exchange(resume_, nullptr)->post(wake::notified);
    waiting_ = true;
    place_ = queue_.add(deadline, shared_from_this());
    if (cancellable && slot.is_connected())
        slot.assign([weak = weak_from_this()](asio::cancellation_type) {
            if (auto self = weak.lock()) self->end(wake::canceled);
        });
}

void waiter::end(wake reason)
{
    if (ended_) return;
    ended_ = true;
    if (!waiting_) return;
    const auto self = shared_from_this();
    queue_.remove(place_);
    std::exchange(resume_, nullptr)->post(reason);
}

awaitable<wake> waiter::wait(deadline_queue::time deadline, bool cancellable)
{
    auto initiate = [](auto handler, std::shared_ptr<waiter> self, deadline_queue::time until, bool may_cancel) {
        self->begin(std::move(handler), until, may_cancel);
    };
    return asio::async_initiate<const use_awaitable_t, void(wake)>(initiate, use_awaitable, shared_from_this(), deadline,
                                                                   cancellable);
}

}  // namespace pystream::engine
