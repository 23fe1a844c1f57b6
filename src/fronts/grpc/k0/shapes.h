// Nouns of the registry as messages of the older dialect.
#pragma once

#include "fronts/grpc/k0/k0.h"
#include "model/job.h"
#include "model/schedule.h"
#include "model/worker.h"

namespace muster::rpc::k0 {

inline constexpr std::string_view kNull = "null";  // an input that was left out

// `plain`: for clients that take the error's bytes for a text.
struct ErrorForm {
  bool plain = false;
};

void put_run(const Job& run, ErrorForm form, pb::WorkflowRun* out);
void put_step(const Step& step, const NamespaceName& ns, Instant now, ErrorForm form, pb::StepAttempt* out);
void put_worker(const Worker& worker, pb::Worker* out);
void put_schedule(const Schedule& schedule, pb::Schedule* out);

}  // namespace muster::rpc::k0
