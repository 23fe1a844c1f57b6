// What the tools of a job wrote: the streams their worker handed over, or else what the job's result tells task by task.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "base/unique_function.h"
#include "fronts/resp/core.h"
#include "model/job.h"

namespace muster::resp::plans {

struct Outputs {
  std::optional<std::string> output;  // nothing: none was handed over and the result tells none
  std::optional<std::string> errors;
};

// On the loop's thread.
void read_outputs(const CallRef& call, const Job& job, UniqueFunction<void(Result<Outputs>)> then);

// The array of what each task did, as the worker reported it; empty when it did not.
std::string task_results(const Job& job);
// Of the last task that ran, or what the outcome stands for.
std::optional<std::int64_t> exit_code(const Job& job);

// The whole story of a job as JOB.STATUS tells it.
std::string status_document(const Job& job, const Outputs& outputs);

}  // namespace muster::resp::plans
