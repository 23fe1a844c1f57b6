// What one commit collects: changes to tell after it, and steps that other verbs may only see once it is durable.
#pragma once

#include <vector>

#include "model/change.h"
#include "store/keys.h"
#include "store/sqlite/hot/job.h"
#include "store/sqlite/key_cache.h"

namespace muster::store::sqlite {

// A lease that was given up: its slot, caps and key become free when that is durable, or a failed commit could leave two
// holders.
struct GivenUp {
  JobKey job = 0;
  WorkerKey worker = 0;
  LaneIndex lane = 0;
  std::string concurrency_key;
};

struct Group {
  std::vector<JobChange> jobs;
  std::vector<WorkerChange> workers;
  std::vector<QueueChanged> queues;
  std::vector<LaneRef> wakes;
  std::vector<JobKey> became_ready;  // to be placed in their lanes
  std::vector<GivenUp> given_up;
  std::vector<QueueIndex> loosened;  // queues whose limits may let more through now

  std::vector<KeyPushed> pushed;
  std::vector<KeyChanges> key_changes;  // one for each batch, in their order

  bool wrote = false;  // anything that needs a commit

  void clear() {
    jobs.clear();
    workers.clear();
    queues.clear();
    wakes.clear();
    became_ready.clear();
    given_up.clear();
    loosened.clear();
    pushed.clear();
    key_changes.clear();
    wrote = false;
  }
};

}  // namespace muster::store::sqlite
