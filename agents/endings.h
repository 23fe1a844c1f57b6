// Ends of runs that their answers do not bring: somebody cancels one, or its job ended without it. Whatever carries it out ends
// with it: its job, the jobs of its tools, the runs it called; the poll of its batch is told to look.
#pragma once

#include <string>

#include "agents/base.h"
#include "base/reply.h"
#include "model/agent_run.h"
#include "store/agents.h"

namespace muster::agents {

// conflict: it is final. Answered when the run's row is written; what belongs to it ends behind that.
void cancel_run(const BasePtr& base, JobId run, const std::string& reason, Reply<AgentRun> reply);

// A run whose job is finished gets the end that the job had; any other is left alone. Answers whether it was ended here.
void end_with_its_job(const BasePtr& base, JobId run, Reply<bool> reply);

// Jobs and runs that carry out what is open about a run that has ended. Nobody waits for it.
void end_carriers(const BasePtr& base, const store::AgentRunView& view, const std::string& reason);

}  // namespace muster::agents
