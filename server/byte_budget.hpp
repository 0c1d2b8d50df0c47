#pragma once

#include <cstdint>
#include <utility>

namespace pystream::server {

// How many bytes of bodies may be in memory at once, over all connections. Loop thread only; outlives its reservations.
class byte_budget {
public:
    explicit byte_budget(std::uint64_t bytes_max) noexcept : bytes_max_(bytes_max) {}

    std::uint64_t used() const noexcept { return used_; }
    bool has_room_for(std::uint64_t bytes) const noexcept { return used_ < bytes_max_ && bytes <= bytes_max_ - used_; }

private:
    friend class byte_reservation;
    std::uint64_t bytes_max_;
    std::uint64_t used_ = 0;
};

// A share of the budget; given back when it goes away.
class byte_reservation {
public:
    explicit byte_reservation(byte_budget& budget) noexcept : budget_(&budget) {}
    byte_reservation(const byte_reservation&) = delete;
    byte_reservation& operator=(const byte_reservation&) = delete;
    ~byte_reservation() { release(); }

    // False, and nothing is taken, when the budget is used up: even for 0 bytes.
    bool try_grow(std::uint64_t bytes) noexcept
    {
        if (!budget_->has_room_for(bytes)) return false;
        grow(bytes);
        return true;
    }
    // For memory that is in use already: may pass the limit, and then nothing new is let in.
    void grow(std::uint64_t bytes) noexcept
    {
        budget_->used_ += bytes;
        held_ += bytes;
    }
    void release() noexcept { budget_->used_ -= std::exchange(held_, 0); }

private:
    byte_budget* budget_;
    std::uint64_t held_ = 0;
};

}  // namespace pystream::server
