#include "core/storage/segment_walker.hpp"

#include "core/storage/batch_search.hpp"

namespace pystream::storage {

base::result<std::optional<scanned_batch>> segment_walker::next()
{
    auto batch = scanner_.next();
    if (!batch || *batch || scanner_.fault().empty()) return batch;
    const auto behind = find_batch_behind(*file_, scanner_.at(), end_);
    if (!behind) return behind.error();
    stray_proof_ = stray_proof_ || behind->proof;
    if (!behind->next) return batch;
    gaps_.push_back({scanner_.at(), *behind->next, scanner_.fault()});
    bytes_read_ += scanner_.bytes_read() + (behind->next->position - scanner_.at().position);
    scanner_ = batch_scanner{*file_, *behind->next, end_};
    return scanner_.next();
}

}  // namespace pystream::storage
