// Adds up lanes that differ in nothing but their type, for stores that list lanes. It holds no more than are listed, however many
// there are.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "model/lane.h"
#include "store/verbs.h"

namespace muster::store {

class LaneTally {
 public:
  explicit LaneTally(std::size_t limit) : limit_(limit) {}

  // REQUIRES: `lane` names what `stats` is about; the names in `stats` are not looked at.
  void add(const Lane& lane, const LaneStats& stats) {
    if (stats.scheduled + stats.ready + stats.running == 0) return;
    const auto name = std::tie(lane.ns, lane.queue, lane.needs);
    auto found = lanes_.find(name);
    if (found == lanes_.end()) {
      const bool full = lanes_.size() == limit_;
      more_ = more_ || full;
      if (full && (limit_ == 0 || std::prev(lanes_.end())->first < name)) return;
      // Whoever gives way stands behind so many others for good, so nothing is added up in part.
      if (full) lanes_.erase(std::prev(lanes_.end()));
      found = lanes_.emplace(name, LaneStats()).first;
      std::tie(found->second.ns, found->second.queue, found->second.needs) = name;
    }
    LaneStats& sum = found->second;
    sum.scheduled += stats.scheduled;
    sum.ready += stats.ready;
    sum.running += stats.running;
    if (stats.oldest_ready_at)
      sum.oldest_ready_at = std::min(sum.oldest_ready_at.value_or(*stats.oldest_ready_at), *stats.oldest_ready_at);
  }

  // In the order of their names.
  LaneList list() && {
    LaneList out;
    out.lanes.reserve(lanes_.size());
    for (auto& [name, stats] : lanes_) out.lanes.push_back(std::move(stats));
    out.more = more_;
    return out;
  }

 private:
  const std::size_t limit_;
  bool more_ = false;
  std::map<std::tuple<NamespaceName, QueueName, CapabilitySet>, LaneStats, std::less<>> lanes_;
};

}  // namespace muster::store
