#include "tests/bench/load/sync_loop.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace pystream::bench {

run_result run_sync_loop(const std::string& path, std::chrono::milliseconds duration)
{
    const auto require = [](bool held, const char* call) {
        if (!held) throw std::system_error{errno, std::generic_category(), call};
    };
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    require(file >= 0, "open");
    const std::string block(4096, 'x');
    run_result result;
    const auto began = clock_type::now();
    auto now = began;
    off_t at = 0;
    while (now - began < duration) {
        require(::pwrite(file, block.data(), block.size(), at) == static_cast<ssize_t>(block.size()), "pwrite");
        require(::fdatasync(file) == 0, "fdatasync");
        at += static_cast<off_t>(block.size());
        const auto done = clock_type::now();
        result.latency_ns.add(static_cast<std::uint64_t>(std::chrono::nanoseconds{done - now}.count()));
        now = done;
    }
    result.requests = result.records = result.records_acknowledged = result.latency_ns.count();
    result.seconds = std::chrono::duration<double>(now - began).count();
    ::close(file);
    ::unlink(path.c_str());
    return result;
}

}  // namespace pystream::bench
