#include "sdk/cpp/workflow/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <thread>

#include "sdk/cpp/backoff.h"
#include "sdk/cpp/workflow/client_state.h"

namespace muster::sdk::workflow {
namespace {

using V1 = kagzi::v1::WorkflowService::Stub;
using Native = muster::v1::RunService::Stub;

constexpr Duration kResultHold{20'000};  // of one call; asked again until the caller's timeout

RunState state_of(kagzi::v1::WorkflowStatus status) {
  switch (status) {
    case kagzi::v1::WORKFLOW_STATUS_RUNNING: return RunState::running;
    case kagzi::v1::WORKFLOW_STATUS_SLEEPING: return RunState::sleeping;
    case kagzi::v1::WORKFLOW_STATUS_COMPLETED: return RunState::completed;
    case kagzi::v1::WORKFLOW_STATUS_FAILED: return RunState::failed;
    case kagzi::v1::WORKFLOW_STATUS_CANCELLED: return RunState::cancelled;
    default: return RunState::pending;
  }
}

kagzi::v1::WorkflowStatus status_of(RunState state) {
  switch (state) {
    case RunState::pending: return kagzi::v1::WORKFLOW_STATUS_PENDING;
    case RunState::running: return kagzi::v1::WORKFLOW_STATUS_RUNNING;
    case RunState::sleeping: return kagzi::v1::WORKFLOW_STATUS_SLEEPING;
    case RunState::completed: return kagzi::v1::WORKFLOW_STATUS_COMPLETED;
    case RunState::failed: return kagzi::v1::WORKFLOW_STATUS_FAILED;
    case RunState::cancelled: return kagzi::v1::WORKFLOW_STATUS_CANCELLED;
  }
  return kagzi::v1::WORKFLOW_STATUS_UNSPECIFIED;
}

// The words of muster.v1.
RunState state_named(std::string_view name) {
  if (name == "running") return RunState::running;
  if (name == "scheduled") return RunState::sleeping;
  if (name == "completed") return RunState::completed;
  if (name == "dead") return RunState::failed;
  if (name == "cancelled") return RunState::cancelled;
  return RunState::pending;
}

template <class Message>
std::optional<Instant> maybe(bool there, const Message& at) {
  if (!there) return std::nullopt;
  return wire::instant(at);
}

RunInfo info_of(const kagzi::v1::Workflow& run) {
  return {.run_id = run.run_id(),
          .external_id = run.external_id(),
          .queue = run.task_queue(),
          .type = run.workflow_type(),
          .version = run.version(),
          .state = state_of(run.status()),
          .input = run.input().data(),
          .output = run.output().data(),
          .error = run.error().message(),
          .attempts = run.attempts(),
          .created_at = maybe(run.has_created_at(), run.created_at()),
          .started_at = maybe(run.has_started_at(), run.started_at()),
          .finished_at = maybe(run.has_finished_at(), run.finished_at()),
          .wake_up_at = maybe(run.has_wake_up_at(), run.wake_up_at()),
          .worker_id = run.worker_id(),
          .parent_run_id = run.parent_run_id(),
          .schedule_id = run.schedule_id()};
}

StepInfo info_of(const muster::v1::StepAttempt& step) {
  return {.id = step.step_attempt_id(),
          .name = step.name(),
          .kind = step.kind(),
          .state = step.state(),
          .attempt = step.attempt(),
          .output = step.output().data(),
          .error_kind = step.error_kind(),
          .error_message = step.error_message(),
          .begun_at = wire::instant(step.begun_at()),
          .finished_at = maybe(step.has_finished_at(), step.finished_at()),
          .until = maybe(step.has_until(), step.until()),
          .worker_id = step.worker_id(),
          .child_run_id = step.child_run_id()};
}

// As a UUID of version 4 looks.
std::string random_name() {
  std::random_device source;
  std::array<std::uint32_t, 4> bits{};
  for (std::uint32_t& word : bits) word = source();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:04x}{:08x}", bits[0], bits[1] >> 16, bits[1] & 0xfffU,
                     0x8000U | (bits[2] >> 18), bits[2] & 0xffffU, bits[3]);
}

template <class Request>
Request about(const ClientState& state, const std::string& run_id) {
  Request request;
  request.set_namespace_(state.ns());
  request.set_run_id(run_id);
  return request;
}

}  // namespace

std::string_view to_string(RunState state) {
  switch (state) {
    case RunState::pending: return "pending";
    case RunState::running: return "running";
    case RunState::sleeping: return "sleeping";
    case RunState::completed: return "completed";
    case RunState::failed: return "failed";
    case RunState::cancelled: return "cancelled";
  }
  return "?";
}

// --- the client ----------------------------------------------------------------------------------------------------

Result<Client> Client::open(Connection connection, std::string queue) {
  Result<Connection> good = checked(std::move(connection));
  if (!good.ok()) return good.error();
  return Client(std::make_shared<ClientState>(*good, std::move(queue)));
}

Result<Handle> Client::start_text(std::string_view type, const std::string& input, const StartOptions& options) {
  if (const Result<Nothing> steps = validate(options.steps); !steps.ok()) return steps.error();
  kagzi::v1::StartWorkflowRequest request;
  request.set_namespace_(state_->ns());
  request.set_external_id(options.external_id.empty() ? random_name() : options.external_id);
  request.set_task_queue(options.queue.empty() ? state_->queue : options.queue);
  request.set_workflow_type(std::string(type));
  request.mutable_input()->set_data(input);
  request.set_version(options.version);
  wire::set(request.mutable_retry_policy(), options.steps);
  const auto answer = wire::call(state_->link, state_->link.workflows(), &V1::StartWorkflow, request);
  if (!answer.ok()) return answer.error();
  return Handle(state_, answer->run_id(), answer->already_exists());
}

Result<Handle> Client::find(std::string_view external_id) {
  kagzi::v1::GetWorkflowByExternalIdRequest request;
  request.set_namespace_(state_->ns());
  request.set_external_id(std::string(external_id));
  const auto answer = wire::call(state_->link, state_->link.workflows(), &V1::GetWorkflowByExternalId, request);
  if (!answer.ok()) return answer.error();
  return Handle(state_, answer->workflow().run_id(), true);
}

Result<RunPage> Client::list(const RunQuery& query) {
  kagzi::v1::ListWorkflowsRequest request;
  request.set_namespace_(state_->ns());
  if (query.state) request.set_status_filter(status_of(*query.state));
  if (!query.type.empty()) request.set_workflow_type(query.type);
  if (!query.queue.empty()) request.set_task_queue(query.queue);
  request.mutable_page()->set_page_size(query.page_size);
  request.mutable_page()->set_page_token(query.page);
  const auto answer = wire::call(state_->link, state_->link.workflows(), &V1::ListWorkflows, request);
  if (!answer.ok()) return answer.error();
  RunPage page;
  for (const kagzi::v1::Workflow& run : answer->workflows()) page.runs.push_back(info_of(run));
  if (answer->page().has_more()) page.next = answer->page().next_page_token();
  return page;
}

// --- one run -------------------------------------------------------------------------------------------------------

Result<RunEnd> Handle::wait(Duration timeout) const {
  using Steady = std::chrono::steady_clock;
  const auto end = Steady::now() + timeout;
  Backoff backoff({.min = Duration(50), .max = Duration(2'000)}, std::random_device{}());
  for (;;) {
    const auto left = std::max(Duration(0), std::chrono::ceil<Duration>(end - Steady::now()));
    auto request = about<muster::v1::GetResultRequest>(*state_, run_id_);
    const Duration hold = std::min(left, kResultHold);
    wire::set(request.mutable_wait(), hold);
    const auto answer = wire::call(state_->link, state_->link.runs(), &Native::GetResult, request, hold);
    if (!answer.ok()) {
      // The run goes on without us; a server that is away is waited for as long as the caller likes.
      const Duration pause = backoff.next();
      if (!answer.error().transient() || Steady::now() + pause >= end) return answer.error();
      std::this_thread::sleep_for(pause);
      continue;
    }
    backoff.reset();
    RunEnd run{.state = state_named(answer->state()),
               .output = answer->output().data(),
               .error_kind = answer->error_kind(),
               .error_message = answer->error_message()};
    if (is_finished(run.state) || Steady::now() >= end) return run;
  }
}

Result<std::string> Handle::output(Duration timeout) const {
  Result<RunEnd> end = wait(timeout);
  if (!end.ok()) return end.error();
  if (end->state == RunState::completed) return std::move(end->output);
  if (!is_finished(end->state))
    return Error{
        Code::unavailable, 0, fmt::format("run {} is {} after {} ms", run_id_, to_string(end->state), timeout.count()), {}};
  return Error{Code::conflict, 0, fmt::format("run {} {}: {}", run_id_, to_string(end->state), end->error_message), {}};
}

Result<RunInfo> Handle::describe() const {
  const auto answer = wire::call(state_->link, state_->link.workflows(), &V1::GetWorkflow,
                                 about<kagzi::v1::GetWorkflowRequest>(*state_, run_id_));
  if (!answer.ok()) return answer.error();
  return info_of(answer->workflow());
}

Result<std::vector<StepInfo>> Handle::history() const {
  std::vector<StepInfo> steps;
  auto request = about<muster::v1::GetHistoryRequest>(*state_, run_id_);
  request.set_page_size(wire::kHistoryPage);
  for (;;) {
    const auto page = wire::call(state_->link, state_->link.runs(), &Native::GetHistory, request);
    if (!page.ok()) return page.error();
    for (const muster::v1::StepAttempt& step : page->steps()) steps.push_back(info_of(step));
    if (page->next_page_token().empty()) return steps;
    request.set_page_token(page->next_page_token());
  }
}

Result<Nothing> Handle::cancel() const {
  const auto answer = wire::call(state_->link, state_->link.workflows(), &V1::CancelWorkflow,
                                 about<kagzi::v1::CancelWorkflowRequest>(*state_, run_id_));
  if (!answer.ok()) return answer.error();
  return Nothing{};
}

Result<Nothing> Handle::terminate(std::string_view reason) const {
  auto request = about<kagzi::v1::TerminateWorkflowRequest>(*state_, run_id_);
  request.set_reason(std::string(reason));
  const auto answer = wire::call(state_->link, state_->link.workflows(), &V1::TerminateWorkflow, request);
  if (!answer.ok()) return answer.error();
  return Nothing{};
}

Result<bool> Handle::send_signal(std::string_view name, const std::string& text) const {
  auto request = about<muster::v1::SignalRequest>(*state_, run_id_);
  request.set_signal(std::string(name));
  request.mutable_data()->set_data(text);
  request.mutable_data()->set_is_json(true);
  const auto answer = wire::call(state_->link, state_->link.runs(), &Native::Signal, request);
  if (!answer.ok()) return answer.error();
  return answer->taken();
}

}  // namespace muster::sdk::workflow
