// Tickets of waiting claims by what they offer, and the question a wake-up asks: which is the lowest that can serve this lane?
//
// Tickets with the same offer share a group. A lane remembers the groups that can serve it and compares itself with each group
// once. A worker's own name is left out of the grouping, or no two workers would ever share a group; lanes that need a worker by
// name are answered by ParkingLot. Offers and lanes are known by their address, so those who hand them in share them.
//
// Plain single-threaded code, part of ParkingLot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/lane.h"

namespace muster::engine {

class LaneIndex {
 public:
  void insert(const std::shared_ptr<const Offer>& offer, std::uint64_t ticket);
  // REQUIRES: inserted with the same offer.
  void erase(const std::shared_ptr<const Offer>& offer, std::uint64_t ticket);
  // REQUIRES: the lane needs no worker by name.
  std::optional<std::uint64_t> lowest_able(const LaneRef& lane);

  // Whether jobs of the same queue and type wait in several lanes, so that a grant does not tell which lane it came from. Told of
  // every lane that is woken.
  void note_lane(const LaneRef& lane);
  bool shares_type(const Lane& lane) const;

  // How much is remembered.
  std::size_t groups() const { return groups_.size(); }
  std::size_t lanes() const { return lanes_.size(); }

 private:
  struct Group {
    Offer offer;  // without the worker's own name
    std::set<std::uint64_t> tickets;
  };
  struct OfferEntry {
    std::shared_ptr<const Offer> offer;  // keeps the address from being used again
    Group* group = nullptr;
  };
  struct LaneEntry {
    LaneRef lane;  // keeps the address from being used again
    std::vector<Group*> able;
    std::size_t judged = 0;  // of groups_: those already compared with the lane
  };
  struct TypeEntry {
    LaneRef first;
    bool several = false;
  };

  Group& group_of(const std::shared_ptr<const Offer>& offer);
  const LaneEntry& entry_of(const LaneRef& lane);
  void forget_empty_groups();

  std::vector<std::unique_ptr<Group>> groups_;  // in order of appearance
  std::map<Offer, Group*> group_by_offer_;
  std::unordered_map<const Offer*, OfferEntry> group_by_address_;
  std::map<std::uint64_t, Group*> fronts_;  // groups with tickets, by their lowest
  std::unordered_map<const Lane*, LaneEntry> lanes_;
  std::unordered_map<std::size_t, TypeEntry> types_;  // by a hash of namespace, queue and type
};

// `worker:`, the kind of capability that names one worker.
inline constexpr std::string_view kWorkerKind = "worker:";

}  // namespace muster::engine
