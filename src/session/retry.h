// When an unanswered frame is sent again, and the chance that spreads such instants. Used by the send window, by the waits for v1
// acks and by reconnects.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "base/uuid.h"

namespace muster::session {

inline constexpr Duration kRetryGapFirst{200};
inline constexpr Duration kRetryGapLongest{5'000};
// Resends after which a real worker gives a frame up, and after which we say that a frame is stalled.
inline constexpr std::uint32_t kResendsUntilStalled = 6;

// A seeded generator: the same seed gives the same spread, so a simulation can be replayed.
class Jitter {
 public:
  explicit Jitter(std::uint64_t seed) : state_(seed) {}

  // `around`, give or take 20 %.
  Duration spread(Duration around) {
    state_ = mix64(state_);
    const auto permille = static_cast<std::int64_t>(800 + state_ % 401);
    return around * permille / 1'000;
  }

 private:
  std::uint64_t state_;
};

// How long a frame that was sent again `resends` times waits for its ack: 200 ms, doubled each time, at most 5 s; without spread.
constexpr Duration retry_gap(std::uint32_t resends) {
  constexpr std::uint32_t kDoublings = 5;  // 200 ms * 2^5 is beyond the longest gap
  const Duration gap = kRetryGapFirst * (1 << (resends < kDoublings ? resends : kDoublings));
  return gap < kRetryGapLongest ? gap : kRetryGapLongest;
}

static_assert(retry_gap(0) == kRetryGapFirst && retry_gap(4) == Duration(3'200) && retry_gap(5) == kRetryGapLongest &&
              retry_gap(1'000'000) == kRetryGapLongest);

}  // namespace muster::session
