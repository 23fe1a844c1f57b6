#include "store/postgres/cluster/housekeeper.h"

#include <algorithm>

#include "store/postgres/cluster/leader.h"
#include "store/postgres/verbs/verbs.h"

namespace muster::store::postgres {

struct Housekeeper::State {
  std::atomic<bool> under_way{false};
  std::atomic<Ticks::rep> refreshed{0};  // when the last round began that reached the database
};

Housekeeper::Housekeeper(Node& node, Hooks hooks)
    : node_(node), hooks_(std::move(hooks)), started_(clock_.elapsed()), state_(std::make_shared<State>()) {
  state_->refreshed = started_.count();
}

Duration Housekeeper::every() const {
  constexpr Duration kEveryMin{10};
  return std::max(kEveryMin, std::min(node_.options.leader_ttl / 2, node_.options.node_beat_every));
}

void Housekeeper::start() {
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
}

void Housekeeper::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Housekeeper::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    try {
      ask_for_round();
    } catch (...) {
      const Incident incident(node_.incidents, "housekeeping");
    }
    lock.lock();
    changed_.wait_for(lock, every(), [this] { return stopping_; });
  }
}

void Housekeeper::ask_for_round() {
  const Ticks asked = clock_.elapsed();
  if (asked - Ticks(state_->refreshed) > node_.options.leader_ttl) forget_leadership(node_);
  if (state_->under_way.exchange(true)) return;  // a round that waits for the database need not wait twice
  // Whatever becomes of the body, run or dropped, the last copy's end makes room for the next round.
  const std::shared_ptr<void> token(nullptr, [state = state_](void*) { state->under_way = false; });
  const NodeBeat beat{.pending = hooks_.pending(), .uptime = std::chrono::duration_cast<Duration>(asked - started_)};
  hooks_.submit([state = state_, token, beat, asked](Tx& tx) {
    // The leader's row first: a sweep holds it before it locks workers, so that nobody waits in a circle.
    refresh_leadership(tx);
    beat_node(tx, beat);
    write_worker_counts(tx);
    if (!tx.failed()) state->refreshed = asked.count();
  });
}

}  // namespace muster::store::postgres
