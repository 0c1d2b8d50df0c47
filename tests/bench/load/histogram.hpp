#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pystream::bench {

// Counts of values, log-linear as in HdrHistogram: exact below 256, then 128 steps to each power of two, so that a percentile is
// at most 0.8 % too high. The size is fixed and nothing is ever dropped.
class histogram {
public:
    histogram();

    void add(std::uint64_t value) noexcept;

    std::uint64_t count() const noexcept { return count_; }
    std::uint64_t max() const noexcept { return max_; }
    double mean() const noexcept;
    // The smallest value that `percent` of all values do not exceed, as the upper end of its step; 0 when there are none.
    std::uint64_t percentile(double percent) const noexcept;

private:
    static std::size_t step_of(std::uint64_t value) noexcept;
    static std::uint64_t upper_end(std::size_t step) noexcept;

    std::vector<std::uint64_t> counts_;
    std::uint64_t count_ = 0;
    std::uint64_t max_ = 0;
    double sum_ = 0;
};

}  // namespace pystream::bench
