// What is due when, as a heap whose entries may be out of date. Whoever pops an entry checks it against the job and adds it
// again when its time has moved: a renewal then costs nothing until the old time comes. Entries of jobs that ended long before
// their time are dropped by Core::tidy() (tidying.cc), or a time-out of an hour would be remembered for an hour.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "store/codec/id_codec.h"

namespace muster::store::sqlite {

template <class Time>  // Instant, or Ticks of listened time
class TimersOf {
 public:
  void add(Time at, JobKey key) {
    heap_.emplace_back(at, key);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  // The next entry at or before now, removed.
  std::optional<JobKey> pop(Time now) {
    if (heap_.empty() || heap_.front().first > now) return std::nullopt;
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const JobKey key = heap_.back().second;
    heap_.pop_back();
    return key;
  }
  std::optional<Time> next() const {
    if (heap_.empty()) return std::nullopt;
    return heap_.front().first;
  }
  std::size_t size() const { return heap_.size(); }

 private:
  std::vector<std::pair<Time, JobKey>> heap_;
};

using Timers = TimersOf<Instant>;
using ListenedTimers = TimersOf<Ticks>;

}  // namespace muster::store::sqlite
