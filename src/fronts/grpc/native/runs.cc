// RunService: signals, children, results that are waited for, and the timeline of a run.
#include <fmt/format.h>

#include <utility>

#include "command/runs.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/runs.h"
#include "fronts/grpc/dialect/values.h"
#include "fronts/grpc/native/native.h"
#include "fronts/grpc/native/shapes.h"
#include "model/key_scope.h"

namespace muster::rpc::native {
namespace {

constexpr PageRule kRunPages{.usual = 100, .most = 1'000};

// Empty: in whichever namespace the run is.
NamespaceName any_or(const std::string& text) { return text.empty() ? NamespaceName() : NamespaceName(encode_name(text)); }

void put_signal(const store::StepAnswer& answer, pb::AwaitSignalResponse& out) {
  out.set_parked(answer.parked);
  if (answer.parked || !answer.step) return;
  // A wait that was over completes its step with the reason beside it.
  out.set_timed_out(answer.step->error.has_value());
  if (answer.step->output) put_content(*answer.step->output, out.mutable_data());
}

void put_child(const store::StepAnswer& answer, pb::AwaitChildResponse& out) {
  out.set_parked(answer.parked);
  if (!answer.step) return;
  const Step& step = *answer.step;
  if (step.child) out.set_child_run_id(step.child->text());
  if (answer.parked) return;
  out.set_completed(step.state == StepState::completed);
  if (step.output) put_content(*step.output, out.mutable_output());
  if (step.error) {
    out.set_error_kind(step.error->kind);
    out.set_error_message(step.error->message);
  }
}

template <class Response, class Put>
void run_step(const CallRef& call, store::StepCall step, Put put) {
  take_step(call, std::move(step), [call, put](const Result<store::StepAnswer>& answer) {
    if (!answer.ok()) return Native::refuse(call, answer.status());
    Response response;
    put(*answer, response);
    Native::answer(call, response);
  });
}

// The child of this step: the same one however often it is asked for.
JobSpec child_spec(const pb::AwaitChildRequest& request, const Job& parent, const std::string& step, Content input) {
  JobSpec spec = run_of(parent.spec.ns, decode_name(parent.spec.queue.text()), request.workflow_type());
  if (!request.task_queue().empty()) spec.queue = QueueName(encode_name(request.task_queue()));
  spec.payload = std::move(input);
  spec.idempotency_key = fmt::format("{}{}:{}", kChildKeys, parent.id.text(), step);
  spec.correlation = parent.spec.correlation;
  spec.run->parent = RunParent{parent.id, step};
  spec.run->external_id = request.external_id();
  if (!request.version().empty()) spec.run->version = request.version();
  return spec;
}

struct ChildWait {
  pb::AwaitChildRequest request;
  store::RunRef ref;
  std::string step;
  Content input;
};

void start_child(const CallRef& call, ChildWait wait, const Job& parent) {
  JobSpec spec = child_spec(wait.request, parent, wait.step, std::move(wait.input));
  ask(call, command::RunStartChildRequest{std::move(spec)},
      [call, ref = wait.ref, step = std::move(wait.step)](Result<store::Enqueued> child) mutable {
        if (!child.ok()) return Native::refuse(call, child.status());
        run_step<pb::AwaitChildResponse>(call, store::step::AwaitChild{.run = ref, .step = std::move(step), .child = child->id},
                                         put_child);
      });
}

void send_signal(const CallRef& call, JobId run, pb::SignalRequest request) {
  auto data = content_of(*call, "data", request.data());
  if (!data.ok()) return Native::refuse(call, data.status());
  ask(call, command::RunSignalRequest{.run = run, .name = request.signal(), .data = *std::move(data)},
      [call](Result<store::Signalled> signalled) {
        if (!signalled.ok()) return Native::refuse(call, signalled.status());
        pb::SignalResponse response;
        response.set_run_id(signalled->run.text());
        response.set_taken(signalled->taken);
        Native::answer(call, response);
      });
}

void signal_by_name(const CallRef& call, pb::SignalRequest request) {
  const std::string id = request.external_id();
  find_by_external_id(call, namespace_of(request.namespace_()), id,
                      [call, id, request = std::move(request)](const Result<JobId>& run) mutable {
                        if (run.ok()) return send_signal(call, *run, std::move(request));
                        if (run.code() != Code::not_found) return Native::refuse(call, run.status());
                        Native::refuse(call, Status::not_found(fmt::format("no unfinished run has external id \"{}\"", id)));
                      });
}

void answer_result(const CallRef& call, const Job& run) {
  pb::GetResultResponse response;
  response.set_state(std::string(to_string(run.state)));
  if (run.state == JobState::completed && run.result) put_content(*run.result, response.mutable_output());
  if (is_finished(run.state) && run.state != JobState::completed && run.error) {
    response.set_error_kind(run.error->kind);
    response.set_error_message(run.error->message);
  }
  Native::answer(call, response);
}

}  // namespace

void await_signal(CallRef call) {
  const auto request = Native::parse<pb::AwaitSignalRequest>(call);
  if (!request) return;
  const auto run = require_run("run_id", request->run_id());
  if (!run.ok()) return Native::refuse(call, run.status());
  const auto ref = ref_of(*call, *run);
  if (!ref.ok()) return Native::refuse(call, ref.status());
  store::step::AwaitSignal step{.run = *ref, .step = encode_step(request->step()), .signal = request->signal()};
  if (request->has_wait()) {
    const auto wait = duration_of("wait", request->wait());
    if (!wait.ok()) return Native::refuse(call, wait.status());
    step.wait = *wait;
  }
  run_step<pb::AwaitSignalResponse>(call, std::move(step), put_signal);
}

void await_child(CallRef call) {
  auto request = Native::parse<pb::AwaitChildRequest>(call);
  if (!request) return;
  const auto run = require_run("run_id", request->run_id());
  if (!run.ok()) return Native::refuse(call, run.status());
  if (request->step().empty()) return Native::refuse(call, Status::invalid_argument("step is empty; it is needed"));
  if (request->workflow_type().empty())
    return Native::refuse(call, Status::invalid_argument("workflow_type is empty; it is needed"));
  const auto ref = ref_of(*call, *run);
  if (!ref.ok()) return Native::refuse(call, ref.status());
  auto input = content_of(*call, "input", request->input());
  if (!input.ok()) return Native::refuse(call, input.status());
  ChildWait wait{.request = *std::move(request), .ref = *ref, .step = {}, .input = *std::move(input)};
  wait.step = encode_step(wait.request.step());
  // Before a child is started: does the caller still speak for the parent?
  read_lease(call, *ref, [call, run = *run, wait = std::move(wait)](const Result<RunLease>& lease) mutable {
    if (!lease.ok()) return Native::refuse(call, lease.status());
    if (is_finished(lease->state))
      return Native::refuse(call, Status::conflict(fmt::format("run {} is {} already", run.text(), to_string(lease->state))));
    find_run(call, NamespaceName(), run, [call, wait = std::move(wait)](Result<Job> parent) mutable {
      if (!parent.ok()) return Native::refuse(call, parent.status());
      start_child(call, std::move(wait), *parent);
    });
  });
}

void signal(CallRef call) {
  auto request = Native::parse<pb::SignalRequest>(call);
  if (!request) return;
  if (request->run_id().empty() == request->external_id().empty())
    return Native::refuse(call, Status::invalid_argument("one of run_id and external_id is needed"));
  if (request->run_id().empty()) return signal_by_name(call, *std::move(request));
  const auto run = require_run("run_id", request->run_id());
  if (!run.ok()) return Native::refuse(call, run.status());
  const NamespaceName ns = any_or(request->namespace_());
  find_run(call, ns, *run, [call, request = *std::move(request)](Result<Job> found) mutable {
    if (!found.ok()) return Native::refuse(call, found.status());
    send_signal(call, found->id, std::move(request));
  });
}

void get_result(CallRef call) {
  const auto request = Native::parse<pb::GetResultRequest>(call);
  if (!request) return;
  const auto run = require_run("run_id", request->run_id());
  if (!run.ok()) return Native::refuse(call, run.status());
  const auto wait = wait_of(*call, request->wait());
  if (!wait.ok()) return Native::refuse(call, wait.status());
  // Read first: a run of another namespace is not to be waited for.
  find_run(call, any_or(request->namespace_()), *run, [call, wait = *wait](Result<Job> found) {
    if (!found.ok()) return Native::refuse(call, found.status());
    if (is_finished(found->state) || wait.count() == 0) return answer_result(call, *found);
    const command::RunTicket ticket = ask(call, command::RunResultRequest{found->id, wait}, [call](Result<Job> ended) {
      if (!ended.ok()) return Native::refuse(call, ended.status());
      answer_result(call, *ended);
    });
    call->on_cancel([delivery = call->core.door.delivery(), ticket]() mutable { delivery.cancel(ticket); });
  });
}

void get_history(CallRef call) {
  const auto request = Native::parse<pb::GetHistoryRequest>(call);
  if (!request) return;
  const auto run = require_run("run_id", request->run_id());
  if (!run.ok()) return Native::refuse(call, run.status());
  auto cursor = cursor_of(request->page_token());
  if (!cursor.ok()) return Native::refuse(call, cursor.status());
  command::RunHistoryRequest history{
      .run = *run, .step = {}, .limit = page_size(request->page_size(), kRunPages), .cursor = *std::move(cursor)};
  find_run(call, any_or(request->namespace_()), *run, [call, history = std::move(history)](Result<Job> found) mutable {
    if (!found.ok()) return Native::refuse(call, found.status());
    ask(call, std::move(history), [call](Result<store::StepPage> page) {
      if (!page.ok()) return Native::refuse(call, page.status());
      pb::GetHistoryResponse response;
      for (const Step& step : page->steps) put_step(step, response.add_steps());
      if (!page->next.empty()) response.set_next_page_token(page_token(page->next));
      Native::answer(call, response);
    });
  });
}

}  // namespace muster::rpc::native
