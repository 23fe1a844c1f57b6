// The thread that drives the engine's background work. Owned by Server; lives between start() and stop().
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "base/incident.h"
#include "engine/engine.h"

namespace muster::server {

// A claim may be parked with a shorter wait than the engine knew of when it said how long to sleep; the thread therefore
// never sleeps longer than this.
inline constexpr Duration kTickIntervalMax{20};

class Ticker {
 public:
  // What a tick throws is counted as an incident, and the next tick follows.
  Ticker(engine::Engine& engine, const Clock& clock, Metrics& metrics);
  ~Ticker();

  void start();
  void stop();  // waits for the tick under way; idempotent, harmless before start()

  // Has a tick ended within the last `silence`? The watchdog asks.
  bool alive(Duration silence) const;

 private:
  void run();
  Duration tick();

  engine::Engine& engine_;
  const Clock& clock_;
  const Incidents incidents_;
  std::atomic<Ticks> last_tick_{Ticks(0)};
  std::mutex mutex_;  // leaf; guards stopping_
  bool stopping_ = false;
  std::condition_variable stop_asked_;
  std::thread thread_;
};

}  // namespace muster::server
