#pragma once

#include <random>

#include "tests/support/simulated_file_system.hpp"

namespace pystream::sim {

// A stretch of time in which the disk is in trouble, of a kind that real disks have.
class trouble {
public:
    enum class kind : std::uint8_t {
        none,
        full,
        over_quota_at_times,
        no_descriptors,
        read_only,
        io_errors,
        bad_syncs,
        everything
    };

    explicit trouble(std::uint64_t seed) : random_(seed) {}
    void begin(kind what) { kind_ = what; }
    void begin_any() { kind_ = static_cast<kind>(1 + random_() % 7); }
    void end() { kind_ = kind::none; }
    bool lasts() const noexcept { return kind_ != kind::none; }

    std::optional<base::errc> fault(tests::call of)
    {
        using tests::call;
        const bool room = of == call::write || of == call::create_directory || of == call::rename;
        const bool sync = of == call::sync || of == call::sync_directory || of == call::sync_all_files;
        const bool change = room || of == call::remove || of == call::truncate;
        switch (kind_) {
        case kind::none: break;
        case kind::full:
            if (room) return base::errc::disk_full;
            break;
        case kind::over_quota_at_times:
            if (room && one_in(3)) return base::errc::disk_full;
            break;
        case kind::no_descriptors:
            if (of == call::open || of == call::list || of == call::lock) return base::errc::too_many_open_files;
            break;
        case kind::read_only:
            if (change) return base::errc::read_only;
            break;
        case kind::io_errors:
            if (one_in(12)) return base::errc::io_failed;
            break;
        case kind::bad_syncs:
            if (sync && one_in(3)) return base::errc::io_failed;
            break;
        case kind::everything:
            if (one_in(20))
                return std::array{base::errc::io_failed, base::errc::disk_full, base::errc::read_only,
                                  base::errc::too_many_open_files}[random_() % 4];
            break;
        }
        return std::nullopt;
    }

private:
    bool one_in(std::uint64_t n) { return random_() % n == 0; }
    std::mt19937_64 random_;
    kind kind_ = kind::none;
};

}  // namespace pystream::sim
