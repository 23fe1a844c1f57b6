// Signals as values: the thread that asks is the only one that sees them.
//
// Signals are blocked for the whole process and taken out with sigtimedwait, so that no handler ever interrupts code that
// holds a lock. Make one before the first thread.
#pragma once

#include <csignal>
#include <cstdint>
#include <thread>

#include "base/clock.h"

namespace muster::server {

enum class Signal : std::uint8_t { none, stop, reload };

class Signals {
 public:
  Signals();
  // The next SIGTERM or SIGINT (stop) or SIGHUP (reload); none after `wait` without one. From any thread.
  Signal next(Duration wait) const;

 private:
  sigset_t set_{};
};

// While it lives, the next stop signal ends the process at once with code 1: what was acknowledged is already durable.
class SecondSignalWatch {
 public:
  explicit SecondSignalWatch(const Signals& signals);

 private:
  std::jthread thread_;
};

}  // namespace muster::server
