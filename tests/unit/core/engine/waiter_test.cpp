#include "core/engine/waiter.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <optional>

namespace pystream::tests {
namespace {

namespace asio = boost::asio;
using engine::deadline_queue;
using engine::waiter;
using engine::wake;
using namespace std::chrono_literals;

engine::awaitable<void> await(std::shared_ptr<waiter> who, deadline_queue::time until, bool cancellable,
                              std::optional<wake>& reason)
{
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
    co_await asio::this_coro::throw_if_cancelled(false);
    reason = co_await who->wait(until, cancellable);
}

struct one_queue {
    asio::io_context loop;
    base::system_clock clock;
    deadline_queue queue{loop.get_executor(), clock};
    std::optional<wake> reason;

    std::shared_ptr<waiter> begin(std::chrono::milliseconds limit, bool cancellable = false, asio::cancellation_slot slot = {})
    {
        auto who = std::make_shared<waiter>(queue);
        asio::co_spawn(loop, await(who, clock.monotonic() + limit, cancellable, reason),
                       asio::bind_cancellation_slot(slot, [](std::exception_ptr) {}));
        loop.poll();
        return who;
    }
    void finish()
    {
        loop.restart();
        while (!reason) loop.run_one();
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(waiter_test, one_queue)

BOOST_AUTO_TEST_CASE(a_notification_ends_the_wait_once_and_not_from_inside)
{
    const auto who = begin(1h);
    BOOST_TEST(!reason.has_value());
    who->notify();
    BOOST_TEST(!reason.has_value());
    who->notify();
    finish();
    BOOST_TEST((*reason == wake::notified));
    BOOST_TEST(queue.size() == 0u);
    queue.stop();
}

BOOST_AUTO_TEST_CASE(a_notification_before_the_wait_is_not_lost)
{
    auto who = std::make_shared<waiter>(queue);
    who->notify();
    asio::co_spawn(loop, await(who, clock.monotonic() + 1h, false, reason), [](std::exception_ptr) {});
    finish();
    BOOST_TEST((*reason == wake::notified));
}

BOOST_AUTO_TEST_CASE(deadlines_end_in_their_order_with_one_timer)
{
    std::optional<wake> late;
    auto later = std::make_shared<waiter>(queue);
    asio::co_spawn(loop, await(later, clock.monotonic() + 1h, false, late), [](std::exception_ptr) {});
    loop.poll();
    loop.restart();
    begin(5ms);
    finish();
    BOOST_TEST((*reason == wake::timed_out));
    BOOST_TEST(!late.has_value());
    BOOST_TEST(queue.size() == 1u);
    later->notify();
    while (!late) loop.run_one();
    queue.stop();
}

BOOST_AUTO_TEST_CASE(a_cancelled_reader_stops_waiting_and_a_writer_does_not)
{
    asio::cancellation_signal stop;
    begin(1h, true, stop.slot());
    stop.emit(asio::cancellation_type::total);
    finish();
    BOOST_TEST((*reason == wake::canceled));
    BOOST_TEST(queue.size() == 0u);

    reason.reset();
    loop.restart();
    asio::cancellation_signal ignored;
    const auto writer = begin(1h, false, ignored.slot());
    ignored.emit(asio::cancellation_type::total);
    loop.restart();
    loop.poll();
    BOOST_TEST(!reason.has_value());
    writer->notify();
    finish();
    BOOST_TEST((*reason == wake::notified));
    queue.stop();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace pystream::tests
