// The timers of a loop, the next one first. A binary heap in which every timer knows its place, so that one that is cancelled or
// restarted leaves at once and nothing is allocated to start one. Private to net/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/unique_function.h"

namespace muster::net {

class TimerHeap {
 public:
  // Owned by its Timer, which takes it out before it goes.
  struct Entry {
    UniqueFunction<void()> fire;
    Ticks due{};
    std::uint64_t order = 0;  // of those due together the one that was started first fires first
    std::size_t place = 0;    // in the heap, counted from 1; 0: it does not run
  };

  void put(Entry& entry, Ticks due);  // restarts one that runs
  void remove(Entry& entry);          // nothing happens to one that does not run
  Entry* first() const { return entries_.empty() ? nullptr : entries_.front(); }

 private:
  static bool before(const Entry& a, const Entry& b) { return a.due != b.due ? a.due < b.due : a.order < b.order; }
  void set(std::size_t place, Entry& entry);
  void rise(std::size_t place, Entry& entry);
  void sink(std::size_t place, Entry& entry);

  std::vector<Entry*> entries_;
  std::uint64_t started_ = 0;
};

}  // namespace muster::net
