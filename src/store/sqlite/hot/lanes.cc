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
  key.append(static_cast<std::size_t>(offer.takes), '\0');
  return key;
}

LaneIndex Lanes::add(Lane lane, QueueIndex queue, std::int64_t row, LaneIndex home) {
  if (free_.empty()) {
    free_.push_back(static_cast<LaneIndex>(lanes_.size()));
    lanes_.emplace_back();
    heads_.push_back(kNoHead);
  }
  const LaneIndex index = free_.back();
  free_.pop_back();
  order_.push_back(index);
  by_key_.emplace(key_of(queue, lane.type, lane.needs), index);
  HotLane& entry = lanes_[index];
  entry.lane = std::make_shared<const Lane>(std::move(lane));
  entry.queue = queue;
  entry.home = home;
  if (row != 0) store(index, row);
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
  if (lanes_[index].jobs == 0) ++idle_;
  lanes_[index].row = row;
  lanes_[index].home = index;
  by_row_[row] = index;
}

bool stands_at(const HotJob* job, LaneIndex lane, const LaneEntry& entry) {
  return job != nullptr && job->state == JobState::ready && job->lane == lane && job->rank == entry.rank &&
         !(job->wishes && job->wishes->waits_for_key);
}

void Lanes::push(LaneIndex index, LaneEntry entry) {
  ++entries_;
  auto& entries = lanes_[index].entries;
  entries.push_back(entry);
  std::push_heap(entries.begin(), entries.end(), std::greater<>());
  heads_[index] = entries.front().rank;
}

void Lanes::pop(LaneIndex index) {
  --entries_;
  auto& entries = lanes_[index].entries;
  std::pop_heap(entries.begin(), entries.end(), std::greater<>());
  entries.pop_back();
  heads_[index] = entries.empty() ? kNoHead : entries.front().rank;
}

std::vector<LaneEntry> Lanes::take_entries(LaneIndex index) {
  std::vector<LaneEntry> out;
  out.swap(lanes_[index].entries);
  entries_ -= out.size();
  heads_[index] = kNoHead;
  return out;
}

void Lanes::put_entries(LaneIndex index, std::vector<LaneEntry> sorted) {
  entries_ += sorted.size();
  heads_[index] = sorted.empty() ? kNoHead : sorted.front().rank;
  lanes_[index].entries = std::move(sorted);  // in order is a heap
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
  if (list.epoch != epoch_) {
    list.lanes.clear();
    list.seen = 0;
    list.epoch = epoch_;
  }
  for (; list.seen < order_.size(); ++list.seen)
    if (may_serve(*list.offer, *lanes_[order_[list.seen]].lane)) list.lanes.push_back(order_[list.seen]);
}

bool Lanes::mostly_idle(std::size_t lanes_max) const {
  if (size() >= lanes_max) return idle_ > 0;
  const bool crowded = size() >= lanes_max - lanes_max / 8;
  return idle_ >= kIdleLanesMax && (idle_ * 2 >= size() || crowded);
}

void Lanes::forget_idle() {
  ++epoch_;
  std::vector<bool> used(lanes_.size());
  // A worker's own lane needs the one it was made from.
  for (const LaneIndex index : order_)
    if (lanes_[index].jobs > 0) used[index] = used[lanes_[index].home] = true;
  std::vector<LaneIndex> kept;
  idle_ = 0;
  for (const LaneIndex index : order_) {
    HotLane& lane = lanes_[index];
    if (used[index]) {
      kept.push_back(index);
      if (lane.row != 0 && lane.jobs == 0) ++idle_;
      continue;
    }
    take_entries(index);
    by_key_.erase(key_of(lane.queue, lane.lane->type, lane.lane->needs));
    by_row_.erase(lane.row);
    lane = HotLane();
    free_.push_back(index);
  }
  order_ = std::move(kept);
}

}  // namespace muster::store::sqlite
