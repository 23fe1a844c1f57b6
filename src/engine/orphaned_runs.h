// Runs that were handed out in the last moments of a server that was killed. The answer may have died with it, and a worker that
// names no leases in its heartbeats would keep theirs for ever without knowing of them.
//
// Those that nobody has spoken about for a while after the restart are handed back. Only on a store of our own: on a cluster
// another node may have handed them out and may be well.
#pragma once

#include <memory>

#include "base/clock.h"
#include "engine/jobs.h"
#include "engine/runs.h"

namespace muster::engine {

class OrphanedRuns {
 public:
  // What came this close before the newest hand-out counts as the last moments.
  static constexpr Duration kLastMoments{2'000};

  // They have `patience` to be spoken about; 0: nobody looks for them.
  OrphanedRuns(Jobs& jobs, Runs& runs, const Clock& clock, Duration patience);
  ~OrphanedRuns();

  // Looks once, and judges what it found when their time is over. Returns how long until then.
  Duration tick();
  void stop();

 private:
  class Search;
  std::shared_ptr<Search> search_;  // shared with replies that are still on their way when this goes
};

}  // namespace muster::engine
