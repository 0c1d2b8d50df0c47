#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace pystream::engine {

// Bounds the bytes that all answered fetches hold at a time. try_hold() is for the loop thread; a hold may be dropped on any thread, and
// after the budget itself is gone.
class read_budget {
public:
    explicit read_budget(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

    // Null when there is no room. One fetch always finds room, however large.
    std::shared_ptr<const void> try_hold(std::uint64_t bytes)
    {
        const std::uint64_t before = held_->load(std::memory_order_relaxed);
        if (before > 0 && before + bytes > bytes_max_) return nullptr;
        held_->fetch_add(bytes, std::memory_order_relaxed);
        return std::make_shared<const hold>(held_, bytes);
    }
    std::uint64_t held_bytes() const noexcept { return held_->load(std::memory_order_relaxed); }

private:
    using counter = std::atomic<std::uint64_t>;
    struct hold {
        hold(std::shared_ptr<counter> of, std::uint64_t n) noexcept : held(std::move(of)), bytes(n) {}
        ~hold() { held->fetch_sub(bytes, std::memory_order_relaxed); }
        hold(const hold&) = delete;
        hold& operator=(const hold&) = delete;
        std::shared_ptr<counter> held;
        std::uint64_t bytes;
    };

    std::uint64_t bytes_max_;
    std::shared_ptr<counter> held_ = std::make_shared<counter>(0);
};

}  // namespace pystream::engine
