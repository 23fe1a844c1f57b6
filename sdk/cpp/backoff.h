// How long to wait before the next try: doubling with full jitter, reset by success. A pure rule; the caller waits.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>

namespace muster::sdk {

class Backoff {
 public:
  struct Limits {
    std::chrono::milliseconds min{100};
    std::chrono::milliseconds max{10'000};
  };

  Backoff(Limits limits, std::uint64_t seed) : limits_(limits), random_(seed) {}

  // Between half of and the whole current step, so that clients of a restarted server do not return in one wave.
  // `at_least` is what the server asked for with Retry-After; it wins when it is longer.
  std::chrono::milliseconds next(std::optional<std::chrono::milliseconds> at_least = {});
  void reset() { failures_ = 0; }

 private:
  Limits limits_;
  std::mt19937_64 random_;
  std::uint32_t failures_ = 0;
};

}  // namespace muster::sdk
