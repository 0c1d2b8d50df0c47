#include "server/process.hpp"

#include <sys/resource.h>

#include <csignal>

namespace pystream::server {

std::uint64_t raise_open_files_limit() noexcept
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    rlimit raised = limit;
    raised.rlim_cur = raised.rlim_max;
    return ::setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur;
}

void ignore_signals() noexcept
{
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGHUP, SIG_IGN);
}

}  // namespace pystream::server
