#include <unistd.h>

#include <exception>
#include <iostream>
#include <string>

#include "config/settings.hpp"
#include "core/base/clock.hpp"
#include "server/application.hpp"
#include "server/json_log.hpp"
#include "server/process.hpp"

namespace {

using namespace pystream;
using base::severity;

constexpr int exit_clean = 0;
constexpr int exit_start_failed = 1;
constexpr int exit_bad_settings = 2;
constexpr std::size_t files_beside_connections = 256;

void complain(const std::string& text)
{
    std::cerr << "pystream: " << text << std::endl;
}

void log_start(base::logger& log, const config::load_result& loaded)
{
    const auto open_files_max = static_cast<std::int64_t>(server::raise_open_files_limit());
    log.write(severity::info, "starting",
              {{"version", config::version()},
               {"pid", ::getpid()},
               {"data_dir", loaded.values.data_dir},
               {"open_files_max", open_files_max}});
    if (open_files_max < static_cast<std::int64_t>(loaded.values.max_connections + files_beside_connections))
        log.write(severity::warning, "few open files",
                  {{"reason", "the limit of open files (ulimit -n) is too low for MAX_CONNECTIONS: accepting will pause"}});
    for (const std::string& warning : loaded.warnings) log.write(severity::warning, "setting ignored", {{"reason", warning}});
    for (const config::effective_value& each : loaded.effective) {
        const severity level = each.from == config::origin::fallback ? severity::debug : severity::info;
        log.write(level, "setting", {{"name", each.name}, {"value", each.value}, {"from", config::to_string(each.from)}});
    }
}

int serve(const config::load_result& loaded)
{
    const base::system_clock clock;
    server::json_log log{STDERR_FILENO, loaded.values.log_level, clock};
    server::ignore_signals();
    log_start(log, loaded);
    server::application application{loaded.values, log, clock};
    const auto served = application.run();
    if (served) return exit_clean;
    const base::error& error = served.error();
    complain("cannot start: " + (error.detail.empty() ? std::string{base::to_string(error.code)} : error.detail) +
             (error.internal.empty() ? "" : " (" + error.internal + ")"));
    return exit_start_failed;
}

}  // namespace

int main(int argc, char** argv)
try {
    const config::load_result loaded = config::load(config::process_input(argc, argv, environ));
    for (const config::bad_value& bad : loaded.bad) complain(config::to_string(bad));
    if (!loaded.bad.empty()) return exit_bad_settings;
    if (loaded.wanted == config::request::help) std::cout << config::help_text();
    if (loaded.wanted == config::request::version) std::cout << config::version_text();
    return loaded.wanted == config::request::serve ? serve(loaded) : exit_clean;
} catch (const std::exception& e) {
    complain(std::string{"cannot start: "} + e.what());
    return exit_start_failed;
}
