// How an action stands, in the words and sums of the original.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/plan.h"

namespace muster::resp::plans {

// Together all of an action's jobs: what runs counts as pending, and what ended without completing as failed.
struct Summary {
  std::uint64_t pending = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
};
Summary summary_of(const ActionCounts& counts);

// running from the moment it was submitted, as the original has it; then completed, or failed when a job did not complete.
std::string_view action_word(const ActionCounts& counts);

}  // namespace muster::resp::plans
