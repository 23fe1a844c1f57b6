// Pairs of numbers in one text column, as beat_note gives them: "12:90 13:91".
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::store::postgres {

inline std::vector<std::pair<std::int64_t, std::int64_t>> lease_pairs(std::string_view text) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::pair<std::int64_t, std::int64_t> pair;
    const auto first = std::from_chars(at, end, pair.first);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != ':') return pairs;
    const auto second = std::from_chars(first.ptr + 1, end, pair.second);
    if (second.ec != std::errc()) return pairs;
    pairs.push_back(pair);
    at = second.ptr;
    if (at != end) ++at;  // the space between
  }
  return pairs;
}

}  // namespace muster::store::postgres
