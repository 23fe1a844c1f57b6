// The engine: the rules between the commands and the store, one object per noun.
//
//   Jobs     validates and forwards, and answers `why`
//   Workers  validates and forwards, gives ids to those that have none
//   Queues   queues and namespaces
//   Plans    plans, and actions that run one over many inputs
//   Runs     steps, signals and ends of durable workflows
//   Schedules  jobs that are enqueued again and again
//   Resources  what workers keep for later tasks
//   WorkerMail  frames that somebody sends to a worker
//   Packages  what AstraFlow's workers have installed, and what they shall have
//   Feedback  what workers tell about jobs while they run, and who reads it
//   Keys     the keyspace, and those who wait for an element of a list
//   Claims   parked claims, woken in order of arrival per lane
//   Events   what happened, in a ring that readers can resume from
//   History  figures over time
//   OrphanedRuns  runs whose hand-out died with the server before this one
//   Sweeper  the background passes of sweeps/, driven by tick()
//
// The engine owns no thread. Its verbs may be called from any thread; replies come on a store thread or before the
// call returns. tick() is driven by one thread, which sleeps for as long as it says.
#pragma once

#include <array>
#include <cstddef>

#include "base/clock.h"
#include "base/metrics.h"
#include "engine/audit.h"
#include "engine/claims.h"
#include "engine/events.h"
#include "engine/feedback.h"
#include "engine/history.h"
#include "engine/jobs.h"
#include "engine/keys.h"
#include "engine/options.h"
#include "engine/orphaned_runs.h"
#include "engine/packages.h"
#include "engine/plans.h"
#include "engine/queues.h"
#include "engine/resources.h"
#include "engine/runs.h"
#include "engine/schedules.h"
#include "engine/sweeper.h"
#include "engine/worker_mail.h"
#include "engine/workers.h"
#include "store/store.h"

namespace muster::engine {

class Engine final : private store::Listener {
 public:
  // store, clock and metrics outlive the engine.
  Engine(store::Store& store, const Clock& clock, Metrics& metrics, Options options);
  ~Engine() override;

  Jobs& jobs() { return jobs_; }
  Workers& workers() { return workers_; }
  Queues& queues() { return queues_; }
  Plans& plans() { return plans_; }
  Packages& packages() { return packages_; }
  Keys& keys() { return keys_; }
  Resources& resources() { return resources_; }
  WorkerMail& mail() { return mail_; }
  Feedback& feedback() { return feedback_; }
  Runs& runs() { return runs_; }
  Schedules& schedules() { return schedules_; }
  Claims& claims() { return claims_; }
  Audit& audit() { return audit_; }
  Events& events() { return events_; }
  History& history() { return history_; }
  store::AdminStore& admin() { return store_; }
  const Clock& clock() const { return clock_; }

  // Runs what is due and returns how long the caller may sleep, at most kSleepMax. Call from one thread at a time.
  Duration tick();
  // Work that arrives during the sleep (a claim that parks, a job that is scheduled) is late by this at most.
  static constexpr Duration kSleepMax{50};

  // Answers every parked claim with an empty list and parks no more, and hands all audit rows to the store; the other verbs and
  // tick() go on. Idempotent.
  void stop();

 private:
  void committed(const store::Committed& commit) override;

  static constexpr std::size_t kEventCount = static_cast<std::size_t>(JobEvent::pruned) + 1;

  store::Store& store_;
  const Clock& clock_;
  std::array<Counter*, kEventCount> moves_;  // by JobEvent
  Events events_;
  Claims claims_;
  Jobs jobs_;
  Workers workers_;
  Queues queues_;
  Plans plans_;
  Packages packages_;
  Keys keys_;
  Resources resources_;
  WorkerMail mail_;
  Feedback feedback_;
  Runs runs_;
  Schedules schedules_;
  OrphanedRuns orphaned_runs_;
  Audit audit_;
  History history_;
  Sweeper sweeper_;
};

}  // namespace muster::engine
