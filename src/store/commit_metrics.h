// What every store counts of its commits.
#pragma once

#include "base/metrics.h"

namespace muster::store {

struct CommitMetrics {
  explicit CommitMetrics(Metrics& metrics)
      : commits(metrics.counter("muster_store_commits_total", "Commits of the store.")),
        failed_commits(metrics.counter("muster_store_commits_failed_total", "Groups that could not be committed.")),
        commit_seconds(
            metrics.histogram("muster_store_commit_duration_seconds", "Time of one commit, sync included.", latency_bounds())) {}
  Counter& commits;
  Counter& failed_commits;
  Histogram& commit_seconds;
};

}  // namespace muster::store
