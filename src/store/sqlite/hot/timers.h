// What is due when, as a heap whose entries may be out of date. Whoever pops an entry checks it against the job and adds it
// again when its time has moved: a renewal then costs nothing until the old time comes.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "store/codec/id_codec.h"

namespace muster::store::sqlite {

class Timers {
 public:
  void add(Instant at, JobKey key) {
    heap_.push_back({to_ms(at), key});
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  // The next entry at or before now, removed.
  std::optional<JobKey> pop(Instant now) {
    if (heap_.empty() || heap_.front().at_ms > to_ms(now)) return std::nullopt;
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const JobKey key = heap_.back().key;
    heap_.pop_back();
    return key;
  }
  std::optional<Instant> next() const {
    if (heap_.empty()) return std::nullopt;
    return from_ms(heap_.front().at_ms);
  }

 private:
  struct Entry {
    std::int64_t at_ms;
    JobKey key;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> heap_;
};

}  // namespace muster::store::sqlite
