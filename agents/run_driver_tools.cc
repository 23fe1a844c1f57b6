// Tools of a run: have they ended, and what goes back to the model.
#include <algorithm>

#include "agents/run_driver.h"
#include "agents/run_writes.h"
#include "agents/tool_outcomes.h"
#include "agents/tool_output.h"
#include "command/jobs.h"

namespace muster::agents {
namespace {

constexpr std::size_t kToldOutputMax = 4 * 1024;  // bytes of an output in the stream of its run

}  // namespace

// Listened for before they are looked at, so that no end falls between the two.
void RunDriver::look_at_tools() {
  host_.watch_tools(id(), view_.executions);
  std::vector<command::JobGetRequest> asked;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < view_.executions.size(); ++i)
    if (const ToolExecution& one = view_.executions[i]; one.job && !is_final(one.state)) {
      asked.push_back({*one.job});
      places.push_back(i);
    }
  std::vector<Carrier> carriers(view_.executions.size());
  if (asked.empty()) return look_at_children(std::move(carriers));
  base_->door.run_all(command::itself(), std::move(asked),
                      then<store::Each<Job>>([places = std::move(places), carriers = std::move(carriers)](
                                                 RunDriver& self, Result<store::Each<Job>> jobs) mutable {
                        if (!jobs.ok()) return self.trouble(jobs.status());
                        for (std::size_t i = 0; i < places.size(); ++i) {
                          Result<Job>& job = (*jobs)[i];
                          if (job.ok())
                            carriers[places[i]].job = *std::move(job);
                          else if (job.code() == Code::not_found)
                            carriers[places[i]].forgotten = true;
                          else
                            return self.trouble(job.status());
                        }
                        self.look_at_children(std::move(carriers));
                      }));
}

void RunDriver::look_at_children(std::vector<Carrier> carriers) {
  std::vector<JobId> asked;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < view_.executions.size(); ++i)
    if (const ToolExecution& one = view_.executions[i]; one.child_run && !is_final(one.state)) {
      asked.push_back(*one.child_run);
      places.push_back(i);
    }
  if (asked.empty()) return judge_tools(carriers);
  base_->agents.get_agent_runs(std::move(asked),
                               then<store::Each<AgentRun>>([places = std::move(places), carriers = std::move(carriers)](
                                                               RunDriver& self, Result<store::Each<AgentRun>> runs) mutable {
                                 if (!runs.ok()) return self.trouble(runs.status());
                                 for (std::size_t i = 0; i < places.size(); ++i) {
                                   Result<AgentRun>& run = (*runs)[i];
                                   if (run.ok())
                                     carriers[places[i]].child = *std::move(run);
                                   else
                                     carriers[places[i]].forgotten = run.code() == Code::not_found;
                                 }
                                 self.judge_tools(carriers);
                               }));
}

void RunDriver::say_result(const ToolExecution& ended) {
  say(json::dump({{"type", "tool_result"},
                  {"iteration", view_.run.iteration},
                  {"tool_use_id", ended.tool_use_id},
                  {"name", ended.tool.text()},
                  {"is_error", ended.is_error},
                  {"output", shortened(ended.output.value_or(std::string()), kToldOutputMax)}}));
}

void RunDriver::judge_tools(const std::vector<Carrier>& carriers) {
  std::vector<store::ExecutionWrite> ended;
  std::vector<store::Blob> blobs;
  std::vector<JobId> jobs;  // of those that have ended
  bool open = false;
  for (std::size_t i = 0; i < view_.executions.size(); ++i) {
    const ToolExecution& execution = view_.executions[i];
    if (is_final(execution.state)) continue;
    auto one = ended_execution(execution, carriers[i], base_->ids, base_->now());
    if (!one) {
      open = true;
      continue;
    }
    if (execution.job) jobs.push_back(*execution.job);
    say_result(one->execution);
    if (one->blob) blobs.push_back(*std::move(one->blob));
    ended.push_back({.execution = std::move(one->execution)});
  }
  const bool waits = open || view_.run.state == AgentRunState::awaiting_input;
  // What a called agent came to stands there since its end; it is told once, when the run goes on.
  if (!waits)
    for (const ToolExecution& execution : view_.executions)
      if (execution.child_run && is_final(execution.state)) say_result(execution);
  if (!waits) {
    host_.watch_tools(id(), {});  // events that would have told so may be lost
    return write(tools_done(view_, std::move(ended), std::move(blobs), moment(), base_->ids), [](RunDriver& self) {
      self.say_state();
      self.decide();
    });
  }
  const Duration delay =
      view_.run.state == AgentRunState::awaiting_input ? base_->settings.approval_look_every : base_->settings.tool_look_every;
  host_.saw_ended(id(), jobs);
  if (ended.empty()) return park(delay);
  write(tools_told(view_, std::move(ended), std::move(blobs)), [delay](RunDriver& self) { self.park(delay); });
}

}  // namespace muster::agents
