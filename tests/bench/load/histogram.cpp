#include "tests/bench/load/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pystream::bench {
namespace {

constexpr unsigned step_bits = 7;
constexpr std::size_t steps_per_power = 1U << step_bits;
constexpr std::uint64_t exact_below = 2 * steps_per_power;
constexpr std::size_t step_count = (64 - step_bits + 1) * steps_per_power;

}  // namespace

histogram::histogram() : counts_(step_count) {}

std::size_t histogram::step_of(std::uint64_t value) noexcept
{
    if (value < exact_below) return static_cast<std::size_t>(value);
    const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - step_bits - 1;
    return shift * steps_per_power + static_cast<std::size_t>(value >> shift);
}

std::uint64_t histogram::upper_end(std::size_t step) noexcept
{
    if (step < exact_below) return step;
    const std::size_t shift = step / steps_per_power - 1;
    const std::uint64_t lower = static_cast<std::uint64_t>(step - shift * steps_per_power) << shift;
    return lower + ((std::uint64_t{1} << shift) - 1);
}

void histogram::add(std::uint64_t value) noexcept
{
    ++counts_[step_of(value)];
    ++count_;
    max_ = std::max(max_, value);
    sum_ += static_cast<double>(value);
}

double histogram::mean() const noexcept
{
    return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

std::uint64_t histogram::percentile(double percent) const noexcept
{
    const auto wanted = std::max(1.0, std::ceil(static_cast<double>(count_) * percent / 100));
    std::uint64_t seen = 0;
    for (std::size_t step = 0; step < counts_.size(); ++step) {
        seen += counts_[step];
        if (static_cast<double>(seen) >= wanted) return std::min(upper_end(step), max_);
    }
    return max_;
}

}  // namespace pystream::bench
