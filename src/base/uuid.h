// A 128-bit value with the two text forms our wires use, and a monotonic UUIDv7 source.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace muster {

struct Uuid {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend auto operator<=>(const Uuid&, const Uuid&) = default;
  bool is_nil() const { return high == 0 && low == 0; }
  std::string text() const;  // 8-4-4-4-12, lower case
  std::string hex() const;   // 32 digits, lower case
  // Accepts both forms, either case. Anything else is nullopt.
  static std::optional<Uuid> parse(std::string_view text);
};

// UUIDv7: 48 bits of milliseconds, then a counter that grows within and across milliseconds, then randomness.
// Values from one source strictly increase even when the clock steps back. Thread-safe.
class UuidSource {
 public:
  explicit UuidSource(const Clock& clock, std::uint64_t seed);
  Uuid next();

 private:
  const Clock& clock_;
  std::mutex mutex_;  // leaf; guards the three below
  std::uint64_t random_state_;
  std::int64_t last_ms_ = 0;
  std::uint32_t counter_ = 0;
};

// A seed from the operating system.
std::uint64_t random_seed();

// One step of the splitmix64 sequence: spreads every input bit over the output. Not a cipher.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

}  // namespace muster

template <>
struct std::hash<muster::Uuid> {
  std::size_t operator()(const muster::Uuid& id) const noexcept { return muster::mix64(id.high ^ muster::mix64(id.low)); }
};
