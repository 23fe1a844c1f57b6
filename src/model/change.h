// One thing that happened, told after its commit: the raw material of events, wake-ups and metrics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "model/ids.h"
#include "model/job.h"
#include "model/job_state.h"
#include "model/lane.h"
#include "model/worker.h"

namespace muster {

struct JobChange {
  JobId id;
  LaneRef lane;                  // namespace, queue and type; its needs are those the job waits or waited with
  std::optional<JobState> from;  // empty for enqueued
  JobState to = JobState::scheduled;
  JobEvent event = JobEvent::enqueued;
  std::uint32_t attempt = 0;
  Fence fence{};
  WorkerId worker;  // empty when no worker is concerned
  Instant at{};
  std::string cause;              // error kind, cancel reason; empty for none
  std::optional<JobId> parent{};  // of a run that finished: the run that may wait for it
};

struct WorkerChange {
  NamespaceName ns;
  WorkerId id;
  SessionId session{};
  std::optional<WorkerState> from;  // empty for a first registration
  WorkerState to = WorkerState::online;
  Instant at{};
  std::string cause;
};

struct QueueChanged {
  NamespaceName ns;
  QueueName queue;
  bool paused = false;
  Instant at{};
};

}  // namespace muster
