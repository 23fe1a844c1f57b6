#include "fronts/ws/sessions.h"

#include "fronts/ws/worker_session.h"

namespace muster::ws {

std::shared_ptr<WorkerSession> Sessions::find(const std::string& instance) const {
  const auto found = sessions_.find(instance);
  return found == sessions_.end() ? nullptr : found->second;
}

void Sessions::put(std::shared_ptr<WorkerSession> worker) {
  const std::string instance = worker->identity().instance;
  sessions_[instance] = std::move(worker);
}

void Sessions::remove(const WorkerSession& worker) {
  const auto found = sessions_.find(worker.identity().instance);
  if (found != sessions_.end() && found->second.get() == &worker) sessions_.erase(found);
}

std::vector<std::shared_ptr<WorkerSession>> Sessions::all() const {
  std::vector<std::shared_ptr<WorkerSession>> out;
  for (const auto& [instance, worker] : sessions_) out.push_back(worker);
  return out;
}

}  // namespace muster::ws
