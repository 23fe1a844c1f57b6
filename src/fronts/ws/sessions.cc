#include "fronts/ws/sessions.h"

#include "fronts/ws/worker_session.h"

namespace muster::ws {

std::shared_ptr<WorkerSession> Sessions::find(const std::string& tenant, const std::string& instance) const {
  const auto tenants = sessions_.find(instance);
  if (tenants == sessions_.end()) return nullptr;
  const auto found = tenants->second.find(tenant);
  return found == tenants->second.end() ? nullptr : found->second;
}

std::shared_ptr<WorkerSession> Sessions::find_anywhere(const std::string& instance) const {
  const auto tenants = sessions_.find(instance);
  return tenants == sessions_.end() ? nullptr : tenants->second.begin()->second;
}

void Sessions::put(std::shared_ptr<WorkerSession> session) {
  const Identity& identity = session->identity();
  std::shared_ptr<WorkerSession>& place = sessions_[identity.instance][identity.tenant];
  place = std::move(session);
}

void Sessions::remove(const WorkerSession& session) {
  const std::string instance = session.identity().instance;
  const auto tenants = sessions_.find(instance);
  if (tenants == sessions_.end()) return;
  const auto found = tenants->second.find(session.identity().tenant);
  if (found == tenants->second.end() || found->second.get() != &session) return;
  const auto kept = std::move(found->second);  // it may be the last to hold the session
  tenants->second.erase(found);
  if (tenants->second.empty()) sessions_.erase(tenants);
}

std::vector<std::shared_ptr<WorkerSession>> Sessions::all() const {
  std::vector<std::shared_ptr<WorkerSession>> out;
  for (const auto& [instance, tenants] : sessions_)
    for (const auto& [tenant, session] : tenants) out.push_back(session);
  return out;
}

}  // namespace muster::ws
