#include "engine/hand_out.h"

#include <fmt/format.h>

#include "base/log.h"

namespace muster::engine {

std::vector<LeaseRef> leases_of(const std::vector<Grant>& grants) {
  std::vector<LeaseRef> leases;
  leases.reserve(grants.size());
  for (const Grant& grant : grants) leases.push_back({grant.id, grant.fence});
  return leases;
}

void hand_out_failed(Engine& engine, const std::vector<LeaseRef>& leases, const Status& why) {
  if (leases.empty()) return;
  const JobError error{"hand_out_failed", fmt::format("it could not be handed to its worker: {}", why.message())};
  std::vector<store::Failure> batch;
  batch.reserve(leases.size());
  for (const LeaseRef& lease : leases) batch.push_back({.lease = lease, .error = error, .undelivered = true});
  engine.jobs().fail(std::move(batch), [count = leases.size()](Result<store::Each<store::Settled>> settled) {
    // Then the lease ends by itself, which spends a rescue as well.
    if (!settled.ok())
      log::warn("jobs that could not be handed out could not be given up; their leases will expire",
                {{"count", static_cast<std::int64_t>(count)}, {"code", std::string(to_string(settled.code()))}});
  });
}

}  // namespace muster::engine
