// cluster.status: the nodes that share the store, and who leads.
#pragma once

#include "base/reply.h"
#include "command/cluster.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kClusterStatus{
    .name = "cluster.status",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "List the nodes of the cluster, the leader and how far behind each node is.",
};

struct ClusterStatusRequest {};
using ClusterStatusReply = Cluster;

void handle(Context& context, ClusterStatusRequest request, Reply<ClusterStatusReply> reply);

}  // namespace muster::command
