#include "command/cluster_status.h"

#include "command/count_workers.h"

namespace muster::command {
namespace {

// A server that is alone on its store leads it, in the one term there is.
Cluster alone(const ServerFacts& facts, Instant now) {
  ClusterNode node;
  node.name = facts.node;
  if (const auto at = facts.listeners.find("http"); at != facts.listeners.end()) node.address = at->second;
  node.version = facts.version;
  node.started_at = facts.started_at;
  node.seen_at = now;
  node.leader = true;
  node.listening = true;
  Cluster cluster;
  cluster.now = now;
  cluster.self = node.name;
  cluster.leader = node.name;
  cluster.term = 1;
  cluster.nodes.push_back(std::move(node));
  return cluster;
}

}  // namespace

void handle(Context& context, ClusterStatusRequest, Reply<ClusterStatusReply> reply) {
  if (context.facts.cluster) return context.facts.cluster(std::move(reply));
  count_workers(context.engine, [cluster = alone(context.facts, context.engine.clock().now()),
                                 reply = std::move(reply)](Result<std::uint64_t> workers) mutable {
    if (!workers.ok()) return reply(workers.status());
    cluster.nodes.front().workers = *workers;
    reply(std::move(cluster));
  });
}

}  // namespace muster::command
