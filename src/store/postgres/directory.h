// What this node knows of the names: namespaces, queues, lanes and workers, and what it counted itself.
//
// A cache, never the truth: the database's directory_version tells when queues or lanes changed, and a worker's revision is
// checked inside the claim that relies on it. Thread-safe; entries are shared and immutable, a change replaces them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/change.h"
#include "model/lane.h"
#include "model/queue.h"
#include "model/worker.h"
#include "store/keys.h"

namespace muster::store::postgres {

using NamespaceKey = std::int32_t;
using QueueKey = std::int32_t;
using LaneKey = std::int32_t;
using WorkerKey = std::int32_t;

struct NamespaceEntry {
  NamespaceKey key = 0;
  NamespaceInfo info;
};

struct QueueEntry {
  QueueKey key = 0;
  NamespaceKey ns = 0;
  NamespaceName ns_name;
  QueueName name;
  QueueSettings settings;
  bool gated() const { return settings.paused || limited(); }
  bool limited() const { return settings.running_max || !settings.running_max_by_type.empty() || settings.rate; }
};
using QueueRef = std::shared_ptr<const QueueEntry>;

struct LaneEntry {
  LaneKey key = 0;
  QueueKey queue = 0;
  NamespaceKey ns = 0;
  bool special = false;  // its jobs have wishes that a claim must look at one by one
  LaneKey home = 0;      // of a lane made for held jobs: where they come from; 0 otherwise
  LaneRef lane;
};
using LanePtr = std::shared_ptr<const LaneEntry>;

struct WorkerEntry {
  WorkerKey key = 0;
  NamespaceKey ns = 0;
  std::int64_t revision = 0;
  Worker worker;  // as registered; what beats is in the database only
  std::shared_ptr<const Offer> offer;
};
using WorkerPtr = std::shared_ptr<const WorkerEntry>;

// The lanes an offer may serve, by how a claim must treat them.
struct OfferLanes {
  std::vector<LaneKey> plain;  // taken by one statement
  std::vector<LaneKey> gated;  // special, or of a queue with limits: taken one by one under the namespace's gate
  bool all = false;            // there are no others
  std::uint64_t generation = 0;
  // Claims still to be made lane by lane, because jobs of other lanes were in the way when they were looked for across all.
  mutable std::atomic<std::uint32_t> by_lane_left{0};
};

// Since this process started, by this node.
struct QueueCounts {
  std::uint64_t enqueued = 0;
  std::uint64_t completed = 0;
  std::uint64_t dead = 0;
};

class Directory {
 public:
  std::optional<NamespaceKey> find_namespace(const NamespaceName& name) const;
  bool takes_jobs(const NamespaceName& name) const;  // known and enabled
  std::vector<NamespaceEntry> namespaces() const;    // by name
  QueueRef find_queue(NamespaceKey ns, const QueueName& name) const;
  QueueRef queue(QueueKey key) const;    // null: unknown
  std::vector<QueueRef> queues() const;  // in the order they came into being
  LanePtr find_lane(QueueKey queue, const JobType& type, const CapabilitySet& needs, bool special, LaneKey home = 0) const;
  LanePtr lane(LaneKey key) const;  // null: unknown
  std::vector<LanePtr> lanes_of_queue(QueueKey queue) const;
  std::size_t lane_count() const;
  WorkerPtr find_worker(NamespaceKey ns, const WorkerId& id) const;
  WorkerPtr worker(WorkerKey key) const;
  std::shared_ptr<const OfferLanes> lanes_of(const std::shared_ptr<const Offer>& offer);

  // Replaces everything but the workers. Lanes and queues that were known keep their shared entries if nothing changed.
  void load(std::int64_t version, std::vector<NamespaceEntry> namespaces, std::vector<QueueEntry> queues,
            std::vector<LaneEntry> lanes);
  void put_worker(WorkerEntry worker);
  void forget_worker(WorkerKey key);
  std::int64_t version() const;
  void mistrust();  // what it holds may never have been committed: the next transaction reads it anew

  void count_enqueued(QueueKey queue, std::uint64_t n);
  void count_completed(QueueKey queue, std::uint64_t n, Instant now);
  void count_dead(QueueKey queue, std::uint64_t n);
  QueueCounts counts(QueueKey queue) const;
  double completed_per_second(QueueKey queue, Instant now) const;
  // Completions and failures of workers since they were last written to `beats`; taken away by the call.
  void count_worker(WorkerKey worker, bool completed);
  struct WorkerDelta {
    WorkerKey worker = 0;
    std::int64_t completed = 0;
    std::int64_t failed = 0;
  };
  std::vector<WorkerDelta> take_worker_counts();
  void give_back_worker_counts(const std::vector<WorkerDelta>& deltas);  // the write failed

 private:
  static constexpr std::size_t kOffersMax = 50'000;  // cached offers; the cache starts over when it is full
  static constexpr std::int64_t kRateSeconds = 60;
  struct Counted {
    QueueCounts totals;
    std::map<std::int64_t, std::uint64_t> by_second;  // completions of the last minute
  };
  std::string key_of(const Offer& offer) const;

  mutable std::mutex mutex_;  // leaf; guards everything below
  std::int64_t version_ = -1;
  std::uint64_t generation_ = 0;  // grows with every load
  std::map<std::string, NamespaceEntry> namespaces_;
  std::map<QueueKey, QueueRef> queues_;
  std::unordered_map<std::string, QueueRef> queues_by_name_;
  std::unordered_map<LaneKey, LanePtr> lanes_;
  std::unordered_map<std::string, LanePtr> lanes_by_name_;
  std::unordered_map<QueueKey, std::vector<LanePtr>> lanes_by_queue_;
  std::unordered_map<WorkerKey, WorkerPtr> workers_;
  std::unordered_map<std::string, WorkerPtr> workers_by_name_;
  std::unordered_map<std::string, std::shared_ptr<const OfferLanes>> offers_;
  std::map<std::pair<std::vector<LaneKey>, std::vector<LaneKey>>, std::shared_ptr<const OfferLanes>> same_lanes_;
  std::unordered_map<QueueKey, Counted> counts_;
  std::unordered_map<WorkerKey, WorkerDelta> worker_counts_;
};

// What one transaction changed, to be told once it is committed: to this node's listener, and to the other nodes by NOTIFY.

struct Changes {
  std::vector<JobChange> jobs;
  std::vector<WorkerChange> workers;
  std::vector<QueueChanged> queues;
  std::vector<LanePtr> wakes;   // one entry per job that became claimable
  std::vector<KeyPushed> keys;  // lists that got elements

  bool empty() const { return jobs.empty() && workers.empty() && queues.empty() && wakes.empty() && keys.empty(); }
  void clear() {
    jobs.clear();
    workers.clear();
    queues.clear();
    wakes.clear();
    keys.clear();
  }
};

}  // namespace muster::store::postgres
