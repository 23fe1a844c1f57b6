// What a verb costs whoever runs it, in verbs of the usual size: the unit of OpQueue. Verbs that nobody judges here are long.
#pragma once

#include <cstddef>
#include <vector>

#include "store/keys.h"
#include "store/runs.h"
#include "store/verbs.h"

namespace muster::store::sqlite {

// Never run by a thread that only helps.
inline constexpr std::size_t kLongVerb = 1'000'000;

std::size_t cost_of(const JobSpec& job);
std::size_t cost_of(const Completion& completion);
std::size_t cost_of(const StepCall& call);
inline std::size_t cost_of(const Failure&) { return 1; }
inline std::size_t cost_of(const Snooze&) { return 1; }
inline std::size_t cost_of(const Release&) { return 1; }
inline std::size_t cost_of(const ProgressUpdate&) { return 1; }
inline std::size_t cost_of(const Renewal&) { return 1; }
inline std::size_t cost_of(const Beat&) { return 1; }
inline std::size_t cost_of(const JobId&) { return 1; }  // its row is read
inline std::size_t cost_of(const ClaimRequest& claim) { return claim.limit; }
// Commands about one key of which a row or two are touched; every other one makes the batch long.
std::size_t cost_of(const KeyBatch& batch);

template <class Item>
std::size_t cost_of(const std::vector<Item>& batch) {
  std::size_t cost = 0;
  for (const Item& item : batch) cost += cost_of(item);
  return cost;
}

}  // namespace muster::store::sqlite
