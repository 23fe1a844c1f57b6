// A node's pulse: it says that it lives, and holds or takes the leadership.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "store/postgres/node.h"
#include "store/postgres/tx.h"

namespace muster::store::postgres {

// Who leads, and who is there: rows of the tables `leader` and `nodes`, written by each node about itself.
//
//   free ──insert──► held by A, term 7 ──refreshed at half of leader_ttl──► held by A, term 7
//                        │        └─ released on stop ──► free
//                        └─ expires_at passed, by the database's clock ──taken over──► held by B, term 8
//
// A lease row: whoever finds it free or expired takes it with a term that no leader had before. Every sweep names its term and
// holds the row while it works (leads() in verbs/sweeps.cc), so a leader that was away too long moves nothing: its term is over.
// A node that starts again under its own name need not wait for its own lease. Two living nodes with one name would take it from
// each other with every refresh; that costs terms, never correctness.

inline constexpr Duration kNodeForgottenAfter{600'000};  // silence after which a node's row goes

// Keeps or takes the leadership; true: this node leads. Sets node.leadership.term at once, since a commit whose answer is lost
// may have happened: the database decides in every sweep anyway. With a new term every silent worker gets time for a beat.
bool refresh_leadership(Tx& tx);
void release_leadership(Tx& tx);
// When the database was not reached for leader_ttl, somebody else may lead: stop believing.
void forget_leadership(Node& node);

struct NodeBeat {
  std::uint32_t pending = 0;  // verbs waiting for a connection
  Duration uptime{};
};
// This node's row, and the end of rows of nodes that vanished. Notes whether the row lacks what the node tells of its settings.
void beat_node(Tx& tx, const NodeBeat& beat);
void leave_cluster(Tx& tx);

// The pulse of a node: writes its row and refreshes its leadership, often enough for both, and tells its settings to a database
// that has lost them.
//
// One thread that only keeps time: the work is a unit like any other, run by the store on one of its connections.

class Housekeeper {
 public:
  using Body = std::function<void(Tx&)>;
  struct Hooks {
    std::function<void(Body)> submit;        // runs the body in a transaction, soon; may drop it when the database is away
    std::function<std::uint32_t()> pending;  // verbs waiting for a connection
  };
  Housekeeper(Node& node, Hooks hooks);
  ~Housekeeper() { stop(); }
  Housekeeper(const Housekeeper&) = delete;
  Housekeeper& operator=(const Housekeeper&) = delete;

  void start();  // the first round is asked for at once
  void stop();   // idempotent, prompt; a round that was asked for may still run
  Duration every() const;

 private:
  struct State;  // shared with rounds that are under way
  void run();
  void ask_for_round();

  Node& node_;
  const Hooks hooks_;
  const RealClock clock_;
  const Ticks started_;
  const std::shared_ptr<State> state_;
  std::mutex mutex_;  // leaf; guards stopping_
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace muster::store::postgres
