#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <functional>
#include <memory>

namespace pystream::engine {

// Threads for one purpose: the worker pool, or the commits of one root. The simulation puts a queue behind it from which a seed chooses.
class thread_group {
public:
    virtual ~thread_group() = default;
    virtual boost::asio::any_io_executor executor() = 0;
    // Called on one of the threads: runs task(0) ... task(count - 1), and returns when all are done.
    virtual void run_all(std::size_t count, const std::function<void(std::size_t)>& task) = 0;
    virtual void join() = 0;
};

using thread_source = std::function<std::unique_ptr<thread_group>(std::size_t threads)>;

std::unique_ptr<thread_group> make_thread_pool(std::size_t threads);

}  // namespace pystream::engine
