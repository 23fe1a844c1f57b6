// About how many jobs wait in a queue: what LPUSH answers with.
//
// Asking the store on every push would double its cost. A queue that was read lately is counted along from then on, so the number
// is right as long as jobs come and go through this front, and is corrected every kKept in any case. LLEN asks the store.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/unique_function.h"
#include "model/ids.h"

namespace muster::resp {
struct Core;
}

namespace muster::resp::work {

class Lengths {
 public:
  static constexpr Duration kKept{250};
  static constexpr std::size_t kQueuesMax = 10'000;  // remembered; one more and all are read anew

  using Found = UniqueFunction<void(std::uint64_t)>;

  explicit Lengths(Core& core) : core_(core) {}

  // Jobs that are ready, at once when it is known. A store that cannot say reads as the number last known.
  void find(const QueueName& queue, Found then);
  // Jobs came or went through this front.
  void add(const QueueName& queue, std::int64_t change);

 private:
  struct Entry {
    std::int64_t count = 0;
    bool known = false;
    Ticks read_at{};
    std::vector<Found> waiting;  // for the read under way
  };
  void read();

  Core& core_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace muster::resp::work
