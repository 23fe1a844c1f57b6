#include "engine/timings.h"

#include "cron/cron.h"

namespace muster::engine {

Result<TimingExplained> explain_timing(const Timing& timing, Instant after, std::size_t count) {
  const Result<cron::Plan> plan = cron::Plan::parse(timing);
  if (!plan.ok()) return plan.status();
  TimingExplained out{.explanation = plan->explanation(), .fires = {}};
  for (auto fire = plan->next(after); fire && out.fires.size() < count; fire = plan->next(*fire)) out.fires.push_back(*fire);
  return out;
}

FiresWithin fires_within(const Timing& timing, Instant from, Instant to, std::size_t most) {
  FiresWithin out;
  const Result<cron::Plan> plan = cron::Plan::parse(timing);
  if (!plan.ok()) return out;
  for (auto fire = plan->next(from); fire && *fire <= to; fire = plan->next(*fire)) {
    out.more = out.fires.size() == most;
    if (out.more) break;
    out.fires.push_back(*fire);
  }
  return out;
}

}  // namespace muster::engine
