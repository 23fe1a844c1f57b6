#include "store/sqlite/hot/keys.h"

namespace muster::store::sqlite {

std::string scoped_key(std::int64_t scope, const std::string& key) {
  std::string out(reinterpret_cast<const char*>(&scope), sizeof scope);
  return out.append(key);
}

void KeyHold::leave(Place place, LaneEntry entry) {
  const auto it = waiters.find(place);
  if (it == waiters.end()) return;
  it->second.erase(entry);
  if (it->second.empty()) waiters.erase(it);
}

const KeyHold* ConcurrencyKeys::find(std::int64_t ns_row, const std::string& key) const {
  const auto it = holds_.find(scoped_key(ns_row, key));
  return it == holds_.end() ? nullptr : &it->second;
}

void ConcurrencyKeys::drop_if_idle(std::int64_t ns_row, const std::string& key) {
  const auto it = holds_.find(scoped_key(ns_row, key));
  if (it != holds_.end() && it->second.holders.empty() && it->second.waiters.empty()) holds_.erase(it);
}

JobKey UniqueKeys::find(std::int64_t ns_row, const std::string& key) const {
  const auto it = jobs_.find(scoped_key(ns_row, key));
  return it == jobs_.end() ? 0 : it->second;
}

void UniqueKeys::put(std::int64_t ns_row, const std::string& key, JobKey job) { jobs_[scoped_key(ns_row, key)] = job; }

void UniqueKeys::erase(std::int64_t ns_row, const std::string& key, JobKey job) {
  const auto it = jobs_.find(scoped_key(ns_row, key));
  if (it != jobs_.end() && it->second == job) jobs_.erase(it);
}

WorkerKey StickyBonds::find(std::int64_t queue_row, const std::string& key) const {
  const auto it = workers_.find(scoped_key(queue_row, key));
  return it == workers_.end() ? 0 : it->second;
}

void StickyBonds::put(std::int64_t queue_row, const std::string& key, WorkerKey worker) {
  workers_[scoped_key(queue_row, key)] = worker;
}

void StickyBonds::erase_worker(WorkerKey worker) {
  std::erase_if(workers_, [worker](const auto& entry) { return entry.second == worker; });
}

}  // namespace muster::store::sqlite
