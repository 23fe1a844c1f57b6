// A clock that runs as time does and can be moved ahead. Private to this folder.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace muster::sdk::testkit {

class SkippingClock final : public Clock {
 public:
  Instant now() const override { return real_.now() + ahead(); }
  Ticks elapsed() const override { return real_.elapsed() + ahead(); }
  void skip(Duration by) { ahead_ms_.fetch_add(by.count(), std::memory_order_acq_rel); }

 private:
  Duration ahead() const { return Duration(ahead_ms_.load(std::memory_order_acquire)); }

  RealClock real_;
  std::atomic<std::int64_t> ahead_ms_{0};
};

}  // namespace muster::sdk::testkit
