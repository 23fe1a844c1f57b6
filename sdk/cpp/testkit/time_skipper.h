// Drives an engine and decides when its time may be skipped. Private to this folder; its thread is the engine's only ticker.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/engine.h"
#include "sdk/cpp/testkit/skipping_clock.h"

namespace muster::sdk::testkit {

class TimeSkipper {
 public:
  // Both outlive it. Begins at once.
  TimeSkipper(engine::Engine& engine, SkippingClock& clock, const std::atomic<bool>& skips);
  ~TimeSkipper();  // waits for the tick under way

  std::uint64_t skips() const { return skipped_.load(); }

 private:
  void run();
  void maybe_skip();
  // The next instant at which something is due, when nothing is under way.
  std::optional<Instant> idle_until();
  // Everybody who is alive is heard of now.
  void hear_everybody();
  template <class T, class Ask>
  std::optional<T> ask(Ask&& send);

  engine::Engine& engine_;
  SkippingClock& clock_;
  const std::atomic<bool>& may_skip_;
  std::atomic<std::uint64_t> skipped_{0};
  std::uint32_t idle_looks_ = 0;
  std::chrono::steady_clock::time_point next_look_{};
  std::mutex mutex_;  // leaf; guards stopping_
  bool stopping_ = false;
  std::condition_variable stop_asked_;
  std::thread thread_;
};

}  // namespace muster::sdk::testkit
