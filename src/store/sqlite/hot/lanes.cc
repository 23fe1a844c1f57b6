#include "store/sqlite/hot/lanes.h"

#include <algorithm>
#include <functional>

namespace muster::store::sqlite {

std::string Lanes::key_of(QueueIndex queue, const JobType& type, const CapabilitySet& needs) {
  std::string key;
  key.reserve(sizeof queue + type.text().size() + 32);
  key.append(reinterpret_cast<const char*>(&queue), sizeof queue).append(type.text());
  for (const std::string& name : needs.names()) key.append("\n").append(name);
  return key;
}

std::string Lanes::key_of(const Offer& offer) {
  std::string key = offer.ns.text();
  for (const QueueName& queue : offer.queues) key.append("\n").append(queue.text());
  key.append("\n\n").append(offer.capabilities.key());
  return key;
}

LaneIndex Lanes::add(Lane lane, QueueIndex queue, std::int64_t row, LaneIndex home) {
  const auto index = static_cast<LaneIndex>(lanes_.size());
  by_key_.emplace(key_of(queue, lane.type, lane.needs), index);
  HotLane entry;
  entry.lane = std::make_shared<const Lane>(std::move(lane));
  entry.queue = queue;
  entry.row = row;
  if (row != 0) by_row_[row] = index;
  entry.home = row != 0 ? index : home;
  lanes_.push_back(std::move(entry));
  heads_.push_back(kNoHead);
  return index;
}

const LaneIndex* Lanes::find(QueueIndex queue, const JobType& type, const CapabilitySet& needs) const {
  const auto it = by_key_.find(key_of(queue, type, needs));
  return it == by_key_.end() ? nullptr : &it->second;
}

const LaneIndex* Lanes::find_row(std::int64_t row) const {
  const auto it = by_row_.find(row);
  return it == by_row_.end() ? nullptr : &it->second;
}

void Lanes::store(LaneIndex index, std::int64_t row) {
  lanes_[index].row = row;
  lanes_[index].home = index;
  by_row_[row] = index;
}

void Lanes::push(LaneIndex index, LaneEntry entry) {
  auto& entries = lanes_[index].entries;
  entries.push_back(entry);
  std::push_heap(entries.begin(), entries.end(), std::greater<>());
  heads_[index] = entries.front().rank;
}

void Lanes::pop(LaneIndex index) {
  auto& entries = lanes_[index].entries;
  std::pop_heap(entries.begin(), entries.end(), std::greater<>());
  entries.pop_back();
  heads_[index] = entries.empty() ? kNoHead : entries.front().rank;
}

std::shared_ptr<OfferLanes> Lanes::lanes_of(const Offer& offer) {
  std::string key = key_of(offer);
  auto it = offers_.find(key);
  if (it == offers_.end()) {
    if (offers_.size() >= kOffersMax) offers_.clear();
    auto list = std::make_shared<OfferLanes>(OfferLanes{std::make_shared<const Offer>(offer), {}, 0});
    it = offers_.emplace(std::move(key), std::move(list)).first;
  }
  return it->second;
}

void Lanes::refresh(OfferLanes& list) const {
  for (; list.seen < lanes_.size(); ++list.seen)
    if (may_serve(*list.offer, *lanes_[list.seen].lane)) list.lanes.push_back(static_cast<LaneIndex>(list.seen));
}

}  // namespace muster::store::sqlite
