// The clustered store's own account of the cluster, in the words of the commands. The server hands it to the fronts.
#pragma once

#include "command/cluster.h"
#include "store/postgres/store.h"

namespace muster::server {

command::Cluster to_command(store::postgres::ClusterStatus status);

// The store outlives the view and every call of it.
command::ClusterView cluster_view(store::postgres::PostgresStore& store);

}  // namespace muster::server
