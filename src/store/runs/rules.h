// The rules of steps, written once as pure functions: a store reads the facts, asks for the verdict and writes what it says, all
// in one transaction.
#pragma once

#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "model/job_state.h"
#include "store/runs.h"

namespace muster::store::runs {

// What a call is judged by. `latest`: the newest attempt of the step; for a sleep without a name, the newest step of kind sleep
// that is running.
struct Facts {
  JobId run;
  const NamespaceName* ns = nullptr;  // null: not looked up, because the call is bound to none
  JobState state = JobState::running;
  Fence fence{};        // of the current or last lease
  bool leased = false;  // running, and the lease is not over
  bool cancel_requested = false;
  WorkerId worker;                // the holder
  const RunSpec* spec = nullptr;  // null: the job is not a run; steps are refused
  const Step* latest = nullptr;
  std::size_t steps = 0;                  // attempts of all its steps so far
  const Content* signal = nullptr;        // AwaitSignal: the oldest one of that name
  std::optional<JobState> child;          // AwaitChild: the state of child_of(); empty: no such job
  const Content* child_result = nullptr;  // of a completed one
  const JobError* child_error = nullptr;  // of a dead or cancelled one
};

// A run that waits for a signal without a limit is due then.
inline constexpr Instant kForever{Duration(253'402'300'799'999)};  // 9999-12-31T23:59:59.999Z

struct Park {
  Instant until{};
  JobEvent event = JobEvent::snoozed;  // failed: it waits for a retry
};

struct Verdict {
  Result<StepAnswer> answer = StepAnswer();
  // Step rows to write, in order; one without an id is new. The answer's step is the last of them when there are any.
  std::vector<Step> writes;
  std::optional<Park> park;  // the lease ends here; attempts stay as they are
  bool takes_signal = false;
  bool renews = false;  // the caller was heard: as a heartbeat of the holder
};

Verdict judge(const StepCall& call, const Facts& facts, Instant now, double spread);

// The child an AwaitChild is about: the one the step's first call named. Empty for other calls.
std::optional<JobId> child_of(const StepCall& call, const Step* latest);

// The step a signal completes, if the run waits for one of its name. `waiting`: the run's waiting steps.
std::optional<Step> take_signal(const std::vector<Step>& waiting, const Signal& signal, Instant now);

const RunRef& run_of(const StepCall& call);
const std::string& name_of(const StepCall& call);  // may be empty for a sleep

}  // namespace muster::store::runs
