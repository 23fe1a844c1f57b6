// A cluster as commands show it: which nodes share the store, who leads, how far behind each is.
//
// Only the composition root knows which store runs, so it hands a ClusterView in with the ServerFacts; without one the server is
// alone on its store.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/reply.h"

namespace muster::command {

struct ClusterNode {
  std::string name;
  std::string address;  // where people reach it; empty: unknown
  std::string version;
  Instant started_at{};
  Instant seen_at{};  // its last beat, by the store's clock
  bool leader = false;
  bool listening = false;     // notifications reach it; otherwise it polls
  std::uint32_t pending = 0;  // verbs waiting for the store, at its last beat
  std::uint64_t workers = 0;  // live workers heard through it last
  Duration notify_lag{};      // age of the last notification when it arrived
};

struct Cluster {
  Instant now{};       // by the store's clock, which seen_at is to be compared with
  std::string self;    // the node that answers
  std::string leader;  // empty: nobody leads at the moment
  std::uint64_t term = 0;
  std::optional<Instant> leader_until;
  std::vector<ClusterNode> nodes;
};

// May be called from any thread; the reply comes as a store verb's does. unavailable: the store cannot be reached.
using ClusterView = std::function<void(Reply<Cluster> reply)>;

}  // namespace muster::command
