// When the jobs of an action were made. A grant does not say; all jobs of an action are made in one moment, so one of them is
// read and the others follow.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/unique_function.h"
#include "model/ids.h"

namespace muster::resp {
struct Core;
}

namespace muster::resp::work {

class ActionTimes {
 public:
  static constexpr std::size_t kActionsMax = 1'000;  // remembered; beyond, the oldest is forgotten

  using Found = UniqueFunction<void(std::optional<Instant>)>;

  explicit ActionTimes(Core& core) : core_(core) {}

  // `job` is one of the action's. At once when it is known; nothing when the store cannot say.
  void find(const std::string& action, const JobId& job, Found then);
  // Whoever makes an action through this front may spare the reading.
  void note(const std::string& action, Instant created_at);

 private:
  Core& core_;
  std::map<std::string, Instant, std::less<>> times_;
  std::deque<std::string> order_;
};

}  // namespace muster::resp::work
