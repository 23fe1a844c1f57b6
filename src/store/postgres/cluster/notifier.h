// Sends what this node committed to everybody who listens: the other nodes, and programs outside (cluster/payload.h has the
// words).
//
// The first batch leaves after kNotifyGather. After each the notifier rests kNotifyRestFactor times as long as sending took, so
// that it takes a small share of a busy database's time, and of a quiet one no latency. Notifying inside the transactions of
// verbs would make them wait for each other: PostgreSQL holds one lock over the commit of everything that notifies.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/incident.h"
#include "base/metrics.h"
#include "store/postgres/cluster/backoff.h"
#include "store/postgres/cluster/payload.h"
#include "store/postgres/directory.h"
#include "store/postgres/node.h"
#include "store/postgres/wire/connection.h"
#include "store/store.h"

namespace muster::store::postgres {

// The first batch waits this long: what is told here at once, and what is done about it, goes first, and is told along with it.
inline constexpr Ticks kNotifyGather = std::chrono::microseconds(300);
inline constexpr int kNotifyRestFactor = 10;
inline constexpr Duration kNotifyRestMin{1};
inline constexpr Duration kNotifyRestMax{10};

// Owns one thread with one connection. Lives as long as the outbox that fills it; both survive a database that is away: what does
// not fit meanwhile is left out and told as `more`.
class Notifier {
 public:
  Notifier(Node& node, Metrics& metrics);
  ~Notifier() { stop(); }
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;

  void start();
  // Sends what waits if the connection is up, then ends the thread. Idempotent.
  void stop();

  // From any thread; never waits for the database.
  void enqueue(const Changes& changes);
  // Sends it on the test channel, ahead of everything else.
  void probe(std::string text);

 private:
  void run();
  bool connect();
  bool send(const Backlog& batch);
  bool send_guarded(const Backlog& batch);  // what it throws ends here
  void rest(Ticks longest);                 // until the time is over or stop() was called
  static Duration rest_after(Ticks sending);
  LaneKey lane_number(const LaneRef& lane);

  Node& node_;
  const Channels channels_;
  const RealClock clock_;
  Counter& batches_;
  Counter& failed_;

  std::mutex mutex_;  // leaf; guards the three below
  std::condition_variable changed_;
  Backlog backlog_;
  bool stopping_ = false;

  // The thread's own.
  static constexpr std::size_t kLaneNumbersMax = 100'000;  // starts over when it is full
  std::unordered_map<LaneRef, LaneKey> lane_numbers_;
  Backoff backoff_;
  std::unique_ptr<Connection> connection_;
  bool connected_before_ = false;
  bool told_trouble_ = false;
  std::thread thread_;
};

// Tells what was committed: at once to this node's listener, soon to the other nodes and to anybody who listens, by NOTIFY.
//
// Notifications leave on a thread and a connection of their own (cluster/notifier), coalesced. They carry identifiers only, may
// be lost, and are never waited for: polling is always right (rule 9).

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
