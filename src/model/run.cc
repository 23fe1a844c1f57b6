#include "model/run.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace muster {
namespace {

constexpr std::array<std::string_view, 4> kKindNames{"function", "sleep", "child", "signal"};
constexpr std::array<std::string_view, 4> kStateNames{"running", "waiting", "completed", "failed"};
constexpr double kSpreadShare = 0.1;

}  // namespace

StepPolicy merged(const StepPolicy& over, const StepPolicy& under) {
  StepPolicy out = under;
  if (over.attempts_max != 0) out.attempts_max = over.attempts_max;
  if (over.first_delay.count() > 0) out.first_delay = over.first_delay;
  if (over.factor > 0) out.factor = over.factor;
  if (over.delay_max.count() > 0) out.delay_max = over.delay_max;
  if (!over.non_retryable.empty()) out.non_retryable = over.non_retryable;
  return out;
}

Duration step_delay(const StepPolicy& policy, StepBackoff backoff, std::uint32_t attempt, double spread) {
  const StepPolicy defaults{.attempts_max = kStepAttemptsDefault,
                            .first_delay = kStepFirstDelayDefault,
                            .factor = kStepFactorDefault,
                            .delay_max = kStepDelayMaxDefault,
                            .non_retryable = {}};
  const StepPolicy full = merged(policy, defaults);
  const double steps = backoff == StepBackoff::multiplied_first ? attempt : std::max(attempt, 1U) - 1;
  const double wanted = static_cast<double>(full.first_delay.count()) * std::pow(full.factor, steps);
  // Not a number and infinity (a long row of attempts) both end at the cap.
  const double capped =
      wanted < static_cast<double>(full.delay_max.count()) ? wanted : static_cast<double>(full.delay_max.count());
  return Duration(static_cast<std::int64_t>(capped * (1.0 + kSpreadShare * spread)));
}

bool step_may_retry(const StepPolicy& policy, std::uint32_t attempt, std::string_view message) {
  const std::int32_t most = policy.attempts_max == 0 ? kStepAttemptsDefault : policy.attempts_max;
  if (most > 0 && attempt >= static_cast<std::uint32_t>(most)) return false;
  return std::none_of(policy.non_retryable.begin(), policy.non_retryable.end(),
                      [&](const std::string& beginning) { return !beginning.empty() && message.starts_with(beginning); });
}

std::string workflow_capability(std::string_view type) { return "workflow:" + std::string(type); }

std::string_view to_string(StepKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }
std::string_view to_string(StepState state) { return kStateNames[static_cast<std::size_t>(state)]; }

std::optional<StepKind> parse_step_kind(std::string_view name) {
  const auto* const it = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (it == kKindNames.end()) return std::nullopt;
  return static_cast<StepKind>(it - kKindNames.begin());
}

}  // namespace muster
