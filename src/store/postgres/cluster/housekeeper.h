// The pulse of a node: writes its row and refreshes its leadership, often enough for both.
//
// One thread that only keeps time: the work is a unit like any other, run by the store on one of its connections.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "store/postgres/node.h"
#include "store/postgres/tx.h"

namespace muster::store::postgres {

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
