#include "command/runs.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/roster.h"
#include "fronts/grpc/dialect/runs.h"
#include "fronts/grpc/v1/shapes.h"

namespace muster::rpc::v1 {
namespace {

constexpr PageRule kRunPages{.usual = 20, .most = 100};

void refuse_run(const CallRef& call, const Status& status, const std::string& id) {
  V1::refuse(call, status, {.kind = "workflow_run", .id = id});
}

// The run a request names, in its namespace, or a refusal.
template <class Request>
void with_run(const CallRef& call, const Request& request, UniqueFunction<void(Job)> then) {
  if (Status all = required({{"run_id", &request.run_id()}, {"namespace", &request.namespace_()}}); !all.ok())
    return V1::refuse(call, all);
  const Result<JobId> id = require_run("run_id", request.run_id());
  if (!id.ok()) return refuse_run(call, id.status(), request.run_id());
  find_run(call, namespace_of(request.namespace_()), *id, [call, id = *id, then = std::move(then)](Result<Job> run) mutable {
    if (!run.ok()) return refuse_run(call, run.status(), id.text());
    then(std::move(*run));
  });
}

template <class Response>
void answer_workflow(const CallRef& call, const Job& run) {
  Response response;
  put_workflow(run, response.mutable_workflow());
  V1::answer(call, response);
}

}  // namespace

void start_workflow(CallRef call) {
  auto request = V1::parse<pb::StartWorkflowRequest>(call);
  if (!request) return;
  // A form that leaves the external id out gets one.
  if (request->external_id().empty()) request->set_external_id(call->core.roster->new_id().text());
  if (Status all = required({{"task_queue", &request->task_queue()},
                             {"workflow_type", &request->workflow_type()},
                             {"namespace", &request->namespace_()}});
      !all.ok())
    return V1::refuse(call, all);
  if (Status input = check_payload(*call, "input", request->input().data().size()); !input.ok()) return V1::refuse(call, input);
  command::RunStartRequest run{.job =
                                   run_of(namespace_of(request->namespace_()), request->task_queue(), request->workflow_type())};
  JobSpec& spec = run.job;
  spec.payload = content_of(std::move(*request->mutable_input()->mutable_data()));
  spec.correlation = call->correlation;
  spec.rescues_max = rescues_of(request->retry_policy().maximum_attempts());
  spec.run->external_id = request->external_id();
  spec.run->version = request->version().empty() ? "1" : request->version();
  spec.run->steps = policy_of(request->retry_policy());
  spec.run->metadata.insert(request->input().metadata().begin(), request->input().metadata().end());
  start_run(call, std::move(run), [call](Result<store::Enqueued> started) {
    if (!started.ok()) return V1::refuse(call, started.status());
    pb::StartWorkflowResponse response;
    response.set_run_id(started->id.text());
    response.set_already_exists(started->existed);
    V1::answer(call, response);
  });
}

void get_workflow(CallRef call) {
  const auto request = V1::parse<pb::GetWorkflowRequest>(call);
  if (!request) return;
  with_run(call, *request, [call](const Job& run) { answer_workflow<pb::GetWorkflowResponse>(call, run); });
}

void get_workflow_by_external_id(CallRef call) {
  const auto request = V1::parse<pb::GetWorkflowByExternalIdRequest>(call);
  if (!request) return;
  if (Status all = required({{"external_id", &request->external_id()}, {"namespace", &request->namespace_()}}); !all.ok())
    return V1::refuse(call, all);
  const auto missing = [call, external = request->external_id()] {
    V1::refuse(call, Status::not_found(fmt::format("no unfinished run has the external id '{}'", external)),
               {.kind = "workflow_run", .id = external});
  };
  find_by_external_id(call, namespace_of(request->namespace_()), request->external_id(),
                      [call, missing](const Result<JobId>& id) {
                        if (id.code() == Code::not_found) return missing();
                        if (!id.ok()) return V1::refuse(call, id.status());
                        find_run(call, {}, *id, [call, missing](Result<Job> run) {
                          if (run.code() == Code::not_found) return missing();
                          if (!run.ok()) return V1::refuse(call, run.status());
                          answer_workflow<pb::GetWorkflowByExternalIdResponse>(call, *run);
                        });
                      });
}

void list_workflows(CallRef call) {
  const auto request = V1::parse<pb::ListWorkflowsRequest>(call);
  if (!request) return;
  if (Status all = required({{"namespace", &request->namespace_()}}); !all.ok()) return V1::refuse(call, all);
  const auto page = page_of(call, request->page(), kRunPages);
  if (!page) return;
  RunListing listing;
  listing.filter.ns = namespace_of(request->namespace_());
  listing.limit = page->limit;
  listing.cursor = page->cursor;
  if (!request->workflow_type().empty()) listing.filter.type = JobType(encode_name(request->workflow_type()));
  if (!request->task_queue().empty()) listing.filter.queue = QueueName(encode_name(request->task_queue()));
  if (request->has_status_filter()) {
    const int number = request->status_filter();
    if (!pb::WorkflowStatus_IsValid(number))
      return V1::refuse(call, Status::invalid_argument(fmt::format("status_filter {} is no status", number)));
    // Schedules are not runs, so that nothing is SCHEDULED or PAUSED here.
    const bool known = number <= static_cast<int>(RunStatus::cancelled);
    listing.status = known ? static_cast<RunStatus>(number) : RunStatus::none;
  }
  for (const auto& [present, name, at, into] :
       {std::tuple(request->has_created_after(), "created_after", &request->created_after(), &listing.filter.created_after),
        std::tuple(request->has_created_before(), "created_before", &request->created_before(),
                   &listing.filter.created_before)}) {
    if (!present) continue;
    const Result<Instant> instant = instant_of(name, *at);
    if (!instant.ok()) return V1::refuse(call, instant.status());
    *into = *instant;
  }
  RunListing counted = listing;
  list_runs(call, std::move(listing), [call, counted = std::move(counted), total = page->total](Result<RunsPage> runs) mutable {
    if (!runs.ok()) return V1::refuse(call, runs.status());
    pb::ListWorkflowsResponse response;
    for (const Job& run : runs->runs) put_workflow(run, response.add_workflows());
    put_page(runs->next, std::nullopt, response.mutable_page());
    if (!total) return V1::answer(call, response);
    count_runs(call, std::move(counted), [call, response = std::move(response)](Result<std::uint64_t> count) mutable {
      if (!count.ok()) return V1::refuse(call, count.status());
      response.mutable_page()->set_total_count(static_cast<std::int64_t>(*count));
      V1::answer(call, response);
    });
  });
}

void cancel_workflow(CallRef call) {
  const auto request = V1::parse<pb::CancelWorkflowRequest>(call);
  if (!request) return;
  with_run(call, *request, [call](const Job& run) {
    cancel_run(call, run.id, [call, id = run.id](const Result<store::Cancelled>& cancelled) {
      if (!cancelled.ok()) return refuse_run(call, cancelled.status(), id.text());
      pb::CancelWorkflowResponse response;
      response.set_cancelled(true);
      response.set_status(pb::WORKFLOW_STATUS_CANCELLED);
      V1::answer(call, response);
    });
  });
}

void retry_workflow(CallRef call) {
  const auto request = V1::parse<pb::RetryWorkflowRequest>(call);
  if (!request) return;
  with_run(call, *request, [call](const Job& run) {
    pb::RetryWorkflowResponse response;
    if (!is_finished(run.state)) {
      response.set_new_run_id(run.id.text());
      response.set_already_running(true);
      return V1::answer(call, response);
    }
    // Under an external id of its own: a second retry finds the first while it goes on.
    ask(call, command::RunRetryRequest{.run = run.id, .external_id = "retry-" + run.id.text(), .correlation = call->correlation},
        [call](Result<store::Enqueued> started) {
          if (!started.ok()) return V1::refuse(call, started.status());
          pb::RetryWorkflowResponse made;
          made.set_new_run_id(started->id.text());
          made.set_already_running(started->existed);
          V1::answer(call, made);
        });
  });
}

void terminate_workflow(CallRef call) {
  const auto request = V1::parse<pb::TerminateWorkflowRequest>(call);
  if (!request) return;
  with_run(call, *request, [call, reason = error_text(request->reason())](const Job& run) {
    ask(call, command::RunTerminateRequest{run.id, reason}, [call, id = run.id](Result<store::Cancelled> ended) {
      if (!ended.ok()) return refuse_run(call, ended.status(), id.text());
      call->core.fences.forget(id);
      pb::TerminateWorkflowResponse response;
      response.set_terminated(true);
      response.set_status(pb::WORKFLOW_STATUS_FAILED);
      V1::answer(call, response);
    });
  });
}

void complete_workflow(CallRef call) {
  auto request = V1::parse<pb::CompleteWorkflowRequest>(call);
  if (!request) return;
  const Result<JobId> id = require_run("run_id", request->run_id());
  if (!id.ok()) return refuse_run(call, id.status(), request->run_id());
  if (Status output = check_payload(*call, "output", request->output().data().size()); !output.ok())
    return V1::refuse(call, output);
  const Result<store::RunRef> ref = ref_of(*call, *id);
  if (!ref.ok()) return V1::refuse(call, ref.status());
  Content output = content_of(std::move(*request->mutable_output()->mutable_data()));
  complete_run(call, *ref, std::move(output), [call, id = *id](Result<store::Settled> settled) {
    if (!settled.ok()) return refuse_run(call, settled.status(), id.text());
    pb::CompleteWorkflowResponse response;
    response.set_status(pb::WORKFLOW_STATUS_COMPLETED);
    V1::answer(call, response);
  });
}

void fail_workflow(CallRef call) {
  const auto request = V1::parse<pb::FailWorkflowRequest>(call);
  if (!request) return;
  const Result<JobId> id = require_run("run_id", request->run_id());
  if (!id.ok()) return refuse_run(call, id.status(), request->run_id());
  const Result<store::RunRef> ref = ref_of(*call, *id);
  if (!ref.ok()) return V1::refuse(call, ref.status());
  fail_run(call, *ref, error_of(request->error()), [call, id = *id](Result<store::Settled> settled) {
    if (!settled.ok()) return refuse_run(call, settled.status(), id.text());
    pb::FailWorkflowResponse response;
    response.set_status(settled->state == JobState::cancelled ? pb::WORKFLOW_STATUS_CANCELLED : pb::WORKFLOW_STATUS_FAILED);
    V1::answer(call, response);
  });
}

}  // namespace muster::rpc::v1
