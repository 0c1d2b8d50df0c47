#include "config/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pystream::config {

namespace {

// Levenshtein: the smallest number of characters to insert, remove or replace.
std::size_t edit_distance(std::string_view left, std::string_view right)
{
    std::vector<std::size_t> row(right.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < left.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < right.size(); ++j) {
            const std::size_t replaced = diagonal + (left[i] == right[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& known)
{
    constexpr std::size_t name_bytes_max = 100;
    if (known.empty() || name.size() > name_bytes_max) return std::nullopt;
    const auto distance = [&](const std::string& candidate) { return edit_distance(name, candidate); };
    const auto best = std::ranges::min_element(known, {}, distance);
    if (distance(*best) * 2 > best->size()) return std::nullopt;
    return *best;
}

}  // namespace pystream::config
