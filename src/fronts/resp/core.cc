#include "fronts/resp/core.h"

#include <fmt/format.h>

#include "fronts/resp/clients.h"
#include "fronts/resp/commands.h"
#include "fronts/resp/gatekeeper.h"
#include "fronts/resp/link/channels.h"
#include "fronts/resp/meter.h"
#include "fronts/resp/plans/plan_cache.h"
#include "fronts/resp/work/work_state.h"

namespace muster::resp {

Core::Core(net::IoLoop& on, command::Door& through, Metrics& counted, RespOptions options_in)
    : loop(on),
      door(through),
      metrics(counted),
      incidents(counted, "wire"),
      options(std::move(options_in)),
      meter(std::make_unique<Meter>(counted)),
      clients(std::make_unique<Clients>()),
      gatekeeper(std::make_unique<Gatekeeper>(*this)),
      channels(std::make_shared<Channels>(*this)),
      work_state(std::make_unique<work::WorkState>(*this)),
      plan_cache(std::make_unique<plans::PlanCache>(*this)) {}

Core::~Core() = default;

void Core::post(UniqueFunction<void()> work) {
  loop.post([self = weak_from_this(), work = std::move(work)]() mutable {
    if (const auto alive = self.lock()) work();
  });
}

void Core::fail_unanswered(const CallGroup& group) const {
  const Incident incident(incidents, group.front()->entry().name);
  const std::string text = error_text(incident.status());
  for (const CallRef& call : group)
    if (!call->answered()) call->fail(text);
}

NamespaceName default_namespace() { return NamespaceName(kDefaultNamespace); }

std::string error_text(const Status& status) {
  switch (status.code()) {
    case Code::exhausted: return fmt::format("{}; try again later", status.message());
    case Code::unavailable: return fmt::format("TRYAGAIN nothing was written: {}", status.message());
    case Code::outcome_unknown: return fmt::format("UNKNOWN it may have been written: {}", status.message());
    case Code::internal:
    case Code::corrupt: return fmt::format("Internal error: {}", status.message());
    case Code::permission_denied: return fmt::format("NOPERM {}", status.message());
    case Code::ok:
    case Code::invalid_argument:
    case Code::unauthenticated:
    case Code::not_found:
    case Code::already_exists:
    case Code::conflict:
    case Code::lease_lost: return status.message();
  }
  return status.message();
}

}  // namespace muster::resp
