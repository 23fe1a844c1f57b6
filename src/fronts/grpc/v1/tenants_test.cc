// Tokens that are bound to namespaces, and workers' tokens, on all three dialects: what they reach and what they do not.
#include "base/ask_testing.h"
#include "fronts/grpc/v1/v1_testing.h"
#include "kagzi_k0.pb.h"
#include "muster_v1.pb.h"

namespace muster::rpc::v1 {
namespace {

namespace old = ::kagzi;
namespace own = ::muster::v1;

class Tenants : public V1Test {
 protected:
  // What follows is asked by a token of namespace a.
  void be_tenant(command::Role role) {
    caller.role = role;
    caller.namespaces = std::vector{NamespaceName("a")};
  }
  void be_operator() {
    caller.role = command::Role::operator_role;
    caller.namespaces.reset();
  }
  template <class Request>
  WireCode ask(std::string_view service, std::string_view method, const Request& request) {
    const auto call = std::make_shared<FakeCall>(*core, request.SerializeAsString());
    call->caller = caller;
    find_method(service, method)->run(call);
    EXPECT_TRUE(call->wait());
    return call->error() ? call->error()->code : WireCode::ok;
  }
  template <class Request>
  WireCode ask_v1(const std::string& service, std::string_view method, const Request& request) {
    return ask("kagzi.v1." + service + "Service", method, request);
  }
  template <class Request>
  WireCode ask_k0(std::string_view method, const Request& request) {
    return ask("kagzi.WorkflowService", method, request);
  }
  WireCode start_in(const std::string& ns) {
    pb::StartWorkflowRequest request = start_request("x");
    request.set_namespace_(ns);
    return ask_v1("Workflow", "StartWorkflow", request);
  }
  pb::RegisterRequest registration(const std::string& ns) {
    pb::RegisterRequest request;
    request.set_namespace_(ns);
    request.set_task_queue("q");
    request.add_workflow_types("T");
    return request;
  }
  template <class Request>
  static Request about_run(const std::string& run) {
    Request request;
    request.set_run_id(run);
    return request;
  }
  bool namespace_exists(const std::string& name) {
    const auto all =
        muster::ask<std::vector<NamespaceInfo>>([&](auto reply) { engine->queues().list_namespaces(std::move(reply)); });
    return std::any_of(all->begin(), all->end(), [&](const NamespaceInfo& each) { return each.name.text() == name; });
  }
};

constexpr WireCode kDenied = WireCode::permission_denied;

TEST_F(Tenants, AnOperatorOfOneNamespaceOperatesThere) {
  be_tenant(command::Role::operator_role);
  EXPECT_EQ(start_in("a"), WireCode::ok);
  EXPECT_EQ(start_in("default"), kDenied);
  EXPECT_EQ(start_in("b"), kDenied);
  EXPECT_FALSE(namespace_exists("b"));
  pb::CreateNamespaceRequest create;
  create.set_namespace_("b");
  create.set_display_name("B");
  EXPECT_EQ(ask_v1("Namespace", "CreateNamespace", create), kDenied);
  pb::ListWorkflowsRequest list;
  list.set_namespace_("default");
  EXPECT_EQ(ask_v1("Workflow", "ListWorkflows", list), kDenied);
  EXPECT_EQ(ask_v1("Admin", "GetStats", pb::GetStatsRequest()), kDenied) << "that is the default one";
  EXPECT_EQ(ask_k0("ListWorkflowRuns", old::ListWorkflowRunsRequest()), kDenied);
  old::StartWorkflowRequest start;
  start.set_task_queue("q");
  start.set_workflow_type("T");
  EXPECT_EQ(ask_k0("StartWorkflow", start), kDenied);
  start.set_namespace_id("a");
  EXPECT_EQ(ask_k0("StartWorkflow", start), WireCode::ok);
  EXPECT_EQ(ask("muster.v1.ScheduleService", "ListSchedules", own::ListSchedulesRequest()), kDenied);
  const auto listed = call<pb::ListNamespacesResponse>("Namespace", "ListNamespaces", pb::ListNamespacesRequest());
  ASSERT_EQ(listed->namespaces_size(), 1);
  EXPECT_EQ(listed->namespaces(0).namespace_(), "a");
}

TEST_F(Tenants, RunsAndWorkersOfOthersAreNotReachedByTheirIds) {
  const std::string worker = register_worker();
  const std::string run = start_run("theirs");
  claim(worker, run);
  ASSERT_EQ(begin_step(run, "s").code, WireCode::ok);
  be_tenant(command::Role::operator_role);
  EXPECT_EQ(complete(run).code, kDenied);
  EXPECT_EQ(fail(run).code, kDenied);
  EXPECT_EQ(complete_step(run, "s").code, kDenied);
  EXPECT_EQ(beat(worker).code, kDenied);
  pb::GetWorkerRequest get;
  get.set_worker_id(worker);
  EXPECT_EQ(ask_v1("Admin", "GetWorker", get), kDenied);
  pb::DrainWorkerRequest drain;
  drain.set_worker_id(worker);
  EXPECT_EQ(ask_v1("Admin", "DrainWorker", drain), kDenied);
  pb::DeregisterRequest deregister;
  deregister.set_worker_id(worker);
  EXPECT_EQ(ask_v1("Worker", "Deregister", deregister), kDenied);
  EXPECT_EQ(ask_k0("CompleteWorkflow",
                   [&] {
                     auto request = about_run<old::CompleteWorkflowRequest>(run);
                     request.set_output("1");
                     return request;
                   }()),
            kDenied);
  EXPECT_EQ(ask_k0("GetWorkflowRun", about_run<old::GetWorkflowRunRequest>(run)), kDenied);
  auto record = about_run<old::RecordHeartbeatRequest>(run);
  record.set_worker_id(worker);
  EXPECT_EQ(ask_k0("RecordHeartbeat", record), kDenied);
  old::GetWorkerRequest get_old;
  get_old.set_worker_id(worker);
  EXPECT_EQ(ask_k0("GetWorker", get_old), kDenied);
  EXPECT_EQ(ask("muster.v1.RunService", "GetResult", about_run<own::GetResultRequest>(run)), kDenied);
  EXPECT_EQ(ask("muster.v1.RunService", "GetHistory", about_run<own::GetHistoryRequest>(run)), kDenied);
  auto signal = about_run<own::SignalRequest>(run);
  signal.set_signal("go");
  EXPECT_EQ(ask("muster.v1.RunService", "Signal", signal), kDenied);
  own::SignalRequest by_name;
  by_name.set_external_id("theirs");
  by_name.set_signal("go");
  EXPECT_EQ(ask("muster.v1.RunService", "Signal", by_name), kDenied);
  be_operator();
  EXPECT_EQ(complete(run).code, WireCode::ok) << "nothing was changed";
}

TEST_F(Tenants, AWorkersTokenMakesNoNamespace) {
  caller.role = command::Role::worker;
  EXPECT_EQ(ask_v1("Worker", "Register", registration("fresh")), WireCode::not_found);
  old::RegisterWorkerRequest request;
  request.set_namespace_id("fresh");
  request.set_task_queue("q");
  request.add_workflow_types("T");
  EXPECT_EQ(ask_k0("RegisterWorker", request), WireCode::not_found);
  EXPECT_FALSE(namespace_exists("fresh"));
  be_operator();
  EXPECT_EQ(ask_v1("Worker", "Register", registration("fresh")), WireCode::ok) << "an operator makes it by using it";
  caller.role = command::Role::worker;
  EXPECT_EQ(ask_v1("Worker", "Register", registration("fresh")), WireCode::ok);
  caller.namespaces = std::vector{NamespaceName("a")};
  EXPECT_EQ(ask_v1("Worker", "Register", registration("fresh")), kDenied);
}

TEST_F(Tenants, AWorkersTokenChangesNoLimitsOfQueuesByRegistering) {
  const auto running_max = [&] {
    const auto queues = muster::ask<std::vector<QueueStats>>(
        [&](auto reply) { engine->queues().list(NamespaceName("default"), std::move(reply)); });
    std::uint32_t most = 0;
    for (const QueueStats& queue : *queues)
      if (queue.queue.text() == "q") most = queue.settings.running_max.value_or(0);
    return most;
  };
  pb::RegisterRequest request = registration("default");
  request.set_queue_concurrency_limit(2);
  EXPECT_EQ(ask_v1("Worker", "Register", request), WireCode::ok);
  EXPECT_EQ(running_max(), 2U) << "an operator's does";
  request.set_queue_concurrency_limit(1);
  caller.role = command::Role::worker;
  EXPECT_EQ(ask_v1("Worker", "Register", request), WireCode::ok) << "its client would not start otherwise";
  EXPECT_EQ(running_max(), 2U);
}

}  // namespace
}  // namespace muster::rpc::v1
