// Requests and answers of the verbs about runs: steps, signals, waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "model/job.h"
#include "model/run.h"

namespace muster::store {

// A run, and the lease under which somebody speaks for it. Without a fence (wires that cannot name one) every lease will do.
struct RunRef {
  JobId run;
  std::optional<Fence> fence{};
  std::shared_ptr<const LeaseBounds> bounds{};  // see LeaseRef
};

// `step` names the step within its run. A step is remembered by its name: one that completed is never executed again.
namespace step {

struct Begin {
  RunRef run;
  std::string step;
  StepKind kind = StepKind::function;  // function or sleep
  std::optional<Content> input{};
  StepPolicy policy{};
  // The caller may be another process behind one that died under the same lease: an attempt of that lease that runs is lost then.
  // Otherwise it is the caller's own, which repeats itself.
  bool anew = false;
};

struct Complete {
  RunRef run;
  std::string step;
  std::optional<Content> output{};
  bool unbegun_ok = false;  // a step that never began is recorded as completed instead of refused
};

// Retryable, and tries are left: the attempt waits for its retry, and with `requeue` the whole run does, without its lease.
struct Fail {
  RunRef run;
  std::string step;
  JobError error;
  bool retryable = true;
  Duration retry_after{0};  // 0: the policy's
  bool requeue = true;
  bool unbegun_ok = false;
};

// The run parks until then. Sleeping again under the same name does not start over. Empty name: the newest sleep step that runs,
// which is completed along the way; none is fine.
struct Sleep {
  RunRef run;
  std::string step;
  std::optional<Duration> length{};  // from now; else `until`
  Instant until{};
};

// Takes the oldest signal of this name, or parks until one comes or the wait is over (empty: for ever).
struct AwaitSignal {
  RunRef run;
  std::string step;
  std::string signal;
  std::optional<Duration> wait{};
};

// Answers with the child's end, or parks until then. The child is named by the first call of the step.
struct AwaitChild {
  RunRef run;
  std::string step;
  JobId child;
};

}  // namespace step

using StepCall = std::variant<step::Begin, step::Complete, step::Fail, step::Sleep, step::AwaitSignal, step::AwaitChild>;

struct StepAnswer {
  bool execute = false;      // Begin: the caller is to run the step
  std::optional<Step> step;  // as it is now; empty: a sleep without a step
  bool parked = false;       // the lease is given up: leave the run alone
  JobState state = JobState::running;
  std::optional<Instant> run_at;  // of a parked run
  bool cancel_requested = false;
};

struct StepQuery {
  std::optional<JobId> run;    // oldest attempt first
  std::string name;            // only this step's attempts
  std::optional<StepId> step;  // instead of a run: this attempt alone
  std::size_t limit = limits::kPageDefault;
  std::string cursor;  // opaque
};

struct StepPage {
  std::vector<Step> steps;
  std::string next;  // empty: the end
};

struct Signal {
  JobId run;
  std::string name;
  Content data;
};

struct Signalled {
  JobId run;
  bool taken = false;  // somebody waited for it; otherwise it is kept
};

// How many jobs are where. One entry per (queue, type, state) that has any.
struct JobCount {
  NamespaceName ns;
  QueueName queue;
  JobType type;
  JobState state = JobState::ready;
  std::uint64_t count = 0;
};

}  // namespace muster::store
