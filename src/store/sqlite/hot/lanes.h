// The lanes and their heads: which jobs wait where, in which order, and which lanes an offer may look at.
//
// Only lanes of live jobs are needed here. Those without any are forgotten together, from time to time, and their places are
// taken by new ones; the row of a lane stays for as long as a finished job names it.
//
// A lane's entries are a heap by (rank, key) that may hold entries of jobs that have moved on; whoever takes a head
// checks it against the job. `heads()` is a dense array, so that a claim over many lanes walks memory in a line.
#pragma once

#include <algorithm>
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

// Whether the entry still tells where the job waits.
bool stands_at(const HotJob* job, LaneIndex lane, const LaneEntry& entry);

struct HotLane {
  LaneRef lane;
  QueueIndex queue = 0;
  std::int64_t row = 0;  // id of its row; 0: a worker's own lane, which is not stored
  LaneIndex home = 0;    // for a worker's own lane: the stored lane it was made from
  std::size_t jobs = 0;  // live ones whose home it is, or that stand here away from home
  // Of those whose home it is, by state.
  std::size_t scheduled = 0;
  std::size_t ready = 0;
  std::size_t running = 0;
  std::vector<LaneEntry> entries;
  std::unique_ptr<FairState> fair;
};

// Lanes an offer may serve; grows as lanes appear.
struct OfferLanes {
  std::shared_ptr<const Offer> offer;
  std::vector<LaneIndex> lanes;
  std::size_t seen = 0;     // so many lanes, in the order they came, have been judged
  std::uint64_t epoch = 0;  // of the places; they mean other lanes in another one
};

inline constexpr Rank kNoHead = std::numeric_limits<Rank>::max();
inline constexpr std::size_t kIdleLanesMax = 1'024;  // kept in memory without live jobs, however few the others are
inline constexpr std::size_t kOffersMax = 50'000;    // cached offers; the cache starts over when it is full

class Lanes {
 public:
  LaneIndex add(Lane lane, QueueIndex queue, std::int64_t row, LaneIndex home);
  const LaneIndex* find(QueueIndex queue, const JobType& type, const CapabilitySet& needs) const;
  const LaneIndex* find_row(std::int64_t row) const;
  // A lane that stood in memory only gets a row.
  void store(LaneIndex index, std::int64_t row);
  HotLane& at(LaneIndex index) { return lanes_[index]; }
  const HotLane& at(LaneIndex index) const { return lanes_[index]; }
  std::size_t size() const { return order_.size(); }
  const std::vector<LaneIndex>& in_order() const { return order_; }  // as they came
  bool known(LaneIndex index) const { return lanes_[index].lane != nullptr; }

  // A live job needs this lane from now on, or no longer.
  void hold(LaneIndex index) {
    HotLane& lane = lanes_[index];
    if (lane.jobs++ == 0 && lane.row != 0) --idle_;
  }
  void let_go(LaneIndex index) {
    HotLane& lane = lanes_[index];
    if (--lane.jobs == 0 && lane.row != 0) ++idle_;
  }
  // Whether forget_idle() is worth its walk over all lanes and offers.
  bool mostly_idle(std::size_t lanes_max) const;
  // Forgets lanes without live jobs. Whoever remembers a place asks known(); offers find out in refresh().
  void forget_idle();

  void push(LaneIndex index, LaneEntry entry);
  void pop(LaneIndex index);
  std::vector<LaneEntry> take_entries(LaneIndex index);  // all of them; the lane is empty then
  std::size_t entries() const { return entries_; }       // of all lanes, those of jobs that have moved on included
  // Drops the entries `wanted` does not want; an entry that stands there twice stays once.
  template <class Wanted>
  void keep_entries(Wanted wanted) {
    for (LaneIndex index = 0; index < lanes_.size(); ++index) {
      std::vector<LaneEntry> kept = take_entries(index);
      std::erase_if(kept, [&](const LaneEntry& entry) { return !wanted(index, entry); });
      std::sort(kept.begin(), kept.end());
      kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
      put_entries(index, std::move(kept));
    }
  }
  Rank head(LaneIndex index) const { return heads_[index]; }
  const std::vector<Rank>& heads() const { return heads_; }

  // The lanes this offer may serve. Equal offers share one list; refresh() brings it up to date before use.
  std::shared_ptr<OfferLanes> lanes_of(const Offer& offer);
  void refresh(OfferLanes& list) const;

 private:
  static std::string key_of(QueueIndex queue, const JobType& type, const CapabilitySet& needs);
  static std::string key_of(const Offer& offer);
  void put_entries(LaneIndex index, std::vector<LaneEntry> sorted);  // REQUIRES: the lane is empty

  std::size_t entries_ = 0;
  std::size_t idle_ = 0;          // stored lanes without live jobs
  std::uint64_t epoch_ = 0;       // grows when lanes are forgotten
  std::vector<HotLane> lanes_;    // by place; free ones have no lane
  std::vector<LaneIndex> free_;   // places
  std::vector<LaneIndex> order_;  // places in use, in the order their lanes came
  std::vector<Rank> heads_;
  std::unordered_map<std::string, LaneIndex> by_key_;
  std::unordered_map<std::int64_t, LaneIndex> by_row_;
  std::unordered_map<std::string, std::shared_ptr<OfferLanes>> offers_;  // shared with the workers that made the offer
};

}  // namespace muster::store::sqlite
