// A command that takes jobs out of queues, read into values. Pure.
//
//   RPOP LPOP key [count]   BRPOP BLPOP key … timeout   RPOPLPUSH from to   BRPOPLPUSH from to timeout
//   LMOVE from to end end   BLMOVE from to end end timeout
//
// A queue has one order, that of its jobs' rank; from which end a client pops makes no difference.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "fronts/resp/call.h"
#include "model/ids.h"

namespace muster::resp::work {

inline constexpr std::size_t kPopCountMax = limits::kClaimBatchMax;
inline constexpr Duration kPopWaitMax = limits::kDelayMax;

struct PopRequest {
  std::vector<QueueName> queues;     // at least one
  std::optional<std::size_t> count;  // RPOP key count: a list is answered
  bool waits = false;
  Duration wait{};     // 0 with waits: for ever
  bool names = false;  // BRPOP and BLPOP: may answer [key, element]
  bool moves = false;  // into queue:processing
  std::size_t limit() const { return count.value_or(1); }
};

Result<PopRequest> read_pop(const Args& args);

// The queue that a key names; not the views of all queues. invalid_argument: it is none.
Result<QueueName> read_queue(const std::string& key);

}  // namespace muster::resp::work
