#include "core/cluster/local_metadata_store.hpp"

#include <utility>

#include "core/base/assert.hpp"
#include "core/storage/atomic_file.hpp"
#include "core/storage/segment_files.hpp"

namespace pystream::cluster {
namespace {

using base::errc;
using base::error;
using base::result;

constexpr std::size_t file_bytes_max = 256 * 1024 * 1024;

result<loaded_rows> read_rows(io::file_system& files, const std::string& path)
{
    auto content = storage::read_file(files, path, file_bytes_max);
    if (!content) return content.error();
    auto rows = decode_metadata_file(*content);
    // What was read may be a change whose outcome was unknown to the process before, in the cache only. Nothing is built on it until it is sure.
    if (rows)
        if (auto synced = files.sync_directory(storage::parent_directory(path)); !synced) return synced.error();
    if (rows) return rows;
    error bad = rows.error();
    bad.internal = path + ": " + bad.internal;
    return bad;
}

}  // namespace

local_metadata_store::local_metadata_store(io::file_system& files, std::string path, worker_pool& pool)
    : files_(files), path_(std::move(path)), pool_(pool)
{
}

void local_metadata_store::load(std::function<void(result<loaded_rows>)> done)
{
    run_on_pool(
        pool_, [this] { return read_rows(files_, path_); },
        [this, done = std::move(done)](result<loaded_rows> rows) {
            if (rows) rows_ = *rows;
            done(std::move(rows));
        });
}

void local_metadata_store::answer_later(transaction_result result, std::function<void(transaction_result)> done)
{
    pool_.run([] {}, [result = std::move(result), done = std::move(done)] { done(result); });
}

void local_metadata_store::transact(std::vector<row_change> changes, std::function<void(transaction_result)> done)
{
    PYSTREAM_ASSERT(!busy_);
    if (uncertain_) {
        error refused{errc::io_failed,
                      "an earlier change of the metadata has an unknown outcome; restart the server to read it again"};
        return answer_later({transaction_outcome::conflict, 0, refused}, std::move(done));
    }
    auto changed = apply_changes(rows_, changes);
    if (!changed) return answer_later({transaction_outcome::conflict, 0, changed.error()}, std::move(done));
    busy_ = true;
    auto next = std::make_shared<loaded_rows>(std::move(*changed));
    run_on_pool(
        pool_, [this, next] { return storage::replace_file(files_, path_, encode_metadata_file(*next)); },
        [this, next, done = std::move(done)](const result<void>& saved) {
            busy_ = false;
            if (saved) {
                rows_ = std::move(*next);
                return done({transaction_outcome::applied, rows_.revision, {}});
            }
            uncertain_ = saved.error().outcome_unknown;
            done({uncertain_ ? transaction_outcome::unknown : transaction_outcome::conflict, 0, saved.error()});
        });
}

}  // namespace pystream::cluster
