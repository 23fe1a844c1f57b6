#include "command/jobs.h"

#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <utility>

#include "base/base64.h"
#include "base/check.h"
#include "base/json_reader.h"
#include "command/guards.h"
#include "command/scope.h"
#include "command/single.h"
#include "command/submission.h"

namespace muster::command {
namespace {

using Json = json::Tree;

// One stream of one task: as text, or in base64 when its bytes are no text.
std::string stream_of(const Json& task, const char* name, const char* name_base64) {
  if (const std::string* text = json::text(task, name); text != nullptr) return *text;
  const std::string* coded = json::text(task, name_base64);
  return coded != nullptr ? from_base64(*coded).value_or("") : std::string();
}

// The result of a job that completed; of one that did not, what its worker left behind.
Json told(const Job& job) {
  const Content* content = job.result ? &*job.result : job.progress && job.progress->partial ? &*job.progress->partial : nullptr;
  if (content == nullptr || content->encoding != Encoding::json) return nullptr;
  return json::parse(content->data).value_or(nullptr);
}

// The streams of all tasks one after the other, or of the whole when its worker told no tasks apart. Anything else tells nothing.
JobLogs told_logs(const Job& job) {
  JobLogs logs{.job = job.id, .state = job.state, .output = {}, .errors = {}};
  const Json tree = told(job);
  const auto add = [&logs](const Json& task) {
    if (!task.is_object()) return;
    logs.output += stream_of(task, "stdout", "stdout_base64");
    logs.errors += stream_of(task, "stderr", "stderr_base64");
  };
  const Json* tasks = json::member(tree, "task_results");
  const Json& each = tasks == nullptr ? tree : *tasks;
  if (each.is_array())
    for (const Json& task : each) add(task);
  else
    add(each);
  return logs;
}

JobLogs logs_of(const Job& job, std::vector<store::KeyAnswer> streams) {
  check(streams.size() == 2, "two keys have two answers");
  JobLogs logs = told_logs(job);
  if (streams[0].kind == store::KeyAnswer::Kind::text) logs.output = std::move(streams[0].text);
  if (streams[1].kind == store::KeyAnswer::Kind::text) logs.errors = std::move(streams[1].text);
  return logs;
}

template <class Request>
void bind_leases(const Caller& caller, std::vector<Request>& requests) {
  const auto bounds = lease_bounds(caller);
  if (bounds == nullptr) return;
  for (Request& request : requests) request.lease.bounds = bounds;
}

// What holders of jobs say: the store holds the caller to its bounds.
template <class Request, class T>
void under_lease(Context& context, std::vector<Request> requests, Reply<store::Each<T>> reply,
                 void (engine::Jobs::*verb)(std::vector<Request>, Reply<store::Each<T>>)) {
  bind_leases(context.caller, requests);
  (context.engine.jobs().*verb)(std::move(requests), std::move(reply));
}

// Collects the four answers, which may come on different threads, and replies with the last of them.
class Gathering {
 public:
  explicit Gathering(Reply<JobSettleReply> reply) : reply_(std::move(reply)) {}

  // Where one kind's answers go. `count` elements share the failure when the whole batch fails.
  Reply<store::Each<store::Settled>> into(store::Each<store::Settled> JobSettleReply::*kind, std::size_t count,
                                          std::shared_ptr<Gathering> self) {
    return [self = std::move(self), kind, count](Result<store::Each<store::Settled>> answers) mutable {
      self->collected_.*kind =
          answers.ok() ? *std::move(answers) : store::Each<store::Settled>(count, Result<store::Settled>(answers.status()));
      if (self->left_.fetch_sub(1, std::memory_order_acq_rel) == 1) self->finish();
    };
  }

 private:
  void finish() {
    const JobSettleReply& all = collected_;
    if (Status refused = refused_whole(all.complete, all.fail, all.snooze, all.release); !refused.ok())
      return reply_(std::move(refused));
    reply_(std::move(collected_));
  }

  Reply<JobSettleReply> reply_;
  JobSettleReply collected_;
  std::atomic<int> left_{4};
};

template <class Batch, class Verb>
void settle(Batch batch, Reply<store::Each<store::Settled>> reply, Verb verb) {
  if (batch.empty()) return reply(store::Each<store::Settled>());
  verb(std::move(batch), std::move(reply));
}

void settle_all(engine::Jobs& jobs, JobSettleRequest request, Reply<JobSettleReply> reply) {
  const auto gathering = std::make_shared<Gathering>(std::move(reply));  // shared by the four replies
  auto complete = gathering->into(&JobSettleReply::complete, request.complete.size(), gathering);
  auto fail = gathering->into(&JobSettleReply::fail, request.fail.size(), gathering);
  auto snooze = gathering->into(&JobSettleReply::snooze, request.snooze.size(), gathering);
  auto release = gathering->into(&JobSettleReply::release, request.release.size(), gathering);
  settle(std::move(request.complete), std::move(complete),
         [&](auto batch, auto then) { jobs.complete(std::move(batch), std::move(then)); });
  settle(std::move(request.fail), std::move(fail), [&](auto batch, auto then) { jobs.fail(std::move(batch), std::move(then)); });
  settle(std::move(request.snooze), std::move(snooze),
         [&](auto batch, auto then) { jobs.snooze(std::move(batch), std::move(then)); });
  settle(std::move(request.release), std::move(release),
         [&](auto batch, auto then) { jobs.release(std::move(batch), std::move(then)); });
}

}  // namespace

void handle(Context& context, JobSubmitRequest request, Reply<JobSubmitReply> reply) {
  submit_jobs(context.engine, just(std::move(request.job)),
              [reply = std::move(reply)](Result<std::vector<store::Enqueued>> made) mutable {
                if (!made.ok()) return reply(made.status());
                check(made->size() == 1, "one job is enqueued once");
                reply(made->front());
              });
}

void handle(Context& context, JobSubmitBulkRequest request, Reply<JobSubmitBulkReply> reply) {
  submit_jobs(context.engine, std::move(request.jobs), std::move(reply));
}

void handle(Context& context, std::vector<JobGetRequest> requests, Reply<store::Each<JobGetReply>> reply) {
  std::vector<JobId> jobs;
  jobs.reserve(requests.size());
  for (const JobGetRequest& request : requests) jobs.push_back(request.job);
  if (!context.caller.namespaces) return context.engine.jobs().get(std::move(jobs), std::move(reply));
  context.engine.jobs().get(std::move(jobs),
                            [caller = context.caller, reply = std::move(reply)](Result<store::Each<Job>> found) mutable {
                              if (found.ok())
                                for (Result<Job>& job : *found) job = only_own(caller, std::move(job));
                              reply(std::move(found));
                            });
}

void handle(Context& context, JobFindRequest request, Reply<JobFindReply> reply) {
  const auto verb = request.by == JobFindRequest::By::unique_key ? &engine::Jobs::find_holders : &engine::Jobs::find;
  (context.engine.jobs().*verb)(std::move(request.ns), std::move(request.keys), std::move(reply));
}

void handle(Context& context, JobCountRequest request, Reply<JobCountReply> reply) {
  context.engine.jobs().count(std::move(request.filter), std::move(reply));
}

void handle(Context& context, JobListRequest request, Reply<JobListReply> reply) {
  auto own = only_own(
      context.caller, [](JobListReply & page) -> auto& { return page.jobs; }, std::move(reply));
  context.engine.jobs().list(std::move(request), std::move(own));
}

void handle(Context& context, JobWhyRequest request, Reply<JobWhyReply> reply) {
  guard_jobs(context, {request.job},
             [&engine = context.engine, job = request.job, reply = std::move(reply)](Status allowed) mutable {
               if (!allowed.ok()) return reply(allowed);
               engine.jobs().why(job, std::move(reply));
             });
}

std::string output_key(JobId job) { return "job:" + job.value.hex() + ":stdout"; }
std::string errors_key(JobId job) { return "job:" + job.value.hex() + ":stderr"; }

void handle(Context& context, JobLogsRequest request, Reply<JobLogsReply> reply) {
  auto found = [&engine = context.engine, caller = context.caller, reply = std::move(reply)](Result<Job> job) mutable {
    job = only_own(caller, std::move(job));
    if (!job.ok()) return reply(job.status());
    store::KeyBatch batch;
    batch.ns = job->spec.ns;
    batch.space = store::KeySpace::internal;
    batch.commands = {store::key::Get{output_key(job->id)}, store::key::Get{errors_key(job->id)}};
    engine.keys().run(std::move(batch),
                      [job = *std::move(job), reply = std::move(reply)](Result<std::vector<store::KeyAnswer>> streams) mutable {
                        if (!streams.ok()) return reply(streams.status());
                        reply(logs_of(job, *std::move(streams)));
                      });
  };
  context.engine.jobs().get({request.job}, unwrap<Job>(std::move(found)));
}

void handle(Context& context, JobCancelRequest request, Reply<JobCancelReply> reply) {
  const JobId job = request.cancel.job;
  guard_jobs(context, {job},
             [&engine = context.engine, cancel = std::move(request.cancel), reply = std::move(reply)](Status allowed) mutable {
               if (!allowed.ok()) return reply(allowed);
               engine.jobs().cancel(just(std::move(cancel)), unwrap(std::move(reply)));
             });
}

void handle(Context& context, JobCancelBulkRequest request, Reply<JobCancelBulkReply> reply) {
  std::vector<JobId> jobs;
  for (const store::Cancel& cancel : request.cancels) jobs.push_back(cancel.job);
  guard_jobs(context, std::move(jobs),
             [&engine = context.engine, cancels = std::move(request.cancels), reply = std::move(reply)](Status allowed) mutable {
               if (!allowed.ok()) return reply(allowed);
               engine.jobs().cancel(std::move(cancels), std::move(reply));
             });
}

void handle(Context& context, JobRetryRequest request, Reply<JobRetryReply> reply) {
  guard_jobs(context, {request.job},
             [&engine = context.engine, job = request.job, reply = std::move(reply)](Status allowed) mutable {
               if (!allowed.ok()) return reply(allowed);
               engine.jobs().redrive({job}, unwrap(std::move(reply)));
             });
}

void handle(Context& context, JobRetryMatchingRequest request, Reply<JobRetryMatchingReply> reply) {
  context.engine.jobs().redrive_matching(std::move(request), std::move(reply));
}

engine::ClaimTicket handle(Context& context, JobClaimRequest request, Reply<JobClaimReply> reply) {
  if (const Status allowed = authorize_worker(context.caller, request.claim.worker); !allowed.ok()) {
    reply(allowed);
    return {};
  }
  return context.engine.claims().claim(std::move(request.claim), request.wait, std::move(reply));
}

void handle(Context& context, std::vector<JobHeartbeatRequest> requests, Reply<store::Each<JobHeartbeatReply>> reply) {
  under_lease(context, std::move(requests), std::move(reply), &engine::Jobs::renew);
}

void handle(Context& context, std::vector<JobProgressRequest> requests, Reply<store::Each<JobProgressReply>> reply) {
  under_lease(context, std::move(requests), std::move(reply), &engine::Jobs::report_progress);
}

void handle(Context& context, std::vector<JobCompleteRequest> requests, Reply<store::Each<JobCompleteReply>> reply) {
  under_lease(context, std::move(requests), std::move(reply), &engine::Jobs::complete);
}

void handle(Context& context, std::vector<JobFailRequest> requests, Reply<store::Each<JobFailReply>> reply) {
  under_lease(context, std::move(requests), std::move(reply), &engine::Jobs::fail);
}

void handle(Context& context, std::vector<JobSnoozeRequest> requests, Reply<store::Each<JobSnoozeReply>> reply) {
  under_lease(context, std::move(requests), std::move(reply), &engine::Jobs::snooze);
}

void handle(Context& context, std::vector<JobReleaseRequest> requests, Reply<store::Each<JobReleaseReply>> reply) {
  under_lease(context, std::move(requests), std::move(reply), &engine::Jobs::release);
}

void handle(Context& context, JobSettleRequest request, Reply<JobSettleReply> reply) {
  const std::size_t count = request.complete.size() + request.fail.size() + request.snooze.size() + request.release.size();
  if (count > limits::kSettleBatchMax)
    return reply(Status::invalid_argument(
        fmt::format("{} outcomes in one request; at most {} are accepted", count, limits::kSettleBatchMax)));
  bind_leases(context.caller, request.complete);
  bind_leases(context.caller, request.fail);
  bind_leases(context.caller, request.snooze);
  bind_leases(context.caller, request.release);
  settle_all(context.engine.jobs(), std::move(request), std::move(reply));
}

}  // namespace muster::command
