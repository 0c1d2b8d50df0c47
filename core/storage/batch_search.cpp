#include "core/storage/batch_search.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/base/limits.hpp"
#include "core/storage/batch_scanner.hpp"

namespace pystream::storage {
namespace {

constexpr std::size_t window_bytes = base::limits::mebibyte;

base::result<std::string> read_stretch(const io::file& file, std::uint64_t position, std::uint64_t bytes)
{
    std::string stretch(static_cast<std::size_t>(bytes), '\0');
    const auto count = file.read_at(position, stretch);
    if (!count) return count.error();
    stretch.resize(*count);
    return stretch;
}

class searcher {
public:
    searcher(const io::file& file, place bad, std::uint64_t end) : file_(file), bad_(bad), end_(end) {}

    base::result<search_outcome> run()
    {
        if (auto read = read_claim(); !read) return read.error();
        std::uint64_t at = bad_.position;
        while (!outcome_.next && at + batch_layout::header_bytes <= end_) {
            const auto window = read_stretch(file_, at, std::min<std::uint64_t>(window_bytes, end_ - at));
            if (!window) return window.error();
            if (window->size() < batch_layout::header_bytes) break;
            const auto next = search_window(*window, at);
            if (!next) return next.error();
            at = *next;
        }
        return outcome_;
    }

private:
    // What the header at the bad place says about itself, if it is sane.
    base::result<void> read_claim()
    {
        const auto front =
            read_stretch(file_, bad_.position, std::min<std::uint64_t>(batch_layout::header_bytes, end_ - bad_.position));
        if (!front) return front.error();
        const auto header = decode_header(*front);
        if (!header || header->base_offset != bad_.offset) return {};
        claimed_ = {bad_.position + header->length_bytes, header->end()};
        return {};
    }

    // Returns where to search on.
    base::result<std::uint64_t> search_window(std::string_view window, std::uint64_t window_position)
    {
        constexpr char start[] = {static_cast<char>(batch_layout::magic_value), static_cast<char>(batch_layout::version_value)};
        const std::uint64_t window_end = window_position + window.size() - batch_layout::header_bytes + 1;
        for (std::size_t i = 0;; ++i) {
            i = window.find(std::string_view{start, sizeof start}, i);
            if (i == std::string_view::npos || window_position + i >= window_end) return window_end;
            const auto header = decode_header(window.substr(i));
            if (!header || !may_follow(*header, window_position + i)) continue;
            const auto valid = is_valid(*header, window.substr(i), window_position + i);
            if (!valid) return valid.error();
            if (*valid) return consider(*header, window_position + i);
        }
    }

    // A valid batch: reading goes on there, or it and what hangs together with it is stepped over.
    base::result<std::uint64_t> consider(const batch_header& header, std::uint64_t position)
    {
        const place found{position, header.base_offset};
        if (fits_between(found)) {
            outcome_.next = found;
            return position;
        }
        batch_scanner scanner{file_, found, end_};
        for (;;) {
            const auto batch = scanner.next();
            if (!batch) return batch.error();
            if (!*batch) break;
            if ((*batch)->header.high_watermark > bad_.offset) outcome_.proof = true;
        }
        if (scanner.fault().empty()) outcome_.next = found;
        return scanner.at().position;
    }

    bool fits_between(const place& found) const
    {
        const auto offsets = static_cast<std::uint64_t>(found.offset - bad_.offset);
        return offsets <= (found.position - bad_.position) / record_bytes_min;
    }

    bool may_follow(const batch_header& header, std::uint64_t position) const
    {
        if (header.base_offset <= bad_.offset || position + header.length_bytes > end_) return false;
        return !claimed_ || position >= claimed_->position || header.base_offset == claimed_->offset;
    }

    base::result<bool> is_valid(const batch_header& header, std::string_view bytes, std::uint64_t position) const
    {
        if (bytes.size() >= header.length_bytes) return verify_batch(bytes).has_value();
        const auto whole = read_stretch(file_, position, header.length_bytes);
        if (!whole) return whole.error();
        return verify_batch(*whole).has_value();
    }

    const io::file& file_;
    place bad_;
    std::uint64_t end_;
    std::optional<place> claimed_;  // where the batch at the bad place ends, by its own header
    search_outcome outcome_;
};

}  // namespace

base::result<search_outcome> find_batch_behind(const io::file& file, place bad, std::uint64_t end)
{
    return searcher{file, bad, end}.run();
}

}  // namespace pystream::storage
