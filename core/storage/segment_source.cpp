#include "core/storage/segment_source.hpp"

#include "core/storage/atomic_file.hpp"
#include "core/storage/segment_files.hpp"
#include "core/storage/segment_walker.hpp"

namespace pystream::storage {
namespace {

using layout = index_layout;

struct found_entry {
    index_entry entry;
    bool is_before = false;  // false: even the first entry, which this is, is not
};

// Entry number `i`; each is of another batch, so one with an offset that comes too early is none.
base::result<index_entry> read_entry(const io::file& index, const segment_view& view, std::uint32_t i)
{
    char bytes[layout::entry_bytes];
    const auto count = index.read_at(layout::header_bytes + std::uint64_t{i} * layout::entry_bytes, bytes);
    if (!count) return count.error();
    const index_entry entry = decode_index_entry(bytes);
    if (*count != sizeof bytes || entry.offset < view.base + i)
        return base::error{base::errc::corrupt_metadata, {}, "an entry that cannot be"};
    return entry;
}

// The last entry of an index file that `is_before` accepts, by binary search on the file; nullopt: it has no entries. An error: it
// cannot be read, or is not the index of this segment.
template <class IsBefore>
base::result<std::optional<found_entry>> search_index(const io::file& index, const segment_view& view,
                                                      std::uint64_t segment_bytes, IsBefore is_before)
{
    const auto file_bytes = index.size();
    if (!file_bytes) return file_bytes.error();
    char header[layout::header_bytes];
    const auto header_bytes = index.read_at(0, header);
    if (!header_bytes) return header_bytes.error();
    const auto count = decode_index_header({header, *header_bytes}, *file_bytes, view.base, segment_bytes);
    if (!count) return count.error();

    std::optional<found_entry> found;
    std::uint32_t low = 0;
    std::uint32_t high = *count;
    while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        const auto entry = read_entry(index, view, middle);
        if (!entry) return entry.error();
        const bool before = is_before(*entry);
        if (before || middle == 0) found = found_entry{*entry, before};
        (before ? low : high) = before ? middle + 1 : middle;
    }
    return found;
}

}  // namespace

base::result<std::optional<segment_source>> segment_source::open(const read_plan& plan, const segment_view& view)
{
    if (view.file) return std::optional{segment_source{plan, view, view.file, view.bytes}};
    auto file = plan.files->open(segment_path(plan.directory, view.base), io::open_mode::read);
    if (!file && file.error().code == base::errc::not_found_on_disk) return std::optional<segment_source>{};
    if (!file) return file.error();
    const auto bytes = (*file)->size();
    if (!bytes) return bytes.error();
    return std::optional{segment_source{plan, view, std::move(*file), *bytes}};
}

base::result<place> segment_source::place_of(base::offset offset)
{
    if (view_->file) return view_->hint;
    return locate([offset](const index_entry& entry) { return entry.offset <= offset; });
}

base::result<place> segment_source::place_before_time(std::int64_t timestamp_ns)
{
    if (view_->file) return view_->hint;
    return locate([timestamp_ns](const index_entry& entry) { return entry.timestamp_ns < timestamp_ns; });
}

template <class IsBefore>
base::result<place> segment_source::locate(IsBefore is_before)
{
    const place beginning{0, view_->base};
    const auto index = plan_->files->open(index_path(plan_->directory, view_->base), io::open_mode::read);
    if (!index && index.error().code == base::errc::too_many_open_files) return index.error();  // says nothing about the index
    if (index) {
        const auto found = search_index(**index, *view_, bytes_, is_before);
        if (found && !*found) return beginning;
        if (found) {
            const index_entry& entry = (*found)->entry;
            const auto held = holds(entry);
            if (!held) return held.error();
            if (*held) return (*found)->is_before ? place{entry.position, entry.offset} : beginning;
        }
        // An index that cannot be read is as good as none.
    }
    const auto rebuilt = rebuild();
    if (!rebuilt) return rebuilt.error();
    place best = beginning;
    for (const index_entry& entry : rebuilt->entries())
        if (is_before(entry)) best = {entry.position, entry.offset};
    return best;
}

base::result<bool> segment_source::holds(const index_entry& entry) const
{
    if (entry.offset < view_->base || entry.position >= bytes_) return false;
    char bytes[batch_layout::header_bytes];
    const auto count = file_->read_at(entry.position, bytes);
    if (!count) return count.error();
    const auto header = decode_header({bytes, *count});
    return header && header->base_offset == entry.offset && header->max_timestamp_ns == entry.timestamp_ns;
}

base::result<sparse_index> segment_source::rebuild() const
{
    auto index = index_segment(*file_, view_->base, bytes_);
    if (index)  // a convenience for the next read: when it cannot be written, that one rebuilds it again
        (void)replace_file(*plan_->files, index_path(plan_->directory, view_->base), index->encode(view_->base, bytes_));
    return index;
}

base::result<sparse_index> index_segment(const io::file& file, base::offset base, std::uint64_t bytes)
{
    sparse_index index;
    segment_walker walker{file, {0, base}, bytes};
    for (;;) {
        const auto batch = walker.next();
        if (!batch) return batch.error();
        if (!*batch) return index;
        index.add({(*batch)->header.base_offset, (*batch)->position, (*batch)->header.max_timestamp_ns});
    }
}

}  // namespace pystream::storage
