#include "net/timer_heap.h"

namespace muster::net {

void TimerHeap::put(Entry& entry, Ticks due) {
  remove(entry);
  entry.due = due;
  entry.order = ++started_;
  entries_.push_back(&entry);
  rise(entries_.size(), entry);
}

void TimerHeap::remove(Entry& entry) {
  if (entry.place == 0) return;
  const std::size_t hole = entry.place;
  entry.place = 0;
  Entry& last = *entries_.back();
  entries_.pop_back();
  if (&last == &entry) return;
  if (hole > 1 && before(last, *entries_[hole / 2 - 1]))
    rise(hole, last);
  else
    sink(hole, last);
}

void TimerHeap::set(std::size_t place, Entry& entry) {
  entries_[place - 1] = &entry;
  entry.place = place;
}

void TimerHeap::rise(std::size_t place, Entry& entry) {
  for (; place > 1 && before(entry, *entries_[place / 2 - 1]); place /= 2) set(place, *entries_[place / 2 - 1]);
  set(place, entry);
}

void TimerHeap::sink(std::size_t place, Entry& entry) {
  for (;;) {
    std::size_t child = place * 2;
    if (child > entries_.size()) break;
    if (child < entries_.size() && before(*entries_[child], *entries_[child - 1])) ++child;
    if (!before(*entries_[child - 1], entry)) break;
    set(place, *entries_[child - 1]);
    place = child;
  }
  set(place, entry);
}

}  // namespace muster::net
