// What the worker says about itself with every heartbeat: measured, never guessed.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/clock.h"

namespace muster::worker {

// Of this process and everything it started.
struct Usage {
  double cpu_percent = 0;  // of one core, since the last reading
  std::uint64_t memory_bytes = 0;
  std::uint64_t disk_available_bytes = 0;
};

class Meter {
 public:
  Meter(std::string folder, const Clock& clock);
  // One thread at a time.
  Usage read();

 private:
  std::string folder_;
  const Clock& clock_;
  Ticks read_at_;
  std::uint64_t cpu_ticks_ = 0;
};

// Counted by the slots, read by the heartbeat.
class Counters {
 public:
  void finished(bool completed, Duration took) {
    (completed ? completed_ : failed_).fetch_add(1);
    took_ms_.fetch_add(static_cast<std::uint64_t>(took.count()));
  }
  std::uint64_t completed() const { return completed_.load(); }
  std::uint64_t failed() const { return failed_.load(); }
  std::uint64_t average_ms() const {
    const std::uint64_t jobs = completed() + failed();
    return jobs == 0 ? 0 : took_ms_.load() / jobs;
  }

 private:
  std::atomic<std::uint64_t> completed_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<std::uint64_t> took_ms_{0};
};

// JSON of WORKER.HEARTBEAT.
std::string stats_json(const Usage& usage, const Counters& counters, std::size_t active, Duration uptime);

}  // namespace muster::worker
