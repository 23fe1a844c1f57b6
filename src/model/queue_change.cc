#include "model/queue_change.h"

namespace muster {

void apply(QueueSettings& settings, const QueueChange& change) {
  if (change.paused) {
    settings.paused = *change.paused;
    settings.pause_reason = *change.paused ? change.pause_reason : std::string();
  }
  if (change.running_max) {
    settings.running_max = change.running_max;
    if (*change.running_max == 0) settings.running_max.reset();
  }
  for (const auto& [type, most] : change.running_max_by_type) {
    if (most == 0)
      settings.running_max_by_type.erase(type);
    else
      settings.running_max_by_type[type] = most;
  }
  if (change.rate) {
    settings.rate = change.rate;
    if (change.rate->count == 0) settings.rate.reset();
  }
}

}  // namespace muster
