// Jobs as the commands see them: every request is validated (model/validate.h), then forwarded to the store.
#pragma once

#include <vector>

#include "base/reply.h"
#include "engine/asked_queues.h"
#include "engine/why.h"
#include "store/store.h"

namespace muster::engine {

class Jobs {
 public:
  // Without `asked`, `why` takes every worker at its registration's word.
  explicit Jobs(store::Store& store, const AskedQueues* asked = nullptr) : store_(store), asked_(asked) {}

  void enqueue(std::vector<JobSpec> jobs, Reply<std::vector<store::Enqueued>> reply);
  void complete(std::vector<store::Completion> batch, Reply<store::Each<store::Settled>> reply);
  void fail(std::vector<store::Failure> batch, Reply<store::Each<store::Settled>> reply);
  void snooze(std::vector<store::Snooze> batch, Reply<store::Each<store::Settled>> reply);
  void release(std::vector<store::Release> batch, Reply<store::Each<store::Settled>> reply);
  void report_progress(std::vector<store::ProgressUpdate> batch, Reply<store::Each<store::Renewed>> reply);
  void renew(std::vector<store::Renewal> batch, Reply<store::Each<store::Renewed>> reply);
  void cancel(std::vector<store::Cancel> batch, Reply<store::Each<store::Cancelled>> reply);
  void redrive(std::vector<JobId> jobs, Reply<store::Each<store::Settled>> reply);
  void redrive_matching(store::RedriveFilter filter, Reply<store::Redriven> reply);
  void get(std::vector<JobId> jobs, Reply<store::Each<Job>> reply);
  void list(store::JobQuery query, Reply<store::JobPage> reply);
  // The jobs that were enqueued with these idempotency keys.
  void find(NamespaceName ns, std::vector<std::string> keys, Reply<store::Each<JobId>> reply);
  // The jobs that hold these unique keys now.
  void find_holders(NamespaceName ns, std::vector<std::string> keys, Reply<store::Each<JobId>> reply);
  // How many jobs are where. The filter's namespace, queue, type, states and runs_only count.
  void count(store::JobFilter filter, Reply<std::vector<store::JobCount>> reply);
  // Why the job is not running. A running or finished job gets that as its reason.
  void why(JobId job, Reply<Why> reply);

 private:
  store::Store& store_;
  const AskedQueues* asked_;
};

}  // namespace muster::engine
