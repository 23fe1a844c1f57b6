// A cluster as people read it; shared by `muster cluster` and its tests.
#pragma once

#include <string>

#include "cli/table.h"
#include "sdk/cpp/types.h"

namespace muster::cli {

// One row a node. Ages are measured by the store's clock, which came with the answer.
Table cluster_table(const sdk::Cluster& cluster);
// "node-a leads in term 7, for 12s unless refreshed; answered by node-b"
std::string cluster_summary(const sdk::Cluster& cluster);

// One row for each value that a setting has, with the nodes that have it.
Table settings_table(const sdk::ClusterSettings& found);
// "2 settings differ between 3 nodes", and what could not be compared.
std::string settings_summary(const sdk::ClusterSettings& found);

}  // namespace muster::cli
