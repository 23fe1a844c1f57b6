#include "agents/tool_watch.h"

#include "agents/jobs.h"

namespace muster::agents {

// What was watched before may have ended unheard, and would keep the run waiting: the newest look counts alone.
void ToolWatch::watch(JobId run, const std::vector<ToolExecution>& executions) {
  if (const auto before = open_.find(run); before != open_.end()) {
    for (const JobId& job : before->second) run_of_.erase(job);
    open_.erase(before);
  }
  for (const ToolExecution& execution : executions) {
    if (!execution.job || is_final(execution.state) || run_of_.size() >= kWatchedJobsMax) continue;
    run_of_[*execution.job] = run;
    open_[run].insert(*execution.job);
  }
}

bool ToolWatch::take(JobId job) {
  const auto known = run_of_.find(job);
  if (known == run_of_.end()) return false;
  const auto open = open_.find(known->second);
  run_of_.erase(known);
  open->second.erase(job);
  if (!open->second.empty()) return false;
  open_.erase(open);
  return true;
}

void ToolWatch::seen(JobId run, const std::vector<JobId>& ended) {
  bool last = false;
  for (const JobId& job : ended) last = take(job) || last;
  if (last) due_(run);
}

void ToolWatch::finished(const JobChange& change) {
  const auto known = run_of_.find(change.id);
  if (known == run_of_.end()) {
    if (change.lane && change.lane->needs.contains("tool:" + change.lane->type.text())) look_up(change.id);
    return;
  }
  const JobId run = known->second;
  if (take(change.id)) due_(run);
}

void ToolWatch::look_up(JobId job) {
  if (looking_up_ >= kLookUpsMax) return;
  ++looking_up_;
  store::ExecutionQuery query;
  query.job = job;
  query.limit = 1;
  base_->agents.list_executions(
      std::move(query),
      onto<store::ExecutionPage>(base_, weak_from_this(), [](ToolWatch& self, Result<store::ExecutionPage> page) {
        --self.looking_up_;
        if (page.ok() && !page->executions.empty()) self.due_(page->executions.front().run);
      }));
}

}  // namespace muster::agents
