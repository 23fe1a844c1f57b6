// A job by whatever name its client knows it, and the document that shows it.
#pragma once

#include <string>

#include "base/status.h"
#include "base/unique_function.h"
#include "fronts/resp/call.h"
#include "model/job.h"

namespace muster::resp::plans {

// On the loop's thread. not_found: no such job in the default namespace.
void find_job(const CallRef& call, const std::string& name, UniqueFunction<void(Result<Job>)> then);

// Renders the job's document with its plan's part.
void with_document(const CallRef& call, Job job, UniqueFunction<void(const Job&, std::string)> then);

}  // namespace muster::resp::plans
