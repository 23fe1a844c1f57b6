#include <cmath>

#include "command/runs.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/runs.h"
#include "fronts/grpc/v1/shapes.h"

namespace muster::rpc::v1 {
namespace {

constexpr PageRule kStepPages{.usual = 50, .most = 100};
constexpr std::int32_t kNanosPerSecond = 1'000'000'000;

void refuse_step(const CallRef& call, const Status& status, JobId run) {
  V1::refuse(call, status, {.kind = "workflow_run", .id = run.text()});
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
    V1::refuse(call, id.status(), {.kind = "workflow_run", .id = run_id});
    return std::nullopt;
  }
  Result<store::RunRef> ref = ref_of(*call, *id);
  if (ref.ok()) return *ref;
  V1::refuse(call, ref.status());
  return std::nullopt;
}

Status check_name(const char* field, const std::string& name) {
  return name.empty() ? Status::invalid_argument(fmt::format("{} is empty", field)) : Status();
}

// Rounded up, so that nobody wakes up early.
Result<Duration> duration_of(const google::protobuf::Duration& duration) {
  constexpr auto kSecondsMax = std::chrono::floor<std::chrono::seconds>(limits::kDelayMax).count();
  if (duration.seconds() < 0 || duration.nanos() < 0 || duration.nanos() >= kNanosPerSecond || duration.seconds() >= kSecondsMax)
    return Status::invalid_argument(
        fmt::format("duration is {} s and {} ns; 0 to {} s are accepted", duration.seconds(), duration.nanos(), kSecondsMax));
  return std::chrono::ceil<Duration>(std::chrono::seconds(duration.seconds()) + std::chrono::nanoseconds(duration.nanos()));
}

}  // namespace

void begin_step(CallRef call) {
  auto request = V1::parse<pb::BeginStepRequest>(call);
  if (!request) return;
  const auto ref = run_ref(call, request->run_id());
  if (!ref) return;
  if (Status name = check_name("step_name", request->step_name()); !name.ok()) return V1::refuse(call, name);
  if (request->kind() == pb::STEP_KIND_UNSPECIFIED || !pb::StepKind_IsValid(request->kind()))
    return V1::refuse(call,
                      Status::invalid_argument(fmt::format("kind {} is no kind of step", static_cast<int>(request->kind()))));
  if (Status input = check_payload(*call, "input", request->input().data().size()); !input.ok()) return V1::refuse(call, input);
  store::step::Begin begin{*ref, encode_step(request->step_name())};
  if (request->kind() == pb::STEP_KIND_SLEEP) begin.kind = StepKind::sleep;
  if (request->has_input()) begin.input = content_of(std::move(*request->mutable_input()->mutable_data()));
  begin.policy = policy_of(request->retry_policy());
  take_step(call, std::move(begin), ref->run, [call, name = request->step_name()](const store::StepAnswer& answer) {
    pb::BeginStepResponse response;
    response.set_step_id(name);
    response.set_should_execute(answer.execute);
    if (!answer.execute && answer.step && answer.step->output)
      response.mutable_cached_output()->set_data(answer.step->output->data);
    V1::answer(call, response);
  });
}

namespace {

// A step's answer shows the namespace its run is in.
void answer_step(const CallRef& call, Step step) {
  const JobId run = step.run;
  find_run(call, {}, run, [call, step = std::move(step)](Result<Job> found) {
    if (!found.ok()) return refuse_step(call, found.status(), step.run);
    pb::CompleteStepResponse response;
    put_step(step, found->spec.ns, call->core.now(), response.mutable_step());
    V1::answer(call, response);
  });
}

}  // namespace

void complete_step(CallRef call) {
  auto request = V1::parse<pb::CompleteStepRequest>(call);
  if (!request) return;
  const auto ref = run_ref(call, request->run_id());
  if (!ref) return;
  if (Status name = check_name("step_id", request->step_id()); !name.ok()) return V1::refuse(call, name);
  if (Status output = check_payload(*call, "output", request->output().data().size()); !output.ok())
    return V1::refuse(call, output);
  store::step::Complete complete{*ref, encode_step(request->step_id())};
  complete.output = content_of(std::move(*request->mutable_output()->mutable_data()));
  take_step(call, std::move(complete), ref->run, [call, ns = request->namespace_()](store::StepAnswer& answer) {
    if (ns.empty()) return answer_step(call, std::move(*answer.step));
    // Clients say the run's own; another read only for them to hear it back is not worth it.
    pb::CompleteStepResponse response;
    put_step(*answer.step, namespace_of(ns), call->core.now(), response.mutable_step());
    V1::answer(call, response);
  });
}

void fail_step(CallRef call) {
  const auto request = V1::parse<pb::FailStepRequest>(call);
  if (!request) return;
  const auto ref = run_ref(call, request->run_id());
  if (!ref) return;
  if (Status name = check_name("step_id", request->step_id()); !name.ok()) return V1::refuse(call, name);
  store::step::Fail fail{*ref, encode_step(request->step_id()), error_of(request->error())};
  fail.retryable = !request->error().non_retryable();
  fail.retry_after = std::clamp(Duration(request->error().retry_after_ms()), Duration(0), limits::kDelayMax);
  take_step(call, std::move(fail), ref->run, [call](const store::StepAnswer& answer) {
    pb::FailStepResponse response;
    const bool retried = answer.step && answer.step->state == StepState::failed && answer.step->until.has_value();
    response.set_scheduled_retry(retried);
    if (retried) put_instant(*answer.step->until, response.mutable_retry_at());
    V1::answer(call, response);
  });
}

void sleep(CallRef call) {
  const auto request = V1::parse<pb::SleepRequest>(call);
  if (!request) return;
  const auto ref = run_ref(call, request->run_id());
  if (!ref) return;
  if (!request->has_duration()) return V1::refuse(call, Status::invalid_argument("duration is not set"));
  const Result<Duration> length = duration_of(request->duration());
  if (!length.ok()) return V1::refuse(call, length.status());
  store::step::Sleep nap{*ref, request->step_id().empty() ? std::string() : encode_step(request->step_id()), *length, {}};
  take_step(call, std::move(nap), ref->run, [call](const store::StepAnswer&) { V1::answer(call, pb::SleepResponse()); });
}

void get_step(CallRef call) {
  const auto request = V1::parse<pb::GetStepRequest>(call);
  if (!request) return;
  if (Status all = required({{"step_id", &request->step_id()}, {"namespace", &request->namespace_()}}); !all.ok())
    return V1::refuse(call, all);
  const Result<Uuid> id = require_uuid("step_id", request->step_id());
  if (!id.ok()) return V1::refuse(call, id.status());
  const auto missing = [call, text = id->text()] {
    V1::refuse(call, Status::not_found(fmt::format("step attempt {} does not exist", text)),
               {.kind = "step_attempt", .id = text});
  };
  ask(call, command::RunGetStepRequest{StepId{*id}},
      [call, missing, ns = namespace_of(request->namespace_())](Result<command::RunGetStepReply> found) {
        if (found.code() == Code::not_found || (found.ok() && found->run.spec.ns != ns)) return missing();
        if (!found.ok()) return V1::refuse(call, found.status());
        pb::GetStepResponse response;
        put_step(found->step, ns, call->core.now(), response.mutable_step());
        V1::answer(call, response);
      });
}

void list_steps(CallRef call) {
  const auto request = V1::parse<pb::ListStepsRequest>(call);
  if (!request) return;
  const Result<JobId> id = require_run("run_id", request->run_id());
  if (!id.ok()) return V1::refuse(call, id.status(), {.kind = "workflow_run", .id = request->run_id()});
  const auto page = page_of(call, request->page(), kStepPages);
  if (!page) return;
  command::RunHistoryRequest history{.run = *id, .step = {}, .limit = page->limit, .cursor = page->cursor};
  if (!request->step_name().empty()) history.step = encode_step(request->step_name());
  find_run(call, {}, *id, [call, history = std::move(history)](Result<Job> run) mutable {
    if (!run.ok()) return refuse_step(call, run.status(), history.run);
    ask(call, std::move(history), [call, ns = run->spec.ns](Result<store::StepPage> steps) {
      if (!steps.ok()) return V1::refuse(call, steps.status());
      pb::ListStepsResponse response;
      for (const Step& step : steps->steps) put_step(step, ns, call->core.now(), response.add_steps());
      put_page(steps->next, std::nullopt, response.mutable_page());
      V1::answer(call, response);
    });
  });
}

}  // namespace muster::rpc::v1
