#include "engine/asked_queues.h"

#include <algorithm>
#include <utility>

namespace muster::engine {

void AskedQueues::note(const store::ClaimRequest& request, Ticks now) {
  std::string key = key_of(request.ns, request.worker);
  const std::lock_guard lock(mutex_);
  if (request.queues.empty()) {
    workers_.erase(key);
    return;
  }
  if (workers_.size() >= kWorkersMax && !workers_.contains(key)) workers_.clear();
  Asked& asked = workers_[std::move(key)];
  if (asked.many) return;
  asked.last = now;
  for (const QueueName& queue : request.queues) asked.at[queue] = now;
  if (asked.at.size() <= kQueuesMax) return;
  std::erase_if(asked.at, [&](const auto& each) { return now - each.second > kLately; });
  asked.many = asked.at.size() > kQueuesMax;
  if (asked.many) asked.at.clear();
}

std::vector<QueueName> AskedQueues::of(const NamespaceName& ns, const WorkerId& worker) const {
  std::vector<QueueName> out;
  const std::lock_guard lock(mutex_);
  const auto found = workers_.find(key_of(ns, worker));
  if (found == workers_.end()) return out;
  for (const auto& [queue, at] : found->second.at)
    if (found->second.last - at <= kLately) out.push_back(queue);
  return out;
}

void leave_out_elsewhere(const AskedQueues& asked, store::WaitFacts& facts) {
  std::erase_if(facts.able, [&](const store::WaitFacts::AbleWorker& worker) {
    std::vector<QueueName> queues = asked.of(facts.job.spec.ns, worker.id);
    if (queues.empty() || std::find(queues.begin(), queues.end(), facts.job.spec.queue) != queues.end()) return false;
    --facts.able_count;
    if (worker.state == WorkerState::online && worker.running < worker.slots) --facts.able_free;
    facts.elsewhere.push_back({worker.id, std::move(queues)});
    return true;
  });
}

}  // namespace muster::engine
