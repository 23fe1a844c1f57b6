// What other verbs must know of actions: jobs that start over, and jobs that are forgotten.
//
// An open action counts its jobs where they are, and in its own row those that are forgotten; a settled one has all of them in
// its row. Locks are taken in this order: gates, jobs, plans, actions.
#pragma once

#include "model/job.h"
#include "store/postgres/moves.h"

namespace muster::store::postgres {

// A finished job is about to start over: its action, if it has one and was settled, is open again. REQUIRES: the job's row is
// held, and has not moved yet.
void reopen_action(Tx& tx, NamespaceKey ns, const JobSpec& spec, JobKey job);
// Finished jobs were removed. Rows are (id, outcome), the outcome numbered as in prune_history and prune_dead.
void forget_action_jobs(Tx& tx, const Rows& removed);

}  // namespace muster::store::postgres
