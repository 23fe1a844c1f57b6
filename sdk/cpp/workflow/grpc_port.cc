#include "sdk/cpp/workflow/grpc_port.h"

#include <map>
#include <random>
#include <utility>

namespace muster::sdk::workflow {
namespace {

using V1Worker = kagzi::v1::WorkerService::Stub;
using NativeRuns = muster::v1::RunService::Stub;

constexpr int kRefusedTriesMax = 8;  // of an answer that may be about this call as well as about the server

// The server being away is waited out: the lease decides how long that makes sense.
bool may_repeat(const Error& error, int tries) {
  switch (error.code) {
    case Code::unavailable:
    case Code::outcome_unknown:
    case Code::unreachable: return true;
    case Code::exhausted:
    case Code::internal: return tries < kRefusedTriesMax;
    default: return false;
  }
}

bool lost_with_its_worker(const muster::v1::StepAttempt& step) { return step.error_kind() == "worker_lost"; }

// Attempts are oldest first: the last one of a name counts. A final failure counts once something began after it.
std::vector<Remembered> remember(const std::vector<muster::v1::StepAttempt>& attempts) {
  std::map<std::string, std::size_t> latest;
  for (std::size_t i = 0; i < attempts.size(); ++i) latest[attempts[i].name()] = i;
  std::vector<Remembered> steps;
  for (const auto& [name, index] : latest) {
    const muster::v1::StepAttempt& step = attempts[index];
    const bool completed = step.state() == "completed";
    const bool failed = step.state() == "failed" && !step.has_until() && !lost_with_its_worker(step);
    if (!completed && !(failed && index + 1 < attempts.size())) continue;
    steps.push_back({.step = name,
                     .completed = completed,
                     .timed_out = completed && !step.error_kind().empty(),
                     .output = step.output().data(),
                     .error_kind = step.error_kind(),
                     .error_message = step.error_message(),
                     .child_run_id = step.child_run_id()});
  }
  return steps;
}

template <class T>
Result<Nothing> nothing(const Result<T>& answer) {
  if (!answer.ok()) return answer.error();
  return Nothing{};
}

}  // namespace

template <class Response, class Stub, class Request>
Result<Response> GrpcRunPort::ask(Stub& stub, grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                                  const Request& request) {
  Backoff backoff(backoff_, std::random_device{}());
  for (int tries = 1;; ++tries) {
    grpc::ClientContext context;
    wire_.prepare(context);
    if (facts_.fence != 0) context.AddMetadata("muster-fence", std::to_string(facts_.fence));
    Response response;
    const grpc::Status status = (stub.*method)(&context, request, &response);
    if (status.ok()) return response;
    Error error = wire::error_of(status);
    if (!may_repeat(error, tries)) return error;
    if (!pause_(backoff.next())) return Error{Code::interrupted, 0, "the worker gave the run up: " + error.detail, {}};
  }
}

template <class Request>
Request GrpcRunPort::about() const {
  Request request;
  request.set_namespace_(facts_.ns);
  request.set_run_id(facts_.run_id);
  return request;
}

Result<Begun> GrpcRunPort::begin(const BeginCall& call) {
  auto request = about<kagzi::v1::BeginStepRequest>();
  request.set_step_name(call.step);
  request.set_kind(call.kind == StepKind::sleep ? kagzi::v1::STEP_KIND_SLEEP : kagzi::v1::STEP_KIND_FUNCTION);
  if (!call.input.empty()) request.mutable_input()->set_data(call.input);
  wire::set(request.mutable_retry_policy(), call.policy);
  auto answer = ask(wire_.workers(), &V1Worker::BeginStep, request);
  if (!answer.ok()) return answer.error();
  return Begun{.execute = answer->should_execute(), .output = answer->cached_output().data()};
}

Result<Nothing> GrpcRunPort::complete(const std::string& step, const std::string& output) {
  auto request = about<kagzi::v1::CompleteStepRequest>();
  request.set_step_id(step);
  request.mutable_output()->set_data(output);
  return nothing(ask(wire_.workers(), &V1Worker::CompleteStep, request));
}

Result<FailAnswer> GrpcRunPort::fail(const FailCall& call) {
  auto request = about<kagzi::v1::FailStepRequest>();
  request.set_step_id(call.step);
  kagzi::v1::ErrorDetail& error = *request.mutable_error();
  error.set_code(kagzi::v1::ERROR_CODE_INTERNAL);
  error.set_message(call.message);
  error.set_non_retryable(!call.retryable);
  error.set_retry_after_ms(call.retry_after.count());
  auto answer = ask(wire_.workers(), &V1Worker::FailStep, request);
  if (!answer.ok()) return answer.error();
  return FailAnswer{.retried = answer->scheduled_retry()};
}

Result<Nothing> GrpcRunPort::sleep(const std::string& step, Duration length) {
  auto request = about<kagzi::v1::SleepRequest>();
  request.set_step_id(step);
  wire::set(request.mutable_duration(), length);
  return nothing(ask(wire_.workers(), &V1Worker::Sleep, request));
}

Result<SignalAnswer> GrpcRunPort::await_signal(const SignalCall& call) {
  muster::v1::AwaitSignalRequest request;
  request.set_run_id(facts_.run_id);
  request.set_step(call.step);
  request.set_signal(call.signal);
  if (call.wait) wire::set(request.mutable_wait(), *call.wait);
  auto answer = ask(wire_.runs(), &NativeRuns::AwaitSignal, request);
  if (!answer.ok()) return answer.error();
  return SignalAnswer{.parked = answer->parked(), .timed_out = answer->timed_out(), .data = answer->data().data()};
}

Result<ChildAnswer> GrpcRunPort::await_child(const ChildCall& call) {
  muster::v1::AwaitChildRequest request;
  request.set_run_id(facts_.run_id);
  request.set_step(call.step);
  request.set_task_queue(call.queue);
  request.set_workflow_type(call.type);
  request.mutable_input()->set_data(call.input);
  request.mutable_input()->set_is_json(true);
  request.set_external_id(call.external_id);
  request.set_version(call.version);
  auto answer = ask(wire_.runs(), &NativeRuns::AwaitChild, request);
  if (!answer.ok()) return answer.error();
  return ChildAnswer{.parked = answer->parked(),
                     .run_id = answer->child_run_id(),
                     .completed = answer->completed(),
                     .output = answer->output().data(),
                     .error_kind = answer->error_kind(),
                     .error_message = answer->error_message()};
}

Result<std::vector<Remembered>> GrpcRunPort::remembered() {
  std::vector<muster::v1::StepAttempt> attempts;
  auto request = about<muster::v1::GetHistoryRequest>();
  request.set_page_size(wire::kHistoryPage);
  for (;;) {
    auto page = ask(wire_.runs(), &NativeRuns::GetHistory, request);
    if (!page.ok()) return page.error();
    for (muster::v1::StepAttempt& step : *page->mutable_steps()) attempts.push_back(std::move(step));
    if (page->next_page_token().empty()) return remember(attempts);
    request.set_page_token(page->next_page_token());
  }
}

Result<Nothing> GrpcRunPort::complete_run(const std::string& output) {
  auto request = about<kagzi::v1::CompleteWorkflowRequest>();
  request.mutable_output()->set_data(output);
  return nothing(ask(wire_.workers(), &V1Worker::CompleteWorkflow, request));
}

Result<Nothing> GrpcRunPort::fail_run(const Failure& failure) {
  auto request = about<kagzi::v1::FailWorkflowRequest>();
  kagzi::v1::ErrorDetail& error = *request.mutable_error();
  error.set_code(failure.bad_input ? kagzi::v1::ERROR_CODE_INVALID_ARGUMENT : kagzi::v1::ERROR_CODE_INTERNAL);
  error.set_message(failure.message);
  error.set_non_retryable(true);
  return nothing(ask(wire_.workers(), &V1Worker::FailWorkflow, request));
}

}  // namespace muster::sdk::workflow
