// What it costs to make one small append to each of N files durable: fdatasync one after the other, fdatasync on several threads, one
// syncfs. The threshold in core/io/durability.hpp and the table in docs/durability.md come from here.
//
//   sync_bench [DIRECTORY] [THREADS]
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "core/io/posix_file_system.hpp"

namespace {

using namespace pystream;
using file_list = std::vector<std::shared_ptr<io::file>>;

constexpr int repetitions = 15;
constexpr std::size_t append_bytes = 512;

void require(bool held, std::string_view what)
{
    if (held) return;
    std::cerr << what << " failed\n";
    std::exit(1);
}

file_list make_files(io::file_system& files, const std::string& directory, std::size_t count)
{
    file_list opened;
    for (std::size_t i = 0; i < count; ++i) {
        auto file = files.open(directory + "/" + std::to_string(i), io::open_mode::create_truncate);
        require(file.has_value(), "open");
        opened.push_back(*file);
    }
    require(files.sync_directory(directory).has_value(), "sync_directory");
    return opened;
}

void sync_in_parallel(const file_list& files, std::size_t threads)
{
    std::atomic<std::size_t> next{0};
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < threads; ++i)
        workers.emplace_back([&] {
            for (std::size_t at = next++; at < files.size(); at = next++)
                require(files[at]->sync_data().has_value(), "fdatasync");
        });
}

// The median of some rounds, each of which appends to every file first.
template <class Sync>
double median_ms(const file_list& files, std::uint64_t& position, Sync sync)
{
    const std::string bytes(append_bytes, 'x');
    std::vector<double> rounds;
    for (int i = 0; i < repetitions; ++i) {
        for (const auto& file : files) require(file->write_at(position, bytes).has_value(), "write");
        position += append_bytes;
        const auto began = std::chrono::steady_clock::now();
        sync();
        rounds.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
    }
    std::nth_element(rounds.begin(), rounds.begin() + repetitions / 2, rounds.end());
    return rounds[repetitions / 2];
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string root = argc > 1 ? argv[1] : std::filesystem::temp_directory_path().string();
    const std::size_t threads = argc > 2 ? std::stoul(argv[2]) : 4;
    const std::string directory = root + "/sync-bench";
    std::filesystem::create_directory(directory);
    const auto files = io::make_posix_file_system();
    const bool whole = files->supports_sync_all_files(directory);
    std::cout << "files  one by one  " << threads << " threads  syncfs   (ms, median of " << repetitions << ")\n"
              << std::fixed << std::setprecision(2);
    for (const std::size_t count : {1U, 2U, 4U, 8U, 16U, 32U, 100U, 1000U}) {
        const file_list opened = make_files(*files, directory, count);
        std::uint64_t position = 0;
        const double each = median_ms(opened, position, [&] {
            for (const auto& file : opened) require(file->sync_data().has_value(), "fdatasync");
        });
        const double parallel = median_ms(opened, position, [&] { sync_in_parallel(opened, threads); });
        const double all =
            whole ? median_ms(opened, position, [&] { require(files->sync_all_files(directory).has_value(), "syncfs"); }) : 0;
        std::cout << std::setw(5) << count << std::setw(12) << each << std::setw(11) << parallel << std::setw(8) << all << '\n';
    }
    std::filesystem::remove_all(directory);
}
