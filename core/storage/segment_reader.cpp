#include "core/storage/segment_reader.hpp"

#include <algorithm>

#include "core/base/limits.hpp"
#include "core/storage/batch_search.hpp"

namespace pystream::storage {
namespace {

constexpr std::size_t read_bytes_min = 4 * base::limits::kibibyte;

class segment_reader {
public:
    segment_reader(const io::file& file, const segment_request& request) : file_(file), request_(request), at_(request.begin) {}

    base::result<segment_slice> run()
    {
        for (;;) {
            const auto more = step();
            if (!more) return more.error();
            if (!*more) break;
        }
        if (!run_.empty()) slice_.run = batch_run{buffer_, run_, run_base_, at_.offset};
        return std::move(slice_);
    }

private:
    // Takes one batch, or more bytes. False when the slice is complete.
    base::result<bool> step()
    {
        if (at_.offset >= request_.limit) return false;
        if (at_.position >= request_.segment_bytes)
            return report({at_.position, request_.segment_end}, "the segment ends early");
        const std::string_view rest = unread();
        const auto header = decode_header(rest);
        const std::size_t needed = header ? header->length_bytes : batch_layout::header_bytes;
        if (rest.size() < needed && at_.position + rest.size() < request_.segment_bytes) {
            if (!run_.empty()) return false;  // the next read begins with it
            return fill(needed);
        }
        const auto valid = verify_batch(rest);
        if (!valid) return skip_damage(valid.error().internal);
        if (valid->base_offset != at_.offset || valid->end() > request_.segment_end)
            return skip_damage("another offset stands here: " + std::to_string(valid->base_offset.value()));
        return take(*valid, rest.substr(0, valid->length_bytes));
    }

    bool take(const batch_header& header, std::string_view bytes)
    {
        if (header.end() > request_.from) {
            if (!run_.empty() && run_.size() + bytes.size() > request_.bytes_max) return false;
            if (run_.empty()) run_base_ = header.base_offset;
            run_ = run_.empty() ? bytes : std::string_view{run_.data(), run_.size() + bytes.size()};
        }
        at_ = {at_.position + bytes.size(), header.end()};
        return true;
    }

    std::string_view unread() const
    {
        if (!buffer_) return {};
        return std::string_view{*buffer_}.substr(static_cast<std::size_t>(at_.position - buffer_position_));
    }

    // A fresh buffer that begins with the next batch.
    base::result<bool> fill(std::size_t needed)
    {
        std::uint64_t wanted = std::max({needed, request_.bytes_max, read_bytes_min});
        if (at_.offset < request_.from) wanted += base::limits::index_interval_bytes;  // batches to step over first
        wanted = std::min(wanted, request_.segment_bytes - at_.position);
        auto bytes = std::make_shared<std::string>(static_cast<std::size_t>(wanted), '\0');
        const auto count = file_.read_at(at_.position, *bytes);
        if (!count) return count.error();
        bytes->resize(*count);
        slice_.bytes_read += *count;
        if (*count < wanted) request_.segment_bytes = at_.position + *count;  // the file is shorter than it was said to be
        buffer_ = std::move(bytes);
        buffer_position_ = at_.position;
        return true;
    }

    base::result<bool> skip_damage(const std::string& reason)
    {
        const auto behind = find_batch_behind(file_, at_, request_.segment_bytes);
        if (!behind) return behind.error();
        const bool inside = behind->next && behind->next->offset < request_.segment_end;
        return report(inside ? *behind->next : place{request_.segment_bytes, request_.segment_end}, reason);
    }

    // Damage from here to `behind`. It ends the slice unless it lies wholly below what is wanted.
    bool report(place behind, const std::string& reason)
    {
        if (run_.empty() && behind.offset <= request_.from) {
            at_ = behind;
            buffer_.reset();
            return true;
        }
        slice_.damaged = damage{at_.offset, behind.offset, file_.path(), at_.position, reason};
        return false;
    }

    const io::file& file_;
    segment_request request_;
    place at_;
    std::shared_ptr<const std::string> buffer_;
    std::uint64_t buffer_position_ = 0;
    std::string_view run_;
    base::offset run_base_;
    segment_slice slice_;
};

}  // namespace

base::result<segment_slice> read_segment(const io::file& file, const segment_request& request)
{
    return segment_reader{file, request}.run();
}

}  // namespace pystream::storage
