#include "store/jobs/workers.h"

#include <algorithm>
#include <utility>

#include "store/refusals.h"

namespace muster::store::jobs {
namespace {

template <class T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

Status live_session(const Worker& worker, const std::optional<SessionId>& session) {
  if (worker.state == WorkerState::offline) return refusal::offline(worker);
  if (session && *session != worker.session) return refusal::session_replaced(worker, *session);
  return {};
}

Status may_claim(const Worker* worker, const Offer* offer, const ClaimRequest& request) {
  if (worker == nullptr || worker->state == WorkerState::offline) return refusal::not_registered(request.worker);
  if (request.session && *request.session != worker->session) return refusal::session_replaced(request.worker, *request.session);
  if (!request.narrow) return {};
  const auto extra = offer->capabilities.missing(*request.narrow);
  return extra.empty() ? Status() : refusal::lacks_capability(request.worker, extra.front());
}

Offer narrowed(const WorkerSpec& worker, Offer offer, const ClaimRequest& request) {
  if (!request.queues.empty()) {
    offer.queues = request.queues;
    std::sort(offer.queues.begin(), offer.queues.end());
  }
  if (request.narrow) {
    // Its labels and its name are offered in any case.
    std::vector<std::string> names(request.narrow->names().begin(), request.narrow->names().end());
    for (const std::string& name : label_capabilities(worker.labels)) names.push_back(name);
    names.push_back(worker_capability(worker.id.text()));
    offer.capabilities = CapabilitySet(std::move(names));
  }
  return offer;
}

bool drained(Worker& worker, const Drain& drain, Instant now) {
  const bool by_load = drain.origin == DrainOrigin::load;
  if (by_load && (worker.state == WorkerState::draining || worker.drain_origin == DrainOrigin::overruled)) return false;
  worker.state = WorkerState::draining;
  worker.drain_deadline = by_load ? std::nullopt : std::optional(now + drain.deadline);
  worker.drain_reason = drain.reason;
  worker.drain_origin = drain.origin;
  return true;
}

Result<bool> resumed(Worker& worker, const Resume& resume) {
  if (resume.origin == DrainOrigin::load) {
    // What an operator overruled is forgotten once the load has fallen.
    if (worker.drain_origin != DrainOrigin::load && worker.drain_origin != DrainOrigin::overruled) return false;
    worker.state = WorkerState::online;
    forget_drain(worker);
    return true;
  }
  if (worker.state != WorkerState::draining) return false;
  if (worker.drain_origin == DrainOrigin::itself) return refusal::drains_itself(worker);
  worker.state = WorkerState::online;
  forget_drain(worker);
  worker.drain_origin = DrainOrigin::overruled;
  return true;
}

bool drains_itself(Worker& worker) {
  if (worker.state != WorkerState::online) return false;
  worker.state = WorkerState::draining;
  worker.drain_reason = kDrainsItself;
  worker.drain_origin = DrainOrigin::itself;
  return true;
}

void forget_drain(Worker& worker) {
  worker.drain_deadline.reset();
  worker.drain_reason.clear();
  worker.drain_origin = DrainOrigin::none;
}

bool matches(const Worker& worker, const WorkerQuery& query) {
  const WorkerSpec& spec = worker.spec;
  if (!query.states.empty() && !contains(query.states, worker.state)) return false;
  if (!query.capability.empty() && !offered(spec).contains(query.capability)) return false;
  for (const auto& [key, value] : query.labels) {
    const auto it = spec.labels.find(key);
    if (it == spec.labels.end() || it->second != value) return false;
  }
  return query.queue.empty() || spec.queues.empty() || contains(spec.queues, query.queue);
}

}  // namespace muster::store::jobs
