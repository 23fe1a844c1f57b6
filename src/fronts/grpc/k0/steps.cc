#include "command/runs.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/roster.h"
#include "fronts/grpc/dialect/runs.h"
#include "fronts/grpc/dialect/values.h"
#include "fronts/grpc/k0/shapes.h"

namespace muster::rpc::k0 {
namespace {

constexpr PageRule kStepPages{.usual = 50, .most = 100};
constexpr std::string_view kSleepSteps = "__sleep_";  // what clients call the steps they sleep in

void refuse_step(const CallRef& call, const Status& status, JobId run) {
  K0::refuse(call, status, {.kind = "workflow_run", .id = run.text()});
}

// Makes the call under its lease, then goes on with its answer.
void take_step(const CallRef& call, store::StepCall step, JobId run, UniqueFunction<void(store::StepAnswer&)> then) {
  rpc::take_step(call, std::move(step), [call, run, then = std::move(then)](Result<store::StepAnswer>&& answer) mutable {
    if (!answer.ok()) return refuse_step(call, answer.status(), run);
    then(*answer);
  });
}

// The lease and the run of a request, or nothing: the call has been refused.
std::optional<store::RunRef> run_ref(const CallRef& call, const std::string& run_id) {
  const Result<JobId> id = require_run("run_id", run_id);
  if (!id.ok()) {
    K0::refuse(call, id.status(), {.kind = "workflow_run", .id = run_id});
    return std::nullopt;
  }
  Result<store::RunRef> ref = ref_of(*call, *id);
  if (ref.ok()) return *ref;
  K0::refuse(call, ref.status());
  return std::nullopt;
}

}  // namespace

void begin_step(CallRef call) {
  auto request = K0::parse<pb::BeginStepRequest>(call);
  if (!request) return;
  const auto ref = run_ref(call, request->run_id());
  if (!ref) return;
  store::step::Begin begin{*ref, encode_step(request->step_id())};
  if (!request->input().empty()) {
    if (Status input = check_json(*call, "input", request->input()); !input.ok()) return K0::refuse(call, input);
    begin.input = Content{std::move(*request->mutable_input()), Encoding::json};
  }
  if (request->step_id().starts_with(kSleepSteps)) begin.kind = StepKind::sleep;
  begin.policy = policy_of(request->retry_policy());
  take_step(call, std::move(begin), ref->run, [call](const store::StepAnswer& answer) {
    pb::BeginStepResponse response;
    response.set_should_execute(answer.execute);
    // Clients decode what is cached, so that a step without an output has to be null.
    if (!answer.execute) response.set_cached_result(answer.step && answer.step->output ? answer.step->output->data : "null");
    K0::answer(call, response);
  });
}

void complete_step(CallRef call) {
  auto request = K0::parse<pb::CompleteStepRequest>(call);
  if (!request) return;
  const auto ref = run_ref(call, request->run_id());
  if (!ref) return;
  if (Status output = check_json(*call, "output", request->output()); !output.ok()) return K0::refuse(call, output);
  store::step::Complete complete{*ref, encode_step(request->step_id())};
  complete.output = Content{std::move(*request->mutable_output()), Encoding::json};
  complete.unbegun_ok = true;
  take_step(call, std::move(complete), ref->run, [call](const store::StepAnswer&) { K0::answer(call, pb::Empty()); });
}

void fail_step(CallRef call) {
  const auto request = K0::parse<pb::FailStepRequest>(call);
  if (!request) return;
  const auto ref = run_ref(call, request->run_id());
  if (!ref) return;
  if (request->step_id().empty()) return K0::refuse(call, Status::invalid_argument("step_id is empty"));
  const Complaint complaint = complaint_of(request->error());
  store::step::Fail fail{*ref, encode_step(request->step_id()), {complaint.kind, complaint.message}};
  fail.retryable = !complaint.non_retryable && !request->non_retryable();
  const std::int64_t later = request->retry_after_ms() > 0 ? request->retry_after_ms() : complaint.retry_after_ms;
  fail.retry_after = std::clamp(Duration(later), Duration(0), limits::kDelayMax);
  fail.requeue = call->core.options.compat_flags.steps_retry;
  fail.unbegun_ok = true;
  take_step(call, std::move(fail), ref->run, [call, run = ref->run](const store::StepAnswer& answer) {
    if (answer.parked)
      call->core.roster->expect_echo(run);
    else
      call->core.roster->take_echo(run);
    K0::answer(call, pb::Empty());
  });
}

void get_step_attempt(CallRef call) {
  const auto request = K0::parse<pb::GetStepAttemptRequest>(call);
  if (!request) return;
  const Result<Uuid> id = require_uuid("step_attempt_id", request->step_attempt_id());
  if (!id.ok()) return K0::refuse(call, id.status());
  ask(call, command::RunGetStepRequest{StepId{*id}}, [call, id = id->text()](const Result<command::RunGetStepReply>& found) {
    if (!found.ok()) return K0::refuse(call, found.status(), {.kind = "step_attempt", .id = id});
    pb::GetStepAttemptResponse response;
    put_step(found->step, found->run.spec.ns, call->core.now(), {call->core.options.compat_flags.plain_errors},
             response.mutable_step_attempt());
    K0::answer(call, response);
  });
}

void list_step_attempts(CallRef call) {
  const auto request = K0::parse<pb::ListStepAttemptsRequest>(call);
  if (!request) return;
  const Result<JobId> id = require_run("workflow_run_id", request->workflow_run_id());
  if (id.code() == Code::not_found) return K0::answer(call, pb::ListStepAttemptsResponse());
  if (!id.ok()) return K0::refuse(call, id.status());
  Result<std::string> cursor = cursor_of(request->page_token());
  if (!cursor.ok()) return K0::refuse(call, cursor.status());
  command::RunHistoryRequest history{
      .run = *id, .step = {}, .limit = page_size(request->page_size(), kStepPages), .cursor = std::move(*cursor)};
  if (!request->step_id().empty()) history.step = encode_step(request->step_id());
  find_run(call, {}, *id, [call, history = std::move(history)](Result<Job> run) mutable {
    if (run.code() == Code::not_found) return K0::answer(call, pb::ListStepAttemptsResponse());
    if (!run.ok()) return K0::refuse(call, run.status());
    ask(call, std::move(history), [call, ns = run->spec.ns](Result<store::StepPage> page) {
      if (!page.ok()) return K0::refuse(call, page.status());
      pb::ListStepAttemptsResponse response;
      for (const Step& step : page->steps)
        put_step(step, ns, call->core.now(), {call->core.options.compat_flags.plain_errors}, response.add_step_attempts());
      response.set_next_page_token(page_token(page->next));
      K0::answer(call, response);
    });
  });
}

}  // namespace muster::rpc::k0
