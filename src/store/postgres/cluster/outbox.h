// Tells what was committed: at once to this node's listener, soon to the other nodes and to anybody who listens, by NOTIFY.
//
// Notifications leave on a thread and a connection of their own (cluster/notifier), coalesced: the first at once, then at most
// one batch per kNotifyEvery. They carry identifiers only, may be lost, and are never waited for: polling is always right (rule
// 9).
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "base/incident.h"
#include "store/postgres/changes.h"
#include "store/store.h"

namespace muster::store::postgres {

class Notifier;

class Outbox {
 public:
  // Without a notifier nobody else is told. What the listener throws is an incident, and the commit's answers leave all the same.
  explicit Outbox(Notifier* notifier, Incidents incidents = Incidents("store"))
      : notifier_(notifier), incidents_(std::move(incidents)) {}
  void set_listener(Listener* listener);
  // After a commit, on the thread that committed. Also what other nodes told (remote: not notified again).
  void tell(const Changes& changes, bool remote = false);

 private:
  Notifier* const notifier_;
  const Incidents incidents_;
  std::mutex mutex_;  // held while the listener is called, so that it is never called after it was taken away
  Listener* listener_ = nullptr;
};

}  // namespace muster::store::postgres
