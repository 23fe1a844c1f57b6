// Nouns of the registry as messages of today's dialect.
#pragma once

#include <cstdint>

#include "fronts/grpc/v1/v1.h"
#include "model/job.h"
#include "model/queue.h"
#include "model/schedule.h"
#include "model/worker.h"

namespace muster::rpc::v1 {

void put_workflow(const Job& run, pb::Workflow* out);
void put_step(const Step& step, const NamespaceName& ns, Instant now, pb::Step* out);
void put_worker(const Worker& worker, pb::Worker* out);
// What became of the newest runs of a schedule.
struct RunOutcomes {
  std::uint64_t seen = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
};
void put_schedule(const Schedule& schedule, const RunOutcomes& outcomes, pb::WorkflowSchedule* out);
void put_namespace(const NamespaceInfo& info, pb::Namespace* out);

}  // namespace muster::rpc::v1
