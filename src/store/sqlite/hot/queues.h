// Namespaces and queues in memory: settings, counts, the rate bucket and the order of arrival.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/queue.h"
#include "model/rate_bucket.h"
#include "store/sqlite/hot/job.h"

namespace muster::store::sqlite {

// Completions over the last minute.
class RateMeter {
 public:
  void add(Instant now);
  double per_second(Instant now);

 private:
  static constexpr std::int64_t kSeconds = 60;
  void forget(std::int64_t second);
  std::array<std::uint32_t, kSeconds> counts_{};
  std::int64_t last_ = 0;
};

struct HotNamespace {
  std::int64_t row = 0;
  NamespaceInfo info;
};

struct HotQueue {
  std::int64_t row = 0;
  std::int64_t ns_row = 0;
  NamespaceName ns;
  QueueName name;
  QueueSettings settings;
  std::uint64_t scheduled = 0;
  std::uint64_t ready = 0;
  std::uint64_t running = 0;  // by state
  std::uint32_t held = 0;     // granted and not yet durably given up: what caps count
  std::map<std::string, std::uint32_t> held_by_type;
  std::uint64_t dead_total = 0;
  std::uint64_t enqueued_total = 0;
  std::uint64_t completed_total = 0;
  RateBucket bucket;
  RateMeter completions;
  // Jobs in the order they became ready; entries whose job has moved on are dropped from the front.
  struct Arrival {
    std::int64_t run_at_ms;
    JobKey key;
  };
  std::deque<Arrival> arrivals;
  std::vector<LaneIndex> lanes;

  // held_by_type is kept only while some type has a cap; setting the first cap counts anew.
  bool counts_types() const { return !settings.running_max_by_type.empty(); }
  // For one more of this type, as far as pauses and caps go.
  bool has_room(const JobType& type) const;
};

class Queues {
 public:
  HotNamespace* find_namespace(const NamespaceName& name);
  HotNamespace& add_namespace(HotNamespace entry);
  void remove_namespace(const NamespaceName& name);
  const std::map<std::string, HotNamespace>& namespaces() const { return namespaces_; }
  const HotNamespace* namespace_by_row(std::int64_t row) const;

  const QueueIndex* find(std::int64_t ns_row, const QueueName& name) const;
  QueueIndex add(HotQueue queue);
  HotQueue& at(QueueIndex index) { return queues_[index]; }
  const HotQueue& at(QueueIndex index) const { return queues_[index]; }
  std::size_t size() const { return queues_.size(); }

 private:
  static std::string key_of(std::int64_t ns_row, const QueueName& name);
  std::map<std::string, HotNamespace> namespaces_;
  std::vector<HotQueue> queues_;
  std::unordered_map<std::string, QueueIndex> by_key_;
};

}  // namespace muster::store::sqlite
