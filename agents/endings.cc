#include "agents/endings.h"

#include <fmt/format.h>

#include "agents/run_reads.h"
#include "agents/run_rules.h"
#include "agents/run_writes.h"
#include "command/jobs.h"
#include "command/runs.h"

namespace muster::agents {
namespace {

// A job that is finished already, or gone, has nothing left to be cancelled.
void cancel_job(const BasePtr& base, JobId job, const std::string& reason) {
  base->door.run(command::itself(),
                 command::JobCancelRequest{.cancel = {.job = job, .reason = reason, .at_once = true, .as_dead = std::nullopt}},
                 Reply<command::JobCancelReply>([base](Result<command::JobCancelReply>) {}));
}

Result<std::optional<store::AgentRunWrite>> cancelled(const BasePtr& base, const store::AgentRunView& view,
                                                      const std::string& reason) {
  if (is_final(view.run.state))
    return Status::conflict(fmt::format("run {} is {} already", view.run.id.text(), to_string(view.run.state)));
  return std::optional(run_cancelled(view, reason, base->now()));
}

}  // namespace

void end_carriers(const BasePtr& base, const store::AgentRunView& view, const std::string& reason) {
  const std::string why = reason.empty() ? fmt::format("run {} was ended", view.run.id.text()) : reason;
  for (const ToolExecution& execution : view.executions) {
    if (is_final(execution.state)) continue;
    if (execution.job) cancel_job(base, *execution.job, why);
    if (execution.child_run) cancel_run(base, *execution.child_run, why, [base](Result<AgentRun>) {});
  }
  if (view.iteration && view.iteration->batch_job && !view.iteration->response)
    base->runs.wake_runs({*view.iteration->batch_job}, [base](Result<store::Each<store::Settled>>) {});
  if (view.run.parent) base->runs.wake_runs({*view.run.parent}, [base](Result<store::Each<store::Settled>>) {});
}

void cancel_run(const BasePtr& base, JobId run, const std::string& reason, Reply<AgentRun> reply) {
  change_run(
      base, run, [base, reason](const store::AgentRunView& view) { return cancelled(base, view, reason); },
      [base, run, reason, reply = std::move(reply)](Result<Changed> changed) mutable {
        if (!changed.ok()) return reply(changed.status());
        cancel_job(base, run, reason.empty() ? "the run was cancelled" : reason);
        end_carriers(base, changed->before, reason);
        reply(std::move(changed->written->run));
      });
}

void end_with_its_job(const BasePtr& base, JobId run, Reply<bool> reply) {
  base->door.run(command::itself(), command::JobGetRequest{.job = run},
                 Reply<Job>([base, run, reply = std::move(reply)](Result<Job> job) mutable {
                   const bool gone = job.code() == Code::not_found;
                   if (!job.ok() && !gone) return reply(job.status());
                   if (!gone && !is_finished(job->state)) return reply(false);
                   const auto reason = gone ? std::optional(StopReason{kRunProcessingError, "its job is no longer known"})
                                            : reason_of_dead_job(*job);
                   const std::string why = reason ? reason->why : job->error ? job->error->message : "its job was cancelled";
                   change_run(
                       base, run,
                       [base, reason, why](const store::AgentRunView& view) -> Result<std::optional<store::AgentRunWrite>> {
                         if (is_final(view.run.state)) return std::optional<store::AgentRunWrite>();
                         return std::optional(reason ? run_failed(view, reason->error_type, why, base->now())
                                                     : run_cancelled(view, why, base->now()));
                       },
                       [base, why, reply = std::move(reply)](Result<Changed> changed) mutable {
                         if (!changed.ok()) return reply(changed.status());
                         if (changed->written) end_carriers(base, changed->before, why);
                         reply(changed->written.has_value());
                       });
                 }));
}

}  // namespace muster::agents
