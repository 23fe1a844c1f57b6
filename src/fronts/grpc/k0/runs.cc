#include "fronts/grpc/dialect/runs.h"

#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/roster.h"
#include "fronts/grpc/dialect/values.h"
#include "fronts/grpc/k0/shapes.h"
#include "model/key_scope.h"

namespace muster::rpc::k0 {
namespace {

constexpr PageRule kRunPages{.usual = 20, .most = 100};

void refuse_run(const CallRef& call, const Status& status, const std::string& id) {
  K0::refuse(call, status, {.kind = "workflow_run", .id = id});
}

// A client that could not see that its step is retried fails the whole run; the retry stands.
bool waits_for_retry(const Job& run) { return run.state == JobState::scheduled && run.last_event == JobEvent::failed; }

void answer_empty(const CallRef& call) { K0::answer(call, pb::Empty()); }

}  // namespace

void start_workflow(CallRef call) {
  auto request = K0::parse<pb::StartWorkflowRequest>(call);
  if (!request) return;
  if (!request->input().empty())
    if (Status input = check_json(*call, "input", request->input()); !input.ok()) return K0::refuse(call, input);
  if (!request->context().empty())
    if (Status context = check_json(*call, "context", request->context()); !context.ok()) return K0::refuse(call, context);
  JobSpec spec = run_of(namespace_of(request->namespace_id()), request->task_queue(), request->workflow_type());
  spec.payload = {request->input().empty() ? std::string(kNull) : std::move(*request->mutable_input()), Encoding::json};
  spec.correlation = call->correlation;
  spec.rescues_max = rescues_of(request->retry_policy().maximum_attempts());
  if (request->has_deadline_at()) {
    const Result<Instant> deadline = instant_of("deadline_at", request->deadline_at());
    if (!deadline.ok()) return K0::refuse(call, deadline.status());
    spec.deadline = *deadline;
  }
  if (!request->idempotency_key().empty()) spec.idempotency_key = kKagziKeys + request->idempotency_key();
  spec.run->external_id = request->workflow_id();
  spec.run->version = request->version().empty() ? "1" : request->version();
  spec.run->context = request->context();
  spec.run->steps = policy_of(request->retry_policy());
  spec.run->backoff = StepBackoff::multiplied_first;
  start_run(call, {.job = std::move(spec), .holds_id = false}, [call](Result<store::Enqueued> started) {
    if (!started.ok()) return K0::refuse(call, started.status());
    pb::StartWorkflowResponse response;
    response.set_run_id(started->id.text());
    K0::answer(call, response);
  });
}

void get_workflow_run(CallRef call) {
  const auto request = K0::parse<pb::GetWorkflowRunRequest>(call);
  if (!request) return;
  const Result<JobId> id = require_run("run_id", request->run_id());
  if (!id.ok()) return refuse_run(call, id.status(), request->run_id());
  find_run(call, namespace_of(request->namespace_id()), *id, [call, id = *id](Result<Job> run) {
    if (!run.ok()) return refuse_run(call, run.status(), id.text());
    pb::GetWorkflowRunResponse response;
    put_run(*run, {call->core.options.compat_flags.plain_errors}, response.mutable_workflow_run());
    K0::answer(call, response);
  });
}

void list_workflow_runs(CallRef call) {
  const auto request = K0::parse<pb::ListWorkflowRunsRequest>(call);
  if (!request) return;
  Result<std::string> cursor = cursor_of(request->page_token());
  if (!cursor.ok()) return K0::refuse(call, cursor.status());
  RunListing listing;
  listing.filter.ns = namespace_of(request->namespace_id());
  listing.limit = page_size(request->page_size(), kRunPages);
  listing.cursor = std::move(*cursor);
  // A word that is no status matches nothing.
  if (!request->filter_status().empty()) listing.status = parse_status(request->filter_status()).value_or(RunStatus::none);
  list_runs(call, std::move(listing), [call](Result<RunsPage> page) {
    if (!page.ok()) return K0::refuse(call, page.status());
    pb::ListWorkflowRunsResponse response;
    for (const Job& run : page->runs) put_run(run, {call->core.options.compat_flags.plain_errors}, response.add_workflow_runs());
    response.set_next_page_token(page_token(page->next));
    response.set_has_more(!page->next.empty());
    K0::answer(call, response);
  });
}

void cancel_workflow_run(CallRef call) {
  const auto request = K0::parse<pb::CancelWorkflowRunRequest>(call);
  if (!request) return;
  const Result<JobId> id = require_run("run_id", request->run_id());
  if (!id.ok()) return refuse_run(call, id.status(), request->run_id());
  find_run(call, namespace_of(request->namespace_id()), *id, [call, asked = id->text()](Result<Job> run) {
    if (!run.ok()) return refuse_run(call, run.status(), asked);
    cancel_run(call, run->id, [call, id = run->id](const Result<store::Cancelled>& cancelled) {
      if (!cancelled.ok()) return refuse_run(call, cancelled.status(), id.text());
      answer_empty(call);
    });
  });
}

void complete_workflow(CallRef call) {
  auto request = K0::parse<pb::CompleteWorkflowRequest>(call);
  if (!request) return;
  const Result<JobId> id = require_run("run_id", request->run_id());
  if (!id.ok()) return refuse_run(call, id.status(), request->run_id());
  if (Status output = check_json(*call, "output", request->output()); !output.ok()) return K0::refuse(call, output);
  const Result<store::RunRef> ref = ref_of(*call, *id);
  if (!ref.ok()) return K0::refuse(call, ref.status());
  complete_run(call, *ref, {std::move(*request->mutable_output()), Encoding::json},
               [call, id = *id](Result<store::Settled> settled) {
                 if (!settled.ok()) return refuse_run(call, settled.status(), id.text());
                 answer_empty(call);
               });
}

void fail_workflow(CallRef call) {
  const auto request = K0::parse<pb::FailWorkflowRequest>(call);
  if (!request) return;
  const Result<JobId> id = require_run("run_id", request->run_id());
  if (!id.ok()) return refuse_run(call, id.status(), request->run_id());
  const Result<store::RunRef> ref = ref_of(*call, *id);
  if (!ref.ok()) return K0::refuse(call, ref.status());
  Complaint complaint = complaint_of(request->error());
  const bool retries = call->core.options.compat_flags.steps_retry && !ref->fence;
  if (retries && call->core.roster->take_echo(*id)) return answer_empty(call);
  fail_run(call, *ref, {complaint.kind, complaint.message}, [call, retries, id = *id](Result<store::Settled> settled) {
    if (settled.ok()) return answer_empty(call);
    if (settled.code() != Code::conflict || !retries) return refuse_run(call, settled.status(), id.text());
    find_run(call, {}, id, [call, why = settled.status(), id](Result<Job> run) {
      if (run.ok() && waits_for_retry(*run)) return answer_empty(call);
      refuse_run(call, run.ok() ? why : run.status(), id.text());
    });
  });
}

void schedule_sleep(CallRef call) {
  const auto request = K0::parse<pb::ScheduleSleepRequest>(call);
  if (!request) return;
  const Result<JobId> id = require_run("run_id", request->run_id());
  if (!id.ok()) return refuse_run(call, id.status(), request->run_id());
  constexpr auto kSecondsMax = std::chrono::floor<std::chrono::seconds>(limits::kDelayMax).count();
  if (request->duration_seconds() > static_cast<std::uint64_t>(kSecondsMax))
    return K0::refuse(call, Status::invalid_argument(fmt::format("duration_seconds is {}; 0 to {} are accepted",
                                                                 request->duration_seconds(), kSecondsMax)));
  const Result<store::RunRef> ref = ref_of(*call, *id);
  if (!ref.ok()) return K0::refuse(call, ref.status());
  store::step::Sleep sleep{*ref, {}, std::chrono::seconds(request->duration_seconds()), {}};
  take_step(call, std::move(sleep), [call, id = *id](const Result<store::StepAnswer>& slept) {
    if (!slept.ok()) return refuse_run(call, slept.status(), id.text());
    answer_empty(call);
  });
}

}  // namespace muster::rpc::k0
