#include "store/postgres/cluster/leader.h"

#include "base/log.h"
#include "store/postgres/node.h"
#include "store/postgres/verbs/excuse.h"

namespace muster::store::postgres {
namespace {

const Sql kLeaderHold{"leader_hold"};
const Sql kLeaderTake{"leader_take"};
const Sql kLeaderRelease{"leader_release"};
const Sql kNodeBeat{"node_beat"};
const Sql kNodeForget{"node_forget"};
const Sql kNodeLeave{"node_leave"};

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
    const Rows held = tx.ask(kLeaderHold, Params().text(node.options.node).int8(term).int8(ttl));
    if (tx.failed() || held.size() == 1) return !tx.failed();
  }
  const Rows taken = tx.ask(kLeaderTake, Params().text(node.options.node).int8(ttl));
  if (tx.failed()) return false;
  believe(node, taken.size() == 1 ? taken.integer(0, 0) : 0);
  // Perhaps nobody was there to hear: the first to lead after a stop of all nodes cannot know.
  if (taken.size() == 1) excuse_silence(tx);
  return taken.size() == 1;
}

void release_leadership(Tx& tx) {
  Node& node = tx.node();
  if (const std::int64_t term = node.leadership.term; term != 0)
    tx.write(kLeaderRelease, Params().text(node.options.node).int8(term));
  believe(node, 0);
}

void forget_leadership(Node& node) { believe(node, 0); }

void beat_node(Tx& tx, const NodeBeat& beat) {
  const Node& node = tx.node();
  tx.write(kNodeBeat, Params()
                          .text(node.options.node)
                          .int8(tx.now_ms() - beat.uptime.count())
                          .text(node.options.address)
                          .text(node.options.version)
                          .boolean(node.listening)
                          .int4(beat.pending)
                          .int8(node.notify_lag_ms.load()));
  tx.write(kNodeForget, Params().int8(kNodeForgottenAfter.count()));
}

void leave_cluster(Tx& tx) { tx.write(kNodeLeave, Params().text(tx.node().options.node)); }

}  // namespace muster::store::postgres
