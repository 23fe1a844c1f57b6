#include "store/postgres/cluster/housekeeper.h"

#include <algorithm>

#include "base/log.h"
#include "store/postgres/node.h"
#include "store/postgres/verbs/verbs.h"

namespace muster::store::postgres {
namespace {

void believe(Node& node, std::int64_t term) {
  const std::int64_t before = node.leadership.term.exchange(term);
  node.metrics.leader.set(term != 0 ? 1 : 0);
  if (before == 0 && term != 0) log::info("this node leads", {{"node", node.options.node}, {"term", term}});
  if (before != 0 && term == 0) log::info("this node no longer leads", {{"node", node.options.node}, {"term", before}});
}

}  // namespace

bool refresh_leadership(Tx& tx) {
  Node& node = tx.node();
  const std::int64_t ttl = node.options.leader_ttl.count();
  if (const std::int64_t term = node.leadership.term; term != 0) {
    const Rows held = tx.ask("leader_hold"_sql, Params().text(node.options.node).int8(term).int8(ttl));
    if (tx.failed() || held.size() == 1) return !tx.failed();
  }
  const Rows taken = tx.ask("leader_take"_sql, Params().text(node.options.node).int8(ttl));
  if (tx.failed()) return false;
  believe(node, taken.size() == 1 ? taken.integer(0, 0) : 0);
  // Perhaps nobody was there to hear: the first to lead after a stop of all nodes cannot know.
  if (taken.size() == 1) excuse_silence(tx);
  return taken.size() == 1;
}

void release_leadership(Tx& tx) {
  Node& node = tx.node();
  if (const std::int64_t term = node.leadership.term; term != 0)
    tx.write("leader_release"_sql, Params().text(node.options.node).int8(term));
  believe(node, 0);
}

void forget_leadership(Node& node) { believe(node, 0); }

void beat_node(Tx& tx, const NodeBeat& beat) {
  Node& node = tx.node();
  const Rows written = tx.ask("node_beat"_sql, Params()
                                                   .text(node.options.node)
                                                   .int8(tx.now_ms() - beat.uptime.count())
                                                   .text(node.options.address)
                                                   .text(node.options.version)
                                                   .boolean(node.listening)
                                                   .int4(beat.pending)
                                                   .int8(node.notify_lag_ms.load()));
  const auto own = node.own_settings();
  node.lacks_settings = own && written.size() == 1 && written.view(0, 0) != own->mark;
  tx.write("node_forget"_sql, Params().int8(kNodeForgottenAfter.count()));
}

void leave_cluster(Tx& tx) { tx.write("node_leave"_sql, Params().text(tx.node().options.node)); }

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
  // Apart from the beat, which must not fail over what a node has to say about itself.
  if (node_.lacks_settings.exchange(false)) hooks_.submit([](Tx& tx) { write_settings(tx); });
}

}  // namespace muster::store::postgres
