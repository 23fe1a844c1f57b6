// The only place that reads a clock. Rules receive `now`; a pass reads it once.
//
// Stored time is wall time in milliseconds (Instant); elapsed time is monotonic (Ticks). Tests move a ManualClock by hand.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace muster {

using Duration = std::chrono::milliseconds;
using Instant = std::chrono::sys_time<Duration>;
using Ticks = std::chrono::nanoseconds;  // monotonic, origin unspecified

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;    // wall time
  virtual Ticks elapsed() const = 0;  // monotonic time
};

class RealClock final : public Clock {
 public:
  Instant now() const override;
  Ticks elapsed() const override;
};

// Stands still until told otherwise. Safe to read from any thread.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Instant start = Instant(std::chrono::seconds(1'700'000'000)))
      : now_ms_(start.time_since_epoch().count()) {}
  Instant now() const override { return Instant(Duration(now_ms_.load(std::memory_order_acquire))); }
  Ticks elapsed() const override { return std::chrono::duration_cast<Ticks>(Duration(now_ms_.load(std::memory_order_acquire))); }
  void advance(Duration by) { now_ms_.fetch_add(by.count(), std::memory_order_acq_rel); }
  void set(Instant to) { now_ms_.store(to.time_since_epoch().count(), std::memory_order_release); }

 private:
  std::atomic<std::int64_t> now_ms_;
};

// The wire and SQL edge: milliseconds since 1970-01-01T00:00:00Z.
inline std::int64_t to_ms(Instant at) { return at.time_since_epoch().count(); }
inline Instant from_ms(std::int64_t ms) { return Instant(Duration(ms)); }
// Nothing stays nothing: for columns that may be NULL.
inline std::optional<std::int64_t> to_ms(const std::optional<Instant>& at) {
  return at ? std::optional<std::int64_t>(to_ms(*at)) : std::nullopt;
}
inline std::optional<Instant> from_ms(const std::optional<std::int64_t>& ms) {
  return ms ? std::optional<Instant>(from_ms(*ms)) : std::nullopt;
}

}  // namespace muster
