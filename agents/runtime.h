// Carries out runs of agents on this node: takes their jobs, drives them (run_driver.h), puts batches together (batcher.h) and
// polls them (batch_poll.h), hears of tools that end (tool_watch.h) and ends runs whose jobs ended without them.
//
// server/ makes one behind the door and the ticker, and stops it before the engine. All its state belongs to the agenda's thread;
// nothing waits there. Without a key it does nothing but end runs whose jobs are over.
#pragma once

#include <memory>

#include "agents/base.h"

namespace muster::agents {

inline constexpr std::size_t kReconcilePage = 200;   // unfinished runs that one pass looks at
inline constexpr std::size_t kEventsAtOnce = 1'000;  // of the server's, between two other tasks

class Runtime {
 public:
  explicit Runtime(BasePtr base);
  ~Runtime();  // without a drain: what is held is rescued like that of a node that died

  // Looks for namespaces that have work, and again every discover_every. `thread`: the agenda gets its thread, which tests do
  // without.
  struct Threading {
    bool thread = true;
  };
  void start(Threading threading);
  void start() { start({}); }
  // A namespace has an agent or a run. Any thread.
  void notice(const NamespaceName& ns);

  // Takes no more, breaks calls off, keeps what they said, hands jobs back and leaves, within `most`; 0: at once, like a node
  // that died. Idempotent.
  void stop(Duration most);
  // The same without waiting: for tests, which run the agenda themselves until it is idle.
  void begin_stop();
  bool idle() const;

 private:
  class Core;
  const BasePtr base_;
  std::shared_ptr<Core> core_;  // shared with tasks on the agenda
  bool stopped_ = false;
};

}  // namespace muster::agents
