// A run: a job that is a durable workflow. Its steps are remembered one by one, so that whoever claims it next goes on behind
// the last one that completed.
//
// A job is a run when its spec says so (JobSpec::run). It parks, giving up its lease without an outcome, while it sleeps, waits
// for a signal or a child, or for the retry of a step; the claims that follow are counted in Job::attempt, failures are not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "model/capability.h"
#include "model/content.h"
#include "model/ids.h"

namespace muster {

// How a step that failed is tried again. What is zero or empty is not said: the step's own policy comes first, then the run's,
// then the defaults below.
struct StepPolicy {
  std::int32_t attempts_max = 0;  // counting the first; negative: no limit
  Duration first_delay{0};
  double factor = 0;
  Duration delay_max{0};
  std::vector<std::string> non_retryable;  // beginnings of error messages that end the step at once
  friend bool operator==(const StepPolicy&, const StepPolicy&) = default;
};

inline constexpr std::int32_t kStepAttemptsDefault = 5;
inline constexpr Duration kStepFirstDelayDefault{1'000};
inline constexpr double kStepFactorDefault = 2.0;
inline constexpr Duration kStepDelayMaxDefault{60'000};

// The delay after attempt n: the first one is first_delay, or, as clients of the older dialect were promised, already multiplied
// once.
enum class StepBackoff : std::uint8_t { plain, multiplied_first };

// `over` where it says something, `under` elsewhere.
StepPolicy merged(const StepPolicy& over, const StepPolicy& under);
// spread: an even random number in [0, 1); adds at most a tenth, so that a delay is never shorter than promised.
Duration step_delay(const StepPolicy& policy, StepBackoff backoff, std::uint32_t attempt, double spread);
// After attempt `attempt` failed with this message.
bool step_may_retry(const StepPolicy& policy, std::uint32_t attempt, std::string_view message);

struct RunParent {
  JobId run;
  std::string step;
  friend bool operator==(const RunParent&, const RunParent&) = default;
};

struct RunSpec {
  std::string external_id;  // the caller's own name for it; may be empty
  std::string version = "1";
  std::string context;  // JSON text; empty for none
  StepPolicy steps;     // for steps that bring none of their own
  StepBackoff backoff = StepBackoff::plain;
  std::optional<RunParent> parent;
  std::string schedule;  // id of the schedule that started it
  Labels metadata;       // of its input, as the caller sent it
  friend bool operator==(const RunSpec&, const RunSpec&) = default;
};

// The capability that workers of this workflow offer and its runs need.
std::string workflow_capability(std::string_view type);
inline constexpr const char* kLabelSchedule = "schedule";  // on every job a schedule started

enum class StepKind : std::uint8_t { function, sleep, child, signal };
enum class StepState : std::uint8_t { running, waiting, completed, failed };

struct StepId {
  Uuid value;
  friend auto operator<=>(const StepId&, const StepId&) = default;
  std::string text() const { return value.text(); }
  static std::optional<StepId> parse(std::string_view text) {
    const auto uuid = Uuid::parse(text);
    if (!uuid) return std::nullopt;
    return StepId{*uuid};
  }
};

// One attempt at one step. The newest attempt of a name is what counts.
struct Step {
  StepId id;  // all zero: not stored yet
  JobId run;
  std::string name;
  StepKind kind = StepKind::function;
  StepState state = StepState::running;
  std::uint32_t attempt = 1;
  std::optional<Content> input;
  std::optional<Content> output;
  std::optional<JobError> error;
  StepPolicy policy;  // merged, when it began
  Instant begun_at{};
  std::optional<Instant> finished_at;
  std::optional<Instant> until;  // a sleep's end, a wait's limit, or when a failed attempt is tried again
  WorkerId worker;               // that began it; empty: nobody held the run
  Fence fence{};                 // of the lease it began under
  std::optional<JobId> child;
  std::string signal;  // the name it waits for
  friend bool operator==(const Step&, const Step&) = default;
};

std::string_view to_string(StepKind kind);
std::string_view to_string(StepState state);
std::optional<StepKind> parse_step_kind(std::string_view name);

}  // namespace muster
