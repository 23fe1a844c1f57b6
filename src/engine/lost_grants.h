// Grants whose answer was lost on its way: the worker holds a job without knowing it, and its heartbeats would renew the lease
// for ever.
//
// A worker that names everything it holds in its heartbeats and leaves a lease out twice in a row does not work on that job: it
// is handed back without cost. Twice, because a grant may be on its way while a heartbeat is written; and by beats instead of by
// a clock, because grants carry the store's time and this process has its own.
#pragma once

#include <memory>

#include "store/store.h"

namespace muster::engine {

class LostGrants {
 public:
  explicit LostGrants(store::Store& store);
  ~LostGrants();
  // A heartbeat was answered. Thread-safe; asks the store only when the numbers do not agree.
  void heard(const store::Beat& beat, const store::BeatReply& reply);

 private:
  class Suspects;
  std::shared_ptr<Suspects> suspects_;  // shared with questions that are under way
};

}  // namespace muster::engine
