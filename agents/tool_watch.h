// Which tool jobs runs of this node wait for, and what the server's events say about them: when the last open one of a run has
// ended, the run is due. Only hastens: a parked run looks for itself now and then. On the agenda.
//
// A job that is not known here belongs to a run that another node parked, or this one before it was restarted; when it looks like
// a tool's (its type needs the tool of that name) the store is asked.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "agents/base.h"
#include "model/agent_run.h"
#include "model/change.h"

namespace muster::agents {

inline constexpr std::size_t kWatchedJobsMax = 200'000;  // beyond, runs find out for themselves
inline constexpr std::size_t kLookUpsMax = 1'000;        // at a time; beyond, the same

class ToolWatch : public std::enable_shared_from_this<ToolWatch> {
 public:
  // `due`: every tool of the run that is known here has ended, or one of a run that is not known here has.
  ToolWatch(BasePtr base, std::function<void(JobId run)> due) : base_(std::move(base)), due_(std::move(due)) {}

  // From now on, and no others of the run. To be called before their jobs are looked at: an end is then heard or seen.
  void watch(JobId run, const std::vector<ToolExecution>& executions);
  // A look has found that these have ended. The run is due when others of it that were watched have ended meanwhile.
  void seen(JobId run, const std::vector<JobId>& ended);
  void finished(const JobChange& change);

 private:
  bool take(JobId job);  // it was watched, and was the last of its run
  void look_up(JobId job);

  const BasePtr base_;
  const std::function<void(JobId)> due_;
  std::map<JobId, JobId> run_of_;          // by job
  std::map<JobId, std::set<JobId>> open_;  // by run
  std::size_t looking_up_ = 0;
};

}  // namespace muster::agents
