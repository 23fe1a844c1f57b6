// How long to wait before a connection is tried again: doubling, capped, and spread so that nodes that lost the same database do
// not come back in step.
#pragma once

#include <algorithm>

#include "base/clock.h"
#include "store/postgres/node.h"

namespace muster::store::postgres {

inline constexpr Duration kReconnectDelayMin{50};
inline constexpr Duration kReconnectDelayMax{5'000};

class Backoff {
 public:
  explicit Backoff(Node& node) : node_(node) {}
  // Between half of the present step and all of it; the next step is twice as long.
  Duration next() {
    const Duration step = std::min(step_, kReconnectDelayMax);
    step_ = std::min(step_ * 2, kReconnectDelayMax);
    return Duration(static_cast<Duration::rep>(static_cast<double>(step.count()) * (1 + node_.spread()) / 2));
  }
  void reset() { step_ = kReconnectDelayMin; }

 private:
  Node& node_;
  Duration step_ = kReconnectDelayMin;
};

}  // namespace muster::store::postgres
