// What one transaction changed, to be told once it is committed: to this node's listener, and to the other nodes by NOTIFY.
#pragma once

#include <vector>

#include "model/change.h"
#include "store/keys.h"
#include "store/postgres/directory.h"

namespace muster::store::postgres {

struct Changes {
  std::vector<JobChange> jobs;
  std::vector<WorkerChange> workers;
  std::vector<QueueChanged> queues;
  std::vector<LanePtr> wakes;   // one entry per job that became claimable
  std::vector<KeyPushed> keys;  // told to this node alone: waiters elsewhere look for themselves

  bool empty() const { return quiet() && keys.empty(); }
  // Nothing that other nodes are told of.
  bool quiet() const { return jobs.empty() && workers.empty() && queues.empty() && wakes.empty(); }
  void clear() {
    jobs.clear();
    workers.clear();
    queues.clear();
    wakes.clear();
    keys.clear();
  }
};

}  // namespace muster::store::postgres
