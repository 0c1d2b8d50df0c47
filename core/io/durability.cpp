#include "core/io/durability.hpp"

namespace pystream::io {
namespace {

std::vector<base::result<void>> sync_each(std::span<const std::shared_ptr<file>> files, const parallel_runner& run_in_parallel)
{
    std::vector<base::result<void>> results(files.size());
    const auto sync_one = [&](std::size_t i) { results[i] = files[i]->sync_data(); };
    if (files.size() == 1)
        sync_one(0);
    else if (!files.empty())
        run_in_parallel(files.size(), sync_one);
    return results;
}

}  // namespace

std::vector<base::result<void>> make_durable(file_system& files, const std::string& root,
                                             std::span<const std::shared_ptr<file>> files_to_sync,
                                             const parallel_runner& run_in_parallel)
{
    const bool many = files_to_sync.size() >= sync_all_files_threshold;
    if (many && files.supports_sync_all_files(root) && files.sync_all_files(root))
        return std::vector<base::result<void>>(files_to_sync.size());
    // A failing syncfs does not say which file. Write-back errors are kept per open file (errseq), so the fdatasync of exactly
    // the files that lost something fails as well.
    return sync_each(files_to_sync, run_in_parallel);
}

}  // namespace pystream::io
