// How an action becomes jobs: the one place that every front goes through, so that a job of an action looks the same whoever
// asked for it.
//
//   unit plan   one job for each input: it runs the whole plan. Queue `ready`, type `plan`, needs every tool of the plan.
//   unit task   one job for each task of each input. Queue `default`, or `gpu` for commands that say so; a task that reads from
//               an earlier one waits for that one's job.
//
// A job's payload is its input. Everything else about it is read from the plan, which its labels name (model/plan.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "model/plan.h"
#include "plan/plan.h"

namespace muster::command {

inline constexpr std::size_t kActionBytesMax = 64 * 1024 * 1024;  // of all payloads of one action
inline constexpr const char* kPlanJobType = "plan";
inline constexpr const char* kPlanQueue = "ready";
inline constexpr const char* kTaskQueue = "default";
inline constexpr const char* kGpuQueue = "gpu";

enum class JobUnit : std::uint8_t { plan, task };

std::string_view to_string(JobUnit unit);  // "plan", "task"
std::optional<JobUnit> parse_job_unit(std::string_view name);

// What a front may set about the jobs; the defaults are those of RespOptions.
struct ActionPolicy {
  Duration timeout{3'600'000};  // of one attempt
  std::uint32_t attempts_max = 3;
  std::uint32_t rescues_max = 3;
  std::int32_t priority = 0;
};

struct ActionOrder {
  NamespaceName ns{kDefaultNamespace};
  ActionId id;
  std::vector<std::string> inputs;  // JSON texts, one for each run of the plan
  JobUnit unit = JobUnit::plan;
  ActionPolicy policy;
};

// invalid_argument: the action's name, no inputs, more than limits::kActionJobsMax jobs or kActionBytesMax bytes.
Result<ActionSpec> make_action(const plan::Document& plan, ActionOrder order);

// action_<32 hexadecimal digits>
ActionId new_action_id();

}  // namespace muster::command
