#include "store/sqlite/hot/workers.h"

#include <algorithm>

namespace muster::store::sqlite {

std::vector<JobKey> HotWorker::leases_in_order() const {
  std::vector<JobKey> keys(leases.begin(), leases.end());
  std::sort(keys.begin(), keys.end());
  return keys;
}

HotWorker* Workers::find(std::int64_t ns_row, const WorkerId& id) {
  const auto it = by_name_.find({ns_row, id.text()});
  return it == by_name_.end() ? nullptr : find(it->second);
}

HotWorker* Workers::find(WorkerKey key) {
  const auto it = by_key_.find(key);
  return it == by_key_.end() ? nullptr : &it->second;
}

HotWorker& Workers::add(HotWorker worker) {
  const WorkerKey key = worker.key;
  by_name_[{worker.ns_row, worker.worker.spec.id.text()}] = key;
  return by_key_.insert_or_assign(key, std::move(worker)).first->second;
}

std::size_t Workers::live() const {
  return static_cast<std::size_t>(std::count_if(
      by_key_.begin(), by_key_.end(), [](const auto& entry) { return entry.second.worker.state != WorkerState::offline; }));
}

void Workers::erase(WorkerKey key) {
  const auto it = by_key_.find(key);
  if (it == by_key_.end()) return;
  by_name_.erase({it->second.ns_row, it->second.worker.spec.id.text()});
  by_key_.erase(it);
}

}  // namespace muster::store::sqlite
