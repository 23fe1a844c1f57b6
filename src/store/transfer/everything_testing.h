// Records in memory, of every kind, for the tests of copies.
#pragma once

#include <vector>

#include "store/transfer/record.h"

namespace muster::store::transfer {

struct Everything {
  Numbers numbers{.salt = 77, .next_job_key = 1'000, .next_fence = 500};
  std::vector<NamespaceInfo> namespaces;
  std::vector<QueueRecord> queues;
  std::vector<Worker> workers;
  std::vector<BondRecord> bonds;
  std::vector<JobRecord> jobs;
  std::vector<KeyRecord> keys;
  std::vector<DependencyRecord> dependencies;
  std::vector<Plan> plans;
  std::vector<ActionRecord> actions;
  std::vector<EntryRecord> entries;
  std::vector<ItemRecord> items;
  std::vector<FieldRecord> fields;
  std::vector<ScoreRecord> scores;
  std::vector<StepRecord> steps;
  std::vector<SignalRecord> signals;
  std::vector<Schedule> schedules;
  std::vector<Agent> agents;
  std::vector<Tool> tools;
  std::vector<SessionRow> sessions;
  std::vector<AgentRun> agent_runs;
  std::vector<Iteration> iterations;
  std::vector<ExecutionRecord> executions;
  std::vector<MessageRow> messages;
  std::vector<CompactionEvent> compactions;
  std::vector<ArchiveRecord> archive;
  std::vector<SpendingRecord> spending;
  std::vector<BlobRecord> blobs;

  Counts counts() const {
    return {namespaces.size(),   queues.size(),     workers.size(),    bonds.size(),      jobs.size(),     keys.size(),
            dependencies.size(), plans.size(),      actions.size(),    entries.size(),    items.size(),    fields.size(),
            scores.size(),       steps.size(),      signals.size(),    schedules.size(),  agents.size(),   tools.size(),
            sessions.size(),     agent_runs.size(), iterations.size(), executions.size(), messages.size(), compactions.size(),
            archive.size(),      spending.size(),   blobs.size()};
  }
};

}  // namespace muster::store::transfer
