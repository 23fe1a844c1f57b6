// The workers in memory: description, liveness, leases held. Heartbeats change nothing else and are not written.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/lane.h"
#include "model/worker.h"
#include "store/sqlite/hot/job.h"
#include "store/sqlite/hot/lanes.h"

namespace muster::store::sqlite {

// The queues that the worker named in its newest claim, and the lanes they leave it. Most workers name the same ones each time.
struct NarrowedLanes {
  std::vector<QueueName> queues;
  std::shared_ptr<OfferLanes> lanes;  // shared with whoever makes that offer
};

struct HotWorker {
  WorkerKey key = 0;
  std::int64_t ns_row = 0;
  Worker worker;
  Ticks heard_at{};                   // listened time: silence is judged by it, last_seen_at is for people
  std::optional<Ticks> drain_ends;    // listened time of the drain's deadline
  std::shared_ptr<OfferLanes> lanes;  // of its whole registration; shared with workers that offer the same
  NarrowedLanes narrowed;             // of this registration
  std::unordered_set<JobKey> leases;
  std::uint32_t slots_used = 0;             // granted and not yet durably given up
  std::unordered_set<LaneIndex> own_lanes;  // lanes made for jobs held for it

  bool live() const { return worker.state != WorkerState::offline; }
  // Its leases by key, so that a simulation does the same on every run.
  std::vector<JobKey> leases_in_order() const;
  // When it is dead unless it is heard before; listened time.
  Ticks dead_at() const { return heard_at + worker.spec.policy.value_or(default_policy(worker.spec.dialect)).dead_after; }
};

class Workers {
 public:
  HotWorker* find(std::int64_t ns_row, const WorkerId& id);
  HotWorker* find(WorkerKey key);
  HotWorker& add(HotWorker worker);
  void erase(WorkerKey key);
  std::size_t size() const { return by_key_.size(); }
  std::size_t live() const;  // online or draining
  // By (namespace row, id): the order of lists.
  const std::map<std::pair<std::int64_t, std::string>, WorkerKey>& ordered() const { return by_name_; }

 private:
  std::unordered_map<WorkerKey, HotWorker> by_key_;
  std::map<std::pair<std::int64_t, std::string>, WorkerKey> by_name_;
};

}  // namespace muster::store::sqlite
