#pragma once

#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>

#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "core/engine/thread_group.hpp"

namespace pystream::sim {

// Jobs of all thread groups of one engine. They run one at a time on the caller's thread, in an order that the seed decides.
class job_queue {
public:
    explicit job_queue(std::uint64_t seed) : random_(seed) {}
    void add(std::function<void()> job) { jobs_.push_back(std::move(job)); }
    bool empty() const noexcept { return jobs_.empty(); }
    void clear() { jobs_.clear(); }
    void run_one()
    {
        std::swap(jobs_[random_() % jobs_.size()], jobs_.back());
        const auto job = std::move(jobs_.back());
        jobs_.pop_back();
        job();
    }
    boost::asio::execution_context& context() noexcept { return context_; }

private:
    std::mt19937_64 random_;
    std::vector<std::function<void()>> jobs_;
    boost::asio::execution_context context_;
};

// An executor that adds to the queue.
class queue_executor {
public:
    explicit queue_executor(job_queue& queue) noexcept : queue_(&queue) {}
    template <class Function>
    void execute(Function function) const
    {
        auto held = std::make_shared<Function>(std::move(function));
        queue_->add([held] { std::move (*held)(); });
    }
    boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept { return queue_->context(); }
    static constexpr boost::asio::execution::blocking_t query(boost::asio::execution::blocking_t) noexcept
    {
        return boost::asio::execution::blocking.never;
    }
    queue_executor require(boost::asio::execution::blocking_t::never_t) const noexcept { return *this; }
    friend bool operator==(const queue_executor&, const queue_executor&) = default;

private:
    job_queue* queue_;
};

class queued_threads final : public engine::thread_group {
public:
    explicit queued_threads(job_queue& queue) : queue_(queue) {}
    boost::asio::any_io_executor executor() override { return queue_executor{queue_}; }
    void run_all(std::size_t count, const std::function<void(std::size_t)>& task) override
    {
        for (std::size_t i = 0; i < count; ++i) task(i);
    }
    void join() override {}

private:
    job_queue& queue_;
};

}  // namespace pystream::sim
