#include "store/postgres/directory.h"

#include <algorithm>

#include <fmt/format.h>

namespace muster::store::postgres {
namespace {

std::string name_key(std::int64_t scope, const std::string& name) { return fmt::format("{}/{}", scope, name); }

std::string lane_key(QueueKey queue, const JobType& type, const CapabilitySet& needs, bool special, LaneKey home) {
  return fmt::format("{}/{}/{}/{}\n{}", queue, special ? 1 : 0, home, type.text(), needs.key());
}

}  // namespace

std::optional<NamespaceKey> Directory::find_namespace(const NamespaceName& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = namespaces_.find(name.text());
  if (found == namespaces_.end()) return std::nullopt;
  return found->second.key;
}

bool Directory::takes_jobs(const NamespaceName& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = namespaces_.find(name.text());
  return found != namespaces_.end() && found->second.info.enabled;
}

std::vector<NamespaceEntry> Directory::namespaces() const {
  const std::lock_guard lock(mutex_);
  std::vector<NamespaceEntry> out;
  for (const auto& [name, entry] : namespaces_) out.push_back(entry);
  return out;
}

QueueRef Directory::find_queue(NamespaceKey ns, const QueueName& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = queues_by_name_.find(name_key(ns, name.text()));
  return found == queues_by_name_.end() ? nullptr : found->second;
}

QueueRef Directory::queue(QueueKey key) const {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(key);
  return found == queues_.end() ? nullptr : found->second;
}

std::vector<QueueRef> Directory::queues() const {
  const std::lock_guard lock(mutex_);
  std::vector<QueueRef> out;
  for (const auto& [key, queue] : queues_) out.push_back(queue);
  return out;
}

LanePtr Directory::find_lane(QueueKey queue, const JobType& type, const CapabilitySet& needs, bool special, LaneKey home) const {
  const std::lock_guard lock(mutex_);
  const auto found = lanes_by_name_.find(lane_key(queue, type, needs, special, home));
  return found == lanes_by_name_.end() ? nullptr : found->second;
}

LanePtr Directory::lane(LaneKey key) const {
  const std::lock_guard lock(mutex_);
  const auto found = lanes_.find(key);
  return found == lanes_.end() ? nullptr : found->second;
}

std::vector<LanePtr> Directory::lanes_of_queue(QueueKey queue) const {
  const std::lock_guard lock(mutex_);
  const auto found = lanes_by_queue_.find(queue);
  return found == lanes_by_queue_.end() ? std::vector<LanePtr>() : found->second;
}

std::size_t Directory::lane_count() const {
  const std::lock_guard lock(mutex_);
  return lanes_.size();
}

WorkerPtr Directory::find_worker(NamespaceKey ns, const WorkerId& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = workers_by_name_.find(name_key(ns, id.text()));
  return found == workers_by_name_.end() ? nullptr : found->second;
}

WorkerPtr Directory::worker(WorkerKey key) const {
  const std::lock_guard lock(mutex_);
  const auto found = workers_.find(key);
  return found == workers_.end() ? nullptr : found->second;
}

std::string Directory::key_of(const Offer& offer) const {
  std::string key = offer.ns.text() + "\n";
  for (const QueueName& queue : offer.queues) key += queue.text() + ",";
  return key + "\n" + std::string(static_cast<std::size_t>(offer.takes), '\n') + offer.capabilities.key();
}

std::shared_ptr<const OfferLanes> Directory::lanes_of(const std::shared_ptr<const Offer>& offer) {
  const std::string key = key_of(*offer);
  const std::lock_guard lock(mutex_);
  if (offers_.size() >= kOffersMax) offers_.clear();
  std::shared_ptr<const OfferLanes>& known = offers_[key];
  if (known && known->generation == generation_) return known;
  auto fresh = std::make_shared<OfferLanes>();
  fresh->generation = generation_;
  for (const auto& [lane_id, entry] : lanes_) {
    if (!may_serve(*offer, *entry->lane)) continue;
    const auto queue = queues_.find(entry->queue);
    if (queue == queues_.end() || queue->second->settings.paused) continue;
    (entry->special || queue->second->limited() ? fresh->gated : fresh->plain).push_back(lane_id);
  }
  fresh->all = fresh->plain.size() == lanes_.size();
  std::sort(fresh->plain.begin(), fresh->plain.end());
  std::sort(fresh->gated.begin(), fresh->gated.end());
  // Workers differ at least in their names, and yet most may serve the same lanes: they share one list, and so one statement.
  std::shared_ptr<const OfferLanes>& shared = same_lanes_[{fresh->plain, fresh->gated}];
  if (shared == nullptr || shared->generation != generation_) shared = fresh;
  known = shared;
  return known;
}

void Directory::load(std::int64_t version, std::vector<NamespaceEntry> namespaces, std::vector<QueueEntry> queues,
                     std::vector<LaneEntry> lanes) {
  const std::lock_guard lock(mutex_);
  version_ = version;
  ++generation_;
  same_lanes_.clear();
  namespaces_.clear();
  queues_.clear();
  queues_by_name_.clear();
  auto known_lanes = std::move(lanes_);
  lanes_.clear();
  lanes_by_name_.clear();
  lanes_by_queue_.clear();
  for (NamespaceEntry& entry : namespaces) namespaces_.emplace(entry.info.name.text(), std::move(entry));
  for (QueueEntry& entry : queues) {
    auto queue = std::make_shared<const QueueEntry>(std::move(entry));
    queues_by_name_[name_key(queue->ns, queue->name.text())] = queue;
    queues_[queue->key] = std::move(queue);
  }
  for (LaneEntry& entry : lanes) {
    const auto queue = queues_.find(entry.queue);
    if (queue == queues_.end()) continue;
    entry.ns = queue->second->ns;
    // Whoever was told about a lane shares its entry: one lane, one object.
    const auto known = known_lanes.find(entry.key);
    LanePtr lane = known != known_lanes.end() ? known->second : std::make_shared<const LaneEntry>(std::move(entry));
    lanes_by_name_[lane_key(lane->queue, lane->lane->type, lane->lane->needs, lane->special, lane->home)] = lane;
    lanes_by_queue_[lane->queue].push_back(lane);
    lanes_.emplace(lane->key, std::move(lane));
  }
}

void Directory::put_worker(WorkerEntry worker) {
  auto entry = std::make_shared<const WorkerEntry>(std::move(worker));
  const std::lock_guard lock(mutex_);
  workers_by_name_[name_key(entry->ns, entry->worker.spec.id.text())] = entry;
  workers_[entry->key] = std::move(entry);
}

void Directory::forget_worker(WorkerKey key) {
  const std::lock_guard lock(mutex_);
  const auto found = workers_.find(key);
  if (found == workers_.end()) return;
  workers_by_name_.erase(name_key(found->second->ns, found->second->worker.spec.id.text()));
  workers_.erase(found);
}

std::int64_t Directory::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

void Directory::mistrust() {
  const std::lock_guard lock(mutex_);
  version_ = -1;
}

void Directory::count_enqueued(QueueKey queue, std::uint64_t n) {
  const std::lock_guard lock(mutex_);
  counts_[queue].totals.enqueued += n;
}

void Directory::count_completed(QueueKey queue, std::uint64_t n, Instant now) {
  const std::lock_guard lock(mutex_);
  Counted& counted = counts_[queue];
  counted.totals.completed += n;
  const std::int64_t second = to_ms(now) / 1'000;
  counted.by_second[second] += n;
  while (counted.by_second.begin()->first <= second - kRateSeconds) counted.by_second.erase(counted.by_second.begin());
}

void Directory::count_dead(QueueKey queue, std::uint64_t n) {
  const std::lock_guard lock(mutex_);
  counts_[queue].totals.dead += n;
}

QueueCounts Directory::counts(QueueKey queue) const {
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(queue);
  return found == counts_.end() ? QueueCounts() : found->second.totals;
}

double Directory::completed_per_second(QueueKey queue, Instant now) const {
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(queue);
  if (found == counts_.end()) return 0;
  std::uint64_t sum = 0;
  const std::int64_t second = to_ms(now) / 1'000;
  for (const auto& [at, count] : found->second.by_second)
    if (at > second - kRateSeconds && at <= second) sum += count;
  return static_cast<double>(sum) / static_cast<double>(kRateSeconds);
}

void Directory::count_worker(WorkerKey worker, bool completed) {
  const std::lock_guard lock(mutex_);
  WorkerDelta& delta = worker_counts_[worker];
  delta.worker = worker;
  ++(completed ? delta.completed : delta.failed);
}

std::vector<Directory::WorkerDelta> Directory::take_worker_counts() {
  const std::lock_guard lock(mutex_);
  std::vector<WorkerDelta> out;
  out.reserve(worker_counts_.size());
  for (const auto& [key, delta] : worker_counts_) out.push_back(delta);
  worker_counts_.clear();
  std::sort(out.begin(), out.end(), [](const WorkerDelta& a, const WorkerDelta& b) { return a.worker < b.worker; });
  return out;
}

void Directory::give_back_worker_counts(const std::vector<WorkerDelta>& deltas) {
  const std::lock_guard lock(mutex_);
  for (const WorkerDelta& delta : deltas) {
    WorkerDelta& known = worker_counts_[delta.worker];
    known.worker = delta.worker;
    known.completed += delta.completed;
    known.failed += delta.failed;
  }
}

}  // namespace muster::store::postgres
