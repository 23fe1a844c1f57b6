// AgentRunService: runs of agents, by the commands that HTTP has. WatchRun is agent_watch.cc.
#include <utility>

#include "command/agent_runs.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/runs.h"
#include "fronts/grpc/dialect/values.h"
#include "fronts/grpc/native/agent_shapes.h"
#include "fronts/grpc/native/native.h"
#include "fronts/grpc/native/shapes.h"

namespace muster::rpc::native {
namespace {

// As many as one message has room for.
void put_executions(const std::vector<ToolExecution>& executions, pb::GetAgentRunResponse& out) {
  std::size_t bytes = out.run().ByteSizeLong();
  for (std::size_t i = 0; i < executions.size(); ++i) {
    bytes += executions[i].input.size() + (executions[i].output ? executions[i].output->size() : 0);
    if (bytes > kListBytesMax && i > 0) {
      out.set_tool_executions_left_out(static_cast<std::int32_t>(executions.size() - i));
      return;
    }
    put_execution(executions[i], out.add_tool_executions());
  }
}

template <class Request>
void decide(const CallRef& call) {
  const auto request = Native::parse<Request>(call);
  if (!request) return;
  auto decision = decision_of(*request);
  if (!decision.ok()) return Native::refuse(call, decision.status());
  ask(call, *std::move(decision), [call](Result<command::AgentRunDecideReply> decided) {
    if (!decided.ok()) return Native::refuse(call, decided.status());
    pb::DecideAgentRunResponse response;
    put_agent_run(decided->run, RunDetail::listed, response.mutable_run());
    for (const ToolExecution& one : decided->executions) put_execution(one, response.add_tool_executions());
    Native::answer(call, response);
  });
}

}  // namespace

void start_agent_run(CallRef call) {
  const auto request = Native::parse<pb::StartAgentRunRequest>(call);
  if (!request) return;
  auto start = start_of(*call, *request);
  if (!start.ok()) return Native::refuse(call, start.status());
  ask(call, *std::move(start), [call](Result<store::AgentRunStarted> started) {
    if (!started.ok()) return Native::refuse(call, started.status());
    pb::StartAgentRunResponse response;
    put_agent_run(started->run, RunDetail::listed, response.mutable_run());
    response.set_existed(started->existed);
    Native::answer(call, response);
  });
}

void get_agent_run(CallRef call) {
  const auto request = Native::parse<pb::GetAgentRunRequest>(call);
  if (!request) return;
  const auto run = require_run("run_id", request->run_id());
  if (!run.ok()) return Native::refuse(call, run.status());
  const auto wait = wait_of(*call, request->wait());
  if (!wait.ok()) return Native::refuse(call, wait.status());
  ask(call, command::AgentRunGetRequest{.ns = namespace_of(request->namespace_()), .run = *run, .wait = *wait},
      [call](Result<command::AgentRunGetReply> found) {
        if (!found.ok()) return Native::refuse(call, found.status());
        pb::GetAgentRunResponse response;
        put_agent_run(found->run, RunDetail::all, response.mutable_run());
        for (const Iteration& one : found->iterations) put_iteration(one, response.add_iterations());
        put_executions(found->executions, response);
        Native::answer(call, response);
      });
}

void list_agent_runs(CallRef call) {
  const auto request = Native::parse<pb::ListAgentRunsRequest>(call);
  if (!request) return;
  auto listing = listing_of(*request);
  if (!listing.ok()) return Native::refuse(call, listing.status());
  ask(call, *std::move(listing), [call](Result<store::AgentRunPage> page) {
    if (!page.ok()) return Native::refuse(call, page.status());
    pb::ListAgentRunsResponse response;
    for (const AgentRun& run : page->runs) put_agent_run(run, RunDetail::listed, response.add_runs());
    response.set_next_page_token(page_token(page->next));
    Native::answer(call, response);
  });
}

void cancel_agent_run(CallRef call) {
  const auto request = Native::parse<pb::CancelAgentRunRequest>(call);
  if (!request) return;
  const auto run = require_run("run_id", request->run_id());
  if (!run.ok()) return Native::refuse(call, run.status());
  ask(call, command::AgentRunCancelRequest{.ns = namespace_of(request->namespace_()), .run = *run, .reason = request->reason()},
      [call](Result<AgentRun> cancelled) {
        if (!cancelled.ok()) return Native::refuse(call, cancelled.status());
        pb::AgentRun response;
        put_agent_run(*cancelled, RunDetail::listed, &response);
        Native::answer(call, response);
      });
}

void approve_agent_run(CallRef call) { decide<pb::ApproveAgentRunRequest>(call); }
void deny_agent_run(CallRef call) { decide<pb::DenyAgentRunRequest>(call); }

}  // namespace muster::rpc::native
