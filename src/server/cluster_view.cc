#include "server/cluster_view.h"

#include <utility>

namespace muster::server {
namespace {

command::ClusterNode to_command(store::postgres::NodeStatus node) {
  return {.name = std::move(node.name),
          .address = std::move(node.address),
          .version = std::move(node.version),
          .started_at = node.started_at,
          .seen_at = node.seen_at,
          .leader = node.leader,
          .listening = node.listening,
          .pending = node.pending,
          .workers = node.workers,
          .notify_lag = node.notify_lag};
}

}  // namespace

command::Cluster to_command(store::postgres::ClusterStatus status) {
  command::Cluster cluster{.now = status.now,
                           .self = std::move(status.self),
                           .leader = std::move(status.leader),
                           .term = status.term,
                           .leader_until = status.leader_until,
                           .nodes = {}};
  for (store::postgres::NodeStatus& node : status.nodes) cluster.nodes.push_back(to_command(std::move(node)));
  return cluster;
}

command::ClusterView cluster_view(store::postgres::PostgresStore& store) {
  return [&store](Reply<command::Cluster> reply) {
    store.cluster([reply = std::move(reply)](Result<store::postgres::ClusterStatus> status) mutable {
      if (!status.ok()) return reply(status.status());
      reply(to_command(std::move(status).value()));
    });
  };
}

}  // namespace muster::server
