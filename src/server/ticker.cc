#include "server/ticker.h"

#include <algorithm>

namespace muster::server {

Ticker::Ticker(engine::Engine& engine, const Clock& clock, Metrics& metrics)
    : engine_(engine), clock_(clock), incidents_(metrics, "engine"), last_tick_(clock.elapsed()) {}

Ticker::~Ticker() { stop(); }

void Ticker::start() {
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
}

void Ticker::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_asked_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool Ticker::alive(Duration silence) const { return clock_.elapsed() - last_tick_.load(std::memory_order_relaxed) <= silence; }

Duration Ticker::tick() {
  try {
    return engine_.tick();
  } catch (...) {
    const Incident incident(incidents_, "tick");
    return kTickIntervalMax;
  }
}

void Ticker::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    const Duration pause = std::clamp(tick(), Duration(1), kTickIntervalMax);
    last_tick_.store(clock_.elapsed(), std::memory_order_relaxed);
    lock.lock();
    stop_asked_.wait_for(lock, pause, [this] { return stopping_; });
  }
}

}  // namespace muster::server
