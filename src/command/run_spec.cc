#include "command/run_spec.h"

#include <string>
#include <utility>
#include <vector>

#include "model/key_scope.h"

namespace muster::command {

void need_workflow(JobSpec& job) {
  if (!job.run) return;
  const auto named = job.needs.names();
  std::vector<std::string> needs(named.begin(), named.end());
  needs.push_back(workflow_capability(job.type.text()));
  job.needs = CapabilitySet(std::move(needs));
}

void hold_external_id(JobSpec& job) {
  if (!job.run || job.run->external_id.empty() || job.unique) return;
  job.unique = UniqueKey{.key = kKagziKeys + job.run->external_id, .during = UniqueWhile::unfinished};
}

}  // namespace muster::command
