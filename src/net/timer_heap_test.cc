#include "net/timer_heap.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

namespace muster::net {
namespace {

TEST(TimerHeap, GivesTheNextOneFirstAndEqualOnesInTheirOrder) {
  TimerHeap heap;
  std::deque<TimerHeap::Entry> entries(4);
  heap.put(entries[0], Ticks(20));
  heap.put(entries[1], Ticks(10));
  heap.put(entries[2], Ticks(10));
  heap.put(entries[3], Ticks(5));
  for (const int expected : {3, 1, 2, 0}) {
    ASSERT_EQ(heap.first(), &entries[static_cast<std::size_t>(expected)]);
    heap.remove(*heap.first());
  }
  EXPECT_EQ(heap.first(), nullptr);
}

// Starts, restarts and cancels at random; what is left comes out in order.
TEST(TimerHeap, StaysInOrderWhateverIsTakenOut) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    TimerHeap heap;
    std::deque<TimerHeap::Entry> entries(64);
    for (int step = 0; step < 500; ++step) {
      TimerHeap::Entry& entry = entries[random() % entries.size()];
      if (random() % 3 == 0)
        heap.remove(entry);
      else
        heap.put(entry, Ticks(random() % 100));
    }
    std::size_t left = 0;
    for (const TimerHeap::Entry& entry : entries) left += entry.place != 0 ? 1 : 0;
    Ticks last{0};
    for (; heap.first() != nullptr; --left) {
      EXPECT_GE(heap.first()->due, last);
      last = heap.first()->due;
      heap.remove(*heap.first());
    }
    EXPECT_EQ(left, 0u);
  }
}

}  // namespace
}  // namespace muster::net
