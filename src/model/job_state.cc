#include "model/job_state.h"

#include "base/check.h"

namespace muster {

std::string_view to_string(JobState state) {
  switch (state) {
    case JobState::scheduled: return "scheduled";
    case JobState::ready: return "ready";
    case JobState::running: return "running";
    case JobState::completed: return "completed";
    case JobState::dead: return "dead";
    case JobState::cancelled: return "cancelled";
  }
  unreachable();
}

std::string_view to_string(JobEvent event) {
  switch (event) {
    case JobEvent::enqueued: return "enqueued";
    case JobEvent::due: return "due";
    case JobEvent::claimed: return "claimed";
    case JobEvent::completed: return "completed";
    case JobEvent::failed: return "failed";
    case JobEvent::exhausted: return "exhausted";
    case JobEvent::lost: return "lost";
    case JobEvent::released: return "released";
    case JobEvent::snoozed: return "snoozed";
    case JobEvent::cancelled: return "cancelled";
    case JobEvent::expired: return "expired";
    case JobEvent::redriven: return "redriven";
    case JobEvent::pruned: return "pruned";
  }
  unreachable();
}

std::optional<JobState> parse_job_state(std::string_view name) {
  for (const JobState state : kJobStates)
    if (to_string(state) == name) return state;
  return std::nullopt;
}

}  // namespace muster
