// A plan: an ordered list of tool calls kept as a template. An action: one plan over many inputs, one job for each.
//
// What stands in a plan's text is src/plan/; here are the facts the registry keeps about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/capability.h"
#include "model/ids.h"
#include "model/job.h"

namespace muster {

using PlanId = Id<struct PlanTag>;
using ActionId = Id<struct ActionTag>;

// Labels that every job of an action carries; they are all that ties it to its plan.
inline constexpr const char* kLabelPlan = "plan";
inline constexpr const char* kLabelAction = "action";
inline constexpr const char* kLabelInput = "input";  // the place of its input, from 0
inline constexpr const char* kLabelTask = "task";    // the one task it runs; absent: the whole plan

struct PlanSpec {
  NamespaceName ns{kDefaultNamespace};
  PlanId id;
  std::string text;         // JSON, as submitted
  std::string description;  // empty for none
  std::uint32_t tasks = 0;
  CapabilitySet needs;  // of its tools
  friend bool operator==(const PlanSpec&, const PlanSpec&) = default;
};

struct Plan {
  PlanSpec spec;
  Instant created_at{};
  std::optional<Instant> last_used_at;  // by an action
  std::uint64_t actions = 0;
  std::uint64_t jobs = 0;
};

// One job of an action. `after` names earlier jobs of the same action by their place.
struct ActionJob {
  JobSpec spec;
  std::vector<std::uint32_t> after;
};

struct ActionSpec {
  NamespaceName ns{kDefaultNamespace};
  ActionId id;
  PlanId plan;
  std::vector<ActionJob> jobs;
};

// How many of an action's jobs are where. Together: all of them.
struct ActionCounts {
  std::uint64_t waiting = 0;  // scheduled or ready
  std::uint64_t running = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;  // dead, because a worker said that it failed
  std::uint64_t dead = 0;    // dead for a reason of the engine's own: lost, timed out, expired
  std::uint64_t cancelled = 0;
  std::uint64_t total() const { return waiting + running + completed + failed + dead + cancelled; }
  bool finished() const { return waiting + running == 0; }
  friend bool operator==(const ActionCounts&, const ActionCounts&) = default;
};

struct Action {
  NamespaceName ns;
  ActionId id;
  PlanId plan;
  Instant created_at{};
  std::uint64_t jobs = 0;
  ActionCounts counts;
};

}  // namespace muster
