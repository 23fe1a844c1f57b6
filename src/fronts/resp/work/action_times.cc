#include "fronts/resp/work/action_times.h"

#include <utility>

#include "command/jobs.h"
#include "command/single.h"
#include "fronts/resp/core.h"

namespace muster::resp::work {

void ActionTimes::find(const std::string& action, const JobId& job, Found then) {
  if (const auto at = times_.find(action); at != times_.end()) return then(at->second);
  auto read = [this, action, then = std::move(then)](Result<Job> found) mutable {
    if (!found.ok()) return then(std::nullopt);
    note(action, found->created_at);
    then(found->created_at);
  };
  core_.ask(command::itself(), command::JobGetRequest{job}, std::move(read));
}

void ActionTimes::note(const std::string& action, Instant created_at) {
  if (!times_.insert_or_assign(action, created_at).second) return;
  order_.push_back(action);
  if (order_.size() <= kActionsMax) return;
  times_.erase(order_.front());
  order_.pop_front();
}

}  // namespace muster::resp::work
