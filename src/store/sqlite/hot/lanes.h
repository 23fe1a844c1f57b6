// The lanes and their heads: which jobs wait where, in which order, and which lanes an offer may look at.
//
// A lane's entries are a heap by (rank, key) that may hold entries of jobs that have moved on; whoever takes a head
// checks it against the job. `heads()` is a dense array, so that a claim over many lanes walks memory in a line.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/lane.h"
#include "store/sqlite/hot/job.h"

namespace muster::store::sqlite {

struct LaneEntry {
  Rank rank;
  JobKey key;
  friend auto operator<=>(const LaneEntry&, const LaneEntry&) = default;
};

// Fair queueing among the keys of a lane; see model/rank.h. Forgotten when no fair job waits.
struct FairState {
  std::int64_t lane_time = 0;
  std::uint64_t waiting = 0;
  std::unordered_map<std::string, std::int64_t> finish;
};

struct HotLane {
  LaneRef lane;
  QueueIndex queue = 0;
  std::int64_t row = 0;  // id of its row; 0: a worker's own lane, which is not stored
  LaneIndex home = 0;    // for a worker's own lane: the stored lane it was made from
  std::vector<LaneEntry> entries;
  std::unique_ptr<FairState> fair;
};

// Lanes an offer may serve; grows as lanes appear.
struct OfferLanes {
  std::shared_ptr<const Offer> offer;
  std::vector<LaneIndex> lanes;
  std::size_t seen = 0;  // lanes below this index have been judged
};

inline constexpr Rank kNoHead = std::numeric_limits<Rank>::max();
inline constexpr std::size_t kLanesMax = 200'000;
inline constexpr std::size_t kOffersMax = 50'000;  // cached offers; the cache starts over when it is full

class Lanes {
 public:
  LaneIndex add(Lane lane, QueueIndex queue, std::int64_t row, LaneIndex home);
  const LaneIndex* find(QueueIndex queue, const JobType& type, const CapabilitySet& needs) const;
  const LaneIndex* find_row(std::int64_t row) const;
  // A lane that stood in memory only gets a row.
  void store(LaneIndex index, std::int64_t row);
  HotLane& at(LaneIndex index) { return lanes_[index]; }
  const HotLane& at(LaneIndex index) const { return lanes_[index]; }
  std::size_t size() const { return lanes_.size(); }

  void push(LaneIndex index, LaneEntry entry);
  void pop(LaneIndex index);
  Rank head(LaneIndex index) const { return heads_[index]; }
  const std::vector<Rank>& heads() const { return heads_; }

  // The lanes this offer may serve. Equal offers share one list; refresh() brings it up to date before use.
  std::shared_ptr<OfferLanes> lanes_of(const Offer& offer);
  void refresh(OfferLanes& list) const;

 private:
  static std::string key_of(QueueIndex queue, const JobType& type, const CapabilitySet& needs);
  static std::string key_of(const Offer& offer);

  std::vector<HotLane> lanes_;
  std::vector<Rank> heads_;
  std::unordered_map<std::string, LaneIndex> by_key_;
  std::unordered_map<std::int64_t, LaneIndex> by_row_;
  std::unordered_map<std::string, std::shared_ptr<OfferLanes>> offers_;  // shared with the workers that made the offer
};

}  // namespace muster::store::sqlite
