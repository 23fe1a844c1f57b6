// Things to do a little later, in real time, without a thread of our own: gRPC's timers run them. Used through Core::after().
#pragma once

#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "base/incident.h"
#include "base/unique_function.h"

namespace muster::rpc {

class Later {
 public:
  explicit Later(Incidents incidents);  // what throws is counted there
  ~Later();                             // as stop()

  void run_after(Duration wait, UniqueFunction<void()> work);
  // Runs what waits now; what comes later runs at once. Returns when nothing of it is under way. Idempotent.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with timers that are under way
};

}  // namespace muster::rpc
