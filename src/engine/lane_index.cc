#include "engine/lane_index.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/uuid.h"

namespace muster::engine {
namespace {

constexpr std::size_t kLanesCachedMax = 8'192;    // beyond it the cache starts over
constexpr std::size_t kTypesCachedMax = 8'192;    // beyond it the cache starts over
constexpr std::size_t kOffersCachedMax = 16'384;  // beyond it the cache starts over
constexpr std::size_t kEmptyGroupsMax = 1'024;    // beyond it, and beyond the groups in use, they are forgotten

// Two types that collide are taken for one that has several lanes, which costs a look at the store and nothing else.
std::size_t type_hash(const Lane& lane) {
  const std::hash<std::string> hash;
  return mix64(hash(lane.ns.text()) ^ mix64(hash(lane.queue.text()) ^ mix64(hash(lane.type.text()))));
}

Offer without_worker(const Offer& offer) {
  std::vector<std::string> names;
  names.reserve(offer.capabilities.names().size());
  for (const std::string& name : offer.capabilities.names())
    if (!name.starts_with(kWorkerKind)) names.push_back(name);
  Offer shared = offer;
  shared.capabilities = CapabilitySet(std::move(names));
  return shared;
}

}  // namespace

void LaneIndex::insert(const std::shared_ptr<const Offer>& offer, std::uint64_t ticket) {
  Group& group = group_of(offer);
  const std::uint64_t old_front = group.tickets.empty() ? 0 : *group.tickets.begin();
  check(group.tickets.insert(ticket).second, "a ticket waits once");
  if (old_front != 0 && old_front < ticket) return;
  fronts_.erase(old_front);
  fronts_.emplace(ticket, &group);
}

void LaneIndex::erase(const std::shared_ptr<const Offer>& offer, std::uint64_t ticket) {
  Group& group = group_of(offer);
  check(group.tickets.erase(ticket) == 1, "a ticket that leaves its group was in it");
  if (fronts_.erase(ticket) == 1 && !group.tickets.empty()) fronts_.emplace(*group.tickets.begin(), &group);
}

std::optional<std::uint64_t> LaneIndex::lowest_able(const LaneRef& lane) {
  const LaneEntry& entry = entry_of(lane);
  // Two ways to the same answer; the shorter list decides what a lane nobody waits for costs.
  if (entry.able.size() <= fronts_.size()) {
    std::optional<std::uint64_t> lowest;
    for (const Group* group : entry.able)
      if (!group->tickets.empty()) lowest = std::min(lowest.value_or(*group->tickets.begin()), *group->tickets.begin());
    return lowest;
  }
  for (const auto& [ticket, group] : fronts_)
    if (may_serve(group->offer, *lane)) return ticket;
  return std::nullopt;
}

void LaneIndex::note_lane(const LaneRef& lane) {
  const auto known = types_.find(type_hash(*lane));
  if (known != types_.end()) {
    TypeEntry& entry = known->second;
    if (!entry.several && entry.first != lane && *entry.first != *lane) entry.several = true;
    return;
  }
  if (types_.size() >= kTypesCachedMax) types_.clear();
  types_.emplace(type_hash(*lane), TypeEntry{.first = lane});
}

bool LaneIndex::shares_type(const Lane& lane) const {
  const auto known = types_.find(type_hash(lane));
  return known != types_.end() && known->second.several;
}

LaneIndex::Group& LaneIndex::group_of(const std::shared_ptr<const Offer>& offer) {
  const auto known = group_by_address_.find(offer.get());
  if (known != group_by_address_.end()) return *known->second.group;
  Offer shared = without_worker(*offer);
  auto named = group_by_offer_.find(shared);
  if (named == group_by_offer_.end()) {
    forget_empty_groups();
    groups_.push_back(std::make_unique<Group>(Group{shared, {}}));
    named = group_by_offer_.emplace(std::move(shared), groups_.back().get()).first;
  }
  if (group_by_address_.size() >= kOffersCachedMax) group_by_address_.clear();
  group_by_address_.emplace(offer.get(), OfferEntry{offer, named->second});
  return *named->second;
}

const LaneIndex::LaneEntry& LaneIndex::entry_of(const LaneRef& lane) {
  auto at = lanes_.find(lane.get());
  if (at == lanes_.end()) {
    if (lanes_.size() >= kLanesCachedMax) lanes_.clear();
    at = lanes_.emplace(lane.get(), LaneEntry{lane, {}, 0}).first;
  }
  LaneEntry& entry = at->second;
  // Groups only ever join at the end, so a lane compares itself with each of them once.
  for (; entry.judged < groups_.size(); ++entry.judged)
    if (may_serve(groups_[entry.judged]->offer, *lane)) entry.able.push_back(groups_[entry.judged].get());
  return entry;
}

void LaneIndex::forget_empty_groups() {
  if (groups_.size() - fronts_.size() <= std::max(kEmptyGroupsMax, fronts_.size())) return;
  lanes_.clear();
  group_by_address_.clear();
  std::erase_if(groups_, [this](const std::unique_ptr<Group>& group) {
    if (!group->tickets.empty()) return false;
    group_by_offer_.erase(group->offer);
    return true;
  });
}

}  // namespace muster::engine
