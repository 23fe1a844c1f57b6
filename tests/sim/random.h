// The one source of chance in the simulation: everything random in a run comes from its seed through this object.
//
// The standard distributions differ between libraries, so they are not used; the same seed gives the same run everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/uuid.h"

namespace muster::sim {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix64(seed ^ kSalt)) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    return mix64(state_);
  }
  // Even in [0, bound). REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  // Even in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  bool chance(double share) { return unit() < share; }
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  // An independent sequence, so that one part of the world can draw more without moving the others.
  Random fork() { return Random(next()); }

 private:
  static constexpr std::uint64_t kSalt = 0x6D75737465722121ULL;
  std::uint64_t state_;
};

}  // namespace muster::sim
