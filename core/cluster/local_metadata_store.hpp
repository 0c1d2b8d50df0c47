#pragma once

#include <string>

#include "core/cluster/metadata_store.hpp"
#include "core/cluster/work.hpp"

namespace pystream::cluster {

// All rows in one file, replaced whole. Owner: the loop thread; the pool does the writing. One transaction at a time; after an unknown
// outcome every further one is refused until the process starts again and reads what is really there.
class local_metadata_store final : public metadata_store {
public:
    local_metadata_store(io::file_system& files, std::string path, worker_pool& pool);
    void load(std::function<void(base::result<loaded_rows>)> done) override;  // not_found_on_disk: no file yet
    void transact(std::vector<row_change> changes, std::function<void(transaction_result)> done) override;

private:
    void answer_later(transaction_result result, std::function<void(transaction_result)> done);

    io::file_system& files_;
    std::string path_;
    worker_pool& pool_;
    loaded_rows rows_;
    bool busy_ = false;
    bool uncertain_ = false;
};

}  // namespace pystream::cluster
