// Keep a caller to what it may touch, for requests that name a job and nothing else: the job is read for them.
#pragma once

#include <vector>

#include "base/reply.h"
#include "base/status.h"
#include "base/unique_function.h"
#include "command/context.h"
#include "model/ids.h"

namespace muster::command {

// For verbs about jobs that nobody needs to hold. Calls `next` with ok at once for a caller that is not bound to namespaces. For
// one that is, the jobs are read first; permission_denied when one of them is in another namespace. Unknown jobs pass: the verb
// itself answers for them.
void guard_jobs(Context& context, std::vector<JobId> jobs, UniqueFunction<void(Status)> next);

// A caller that may speak about nothing of what it names is refused as a whole: the refusal of all these answers, or ok.
template <class... Answers>
Status refused_whole(const store::Each<Answers>&... answers) {
  Status refused;
  const auto all = [&refused](const auto& each) {
    for (const auto& answer : each) {
      if (answer.code() != Code::permission_denied) return false;
      refused = answer.status();
    }
    return true;
  };
  return (all(answers) && ...) ? refused : Status();
}

// Reads the job and calls `next` with it; not_found when there is none or it is no run (a plain job under a run's path is
// answered as if it were not there), permission_denied when it is in a namespace that the caller may not use.
void with_run(Context& context, JobId run, Reply<Job> next);
// The job, or permission_denied when it is in a namespace that the caller may not use.
Result<Job> only_own(const Caller& caller, Result<Job> job);
// The same, and not_found when it is no run.
Result<Job> only_run(const Caller& caller, Result<Job> job);

}  // namespace muster::command
