// Adds up lanes that differ in nothing but their type, for stores that list lanes.
#pragma once

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "model/lane.h"
#include "store/verbs.h"

namespace muster::store {

class LaneTally {
 public:
  // REQUIRES: `lane` names what `stats` is about; the names in `stats` are not looked at.
  void add(const Lane& lane, const LaneStats& stats) {
    if (stats.scheduled + stats.ready + stats.running == 0) return;
    auto [found, is_new] = lanes_.try_emplace(std::tie(lane.ns, lane.queue, lane.needs));
    LaneStats& sum = found->second;
    if (is_new) std::tie(sum.ns, sum.queue, sum.needs) = found->first;
    sum.scheduled += stats.scheduled;
    sum.ready += stats.ready;
    sum.running += stats.running;
    if (stats.oldest_ready_at)
      sum.oldest_ready_at = std::min(sum.oldest_ready_at.value_or(*stats.oldest_ready_at), *stats.oldest_ready_at);
  }

  LaneList list(std::size_t limit) && {
    LaneList out;
    for (auto& [name, stats] : lanes_) {
      if (out.lanes.size() == limit) {
        out.more = true;
        break;
      }
      out.lanes.push_back(std::move(stats));
    }
    return out;
  }

 private:
  std::map<std::tuple<NamespaceName, QueueName, CapabilitySet>, LaneStats> lanes_;
};

}  // namespace muster::store
