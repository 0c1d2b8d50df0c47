#include "tests/bench/load/runner.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <stdexcept>
#include <system_error>

namespace pystream::bench {
namespace {

using namespace std::chrono_literals;
using time_point = clock_type::time_point;

constexpr int events_max = 256;
constexpr std::size_t scratch_bytes = 1 << 20;
constexpr auto silence_max = 30s;

class poller {
public:
    poller() : descriptor_(::epoll_create1(EPOLL_CLOEXEC))
    {
        if (descriptor_ < 0) throw std::system_error{errno, std::generic_category(), "epoll_create1"};
    }
    ~poller() { ::close(descriptor_); }
    poller(const poller&) = delete;
    poller& operator=(const poller&) = delete;

    void add(connection& of) { control(EPOLL_CTL_ADD, of, EPOLLIN); }
    void watch_writing(connection& of, bool on) { control(EPOLL_CTL_MOD, of, on ? EPOLLIN | EPOLLOUT : EPOLLIN); }

    template <class Function>
    std::size_t wait(std::chrono::milliseconds timeout, Function function)
    {
        epoll_event events[events_max];
        const int count = ::epoll_wait(descriptor_, events, events_max, static_cast<int>(timeout.count()));
        if (count < 0 && errno != EINTR) throw std::system_error{errno, std::generic_category(), "epoll_wait"};
        for (int i = 0; i < count; ++i) function(*static_cast<connection*>(events[i].data.ptr), events[i].events);
        return count < 0 ? 0 : static_cast<std::size_t>(count);
    }

private:
    void control(int operation, connection& of, std::uint32_t events) const
    {
        epoll_event event{};
        event.events = events;
        event.data.ptr = &of;
        if (::epoll_ctl(descriptor_, operation, of.descriptor(), &event) != 0)
            throw std::system_error{errno, std::generic_category(), "epoll_ctl"};
    }

    int descriptor_;
};

class runner {
public:
    runner(const work& what, const run_options& options) : options_(options), scratch_(scratch_bytes, '\0')
    {
        for (std::uint64_t i = 0; i < options.connections; ++i) {
            connections_.push_back(std::make_unique<connection>(options.port, make_dialogue(what, i)));
            poller_.add(*connections_.back());
        }
    }

    run_result run()
    {
        open_all();
        schedule();
        now_ = clock_type::now();
        for (const auto& one : connections_) send(*one);
        while (under_way_ > 0) turn();
        for (const auto& one : connections_) result_.bytes_received += one->bytes_received();
        if (!measured_) finish_measuring();
        return std::move(result_);
    }

private:
    void open_all()
    {
        std::size_t closed = 0;
        for (const auto& one : connections_) closed += one->open() ? 0 : 1;
        const time_point deadline = clock_type::now() + silence_max;
        while (closed > 0) {
            poller_.wait(100ms, [&](connection& one, std::uint32_t) { closed -= one.continue_opening(scratch_) ? 1 : 0; });
            if (clock_type::now() > deadline) throw std::runtime_error{"the server does not answer to the opening"};
        }
    }

    void schedule()
    {
        const time_point began = clock_type::now();
        last_answer_ = next_progress_ = began;
        measure_from_ = options_.requests > 0 ? began : began + options_.warmup;
        end_ = options_.requests > 0 ? time_point::max() : measure_from_ + options_.duration;
        if (options_.requests > 0) begin_measuring(began);
    }

    void begin_measuring(time_point now)
    {
        measuring_ = true;
        measured_from_ = now;
        server_before_ = usage_of(options_.server_pid);
        own_before_ = usage_of(::getpid());
    }

    void finish_measuring()
    {
        measured_ = true;
        measuring_ = false;
        const process_usage server = usage_of(options_.server_pid);
        result_.seconds = std::chrono::duration<double>(now_ - measured_from_).count();
        result_.server = {server.cpu_us - server_before_.cpu_us, server.resident_bytes};
        result_.own_cpu_us = usage_of(::getpid()).cpu_us - own_before_.cpu_us;
    }

    void turn()
    {
        const std::size_t ready = poller_.wait(100ms, [&](connection& one, std::uint32_t events) { serve(one, events); });
        now_ = clock_type::now();
        if (!measured_ && !measuring_ && now_ >= measure_from_) begin_measuring(now_);
        if (measuring_ && now_ >= end_) finish_measuring();
        if (ready == 0 && now_ - last_answer_ > silence_max) throw std::runtime_error{"no answer for 30 s"};
        if (options_.progress && now_ >= next_progress_) show_progress();
    }

    void serve(connection& one, std::uint32_t events)
    {
        if (events & EPOLLOUT) {
            one.flush();
            if (!one.unsent()) poller_.watch_writing(one, false);
        }
        if (!(events & ~static_cast<std::uint32_t>(EPOLLOUT))) return;
        std::uint64_t records = 0;
        if (!one.receive(scratch_, records)) return;
        now_ = clock_type::now();
        last_answer_ = now_;
        --under_way_;
        result_.records_acknowledged += records;
        if (measuring_ && one.sent_at() >= measured_from_) count(now_ - one.sent_at(), records);
        const bool more = options_.requests > 0 ? sent_ < options_.requests : now_ < end_;
        if (more) send(one);
    }

    void count(clock_type::duration took, std::uint64_t records)
    {
        result_.latency_ns.add(static_cast<std::uint64_t>(std::chrono::nanoseconds{took}.count()));
        ++result_.requests;
        result_.records += records;
    }

    void send(connection& one)
    {
        if (options_.requests > 0 && sent_ >= options_.requests) return;
        ++sent_;
        ++under_way_;
        one.send_request(now_);
        if (one.unsent()) poller_.watch_writing(one, true);
    }

    void show_progress()
    {
        next_progress_ = now_ + 1s;
        std::cerr << (measuring_ ? "measuring" : "warming up") << ": " << result_.records_acknowledged
                  << " records acknowledged, " << sent_ << " requests, p99 " << result_.latency_ns.percentile(99) / 1000
                  << " us\n";
    }

    const run_options& options_;
    poller poller_;
    std::string scratch_;
    std::vector<std::unique_ptr<connection>> connections_;
    time_point now_{}, last_answer_{}, next_progress_{}, measure_from_{}, measured_from_{}, end_{};
    bool measuring_ = false;
    bool measured_ = false;  // and finished
    std::uint64_t sent_ = 0;
    std::uint64_t under_way_ = 0;
    process_usage server_before_, own_before_;
    run_result result_;
};

}  // namespace

run_result run(const work& what, const run_options& options)
{
    return runner{what, options}.run();
}

}  // namespace pystream::bench
