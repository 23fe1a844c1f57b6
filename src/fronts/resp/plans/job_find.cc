#include "fronts/resp/plans/job_find.h"

#include <utility>

#include "command/jobs.h"
#include "fronts/resp/core.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/work/work.h"

namespace muster::resp::plans {
namespace {

Status unknown(const std::string& name) { return Status::not_found("job " + name + " does not exist"); }

}  // namespace

void find_job(const CallRef& call, const std::string& name, UniqueFunction<void(Result<Job>)> then) {
  work::resolve_job(call, name, [call, name, then = std::move(then)](Result<JobId> id) mutable {
    if (!id.ok()) return then(id.status());
    // No job has it, and the engine takes it for a mistake of ours.
    if (id->value.is_nil()) return then(unknown(name));
    ask(call, command::JobGetRequest{*id}, [name, then = std::move(then)](Result<Job> job) mutable {
      if (job.ok() && job->spec.ns.text() != kDefaultNamespace) return then(unknown(name));
      then(std::move(job));
    });
  });
}

void with_document(const CallRef& call, Job job, UniqueFunction<void(const Job&, std::string)> then) {
  const std::string plan = plan_of(job.spec.labels);
  if (plan.empty()) {
    std::string document = job_document(facts_of(job), nullptr);
    return then(job, std::move(document));
  }
  call->core().plan_cache->find(plan,
                                [job = std::move(job), then = std::move(then)](std::shared_ptr<const StoredPlan> found) mutable {
                                  std::string document = job_document(facts_of(job), found.get());
                                  then(job, std::move(document));
                                });
}

}  // namespace muster::resp::plans
