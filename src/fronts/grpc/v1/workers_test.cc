#include <optional>

#include "base/ask_testing.h"
#include "fronts/grpc/dialect/workers.h"
#include "fronts/grpc/v1/v1_testing.h"

namespace muster::rpc::v1 {
namespace {

using namespace std::chrono_literals;

class V1Workers : public V1Test {
 protected:
  Answer<pb::DeregisterResponse> deregister(const std::string& id, bool drain = false) {
    pb::DeregisterRequest request;
    request.set_worker_id(id);
    request.set_drain(drain);
    return call<pb::DeregisterResponse>("Worker", "Deregister", request);
  }
  Answer<pb::GetWorkerResponse> get(const std::string& id) {
    pb::GetWorkerRequest request;
    request.set_worker_id(id);
    return call<pb::GetWorkerResponse>("Admin", "GetWorker", request);
  }
};

TEST_F(V1Workers, V06_ANamespaceComesIntoBeingByRegistration) {
  const std::string id = register_worker({"T"}, 1, "never seen");
  EXPECT_EQ(get(id)->worker().status(), pb::WORKER_STATUS_ONLINE);
  pb::GetNamespaceRequest request;
  request.set_namespace_("never seen");
  EXPECT_EQ(call<pb::GetNamespaceResponse>("Namespace", "GetNamespace", request).code, WireCode::ok);
}

TEST_F(V1Workers, V07_RegistrationIsCheckedAndRepeatable) {
  pb::RegisterRequest request;
  request.set_namespace_("default");
  EXPECT_EQ(call<pb::RegisterResponse>("Worker", "Register", request).code, WireCode::invalid_argument);
  request.add_workflow_types("T");
  request.clear_namespace_();
  EXPECT_EQ(call<pb::RegisterResponse>("Worker", "Register", request).code, WireCode::invalid_argument);
  const std::string id = register_worker();
  EXPECT_EQ(register_worker(), id);
}

TEST_F(V1Workers, AWorkerTakesAsManyRunsAtATimeAsItSaid) {
  pb::RegisterRequest request;
  request.set_namespace_("default");
  request.set_task_queue("q");
  request.add_workflow_types("T");
  const auto slots = [&](const std::string& said) {
    const auto answer = call<pb::RegisterResponse>("Worker", "Register", request, {{"muster-slots", said}});
    const auto workers = muster::ask<store::Each<Worker>>(
        [&](auto reply) { engine->workers().get(NamespaceName("default"), {WorkerId(answer->worker_id())}, std::move(reply)); });
    return workers.ok() && workers->front().ok() ? std::optional(workers->front()->spec.slots) : std::nullopt;
  };
  EXPECT_EQ(slots("250"), 250u);
  EXPECT_EQ(slots("1"), 1u);
  EXPECT_EQ(slots("0"), kV1Slots);
  EXPECT_EQ(slots("many"), kV1Slots);
}

TEST_F(V1Workers, V08_PollsOfThoseWhoMayNot) {
  EXPECT_EQ(poll(kNobody).code, WireCode::failed_precondition);
  EXPECT_EQ(poll("x").code, WireCode::invalid_argument);
  const std::string id = register_worker();
  EXPECT_EQ(poll(id, {}).code, WireCode::invalid_argument);
  EXPECT_EQ(poll(id, {"Other"}).code, WireCode::failed_precondition);
  pb::PollTaskRequest request;
  request.set_worker_id(id);
  request.set_task_queue("q");
  request.add_workflow_types("T");
  EXPECT_EQ(call<pb::PollTaskResponse>("Worker", "PollTask", request).code, WireCode::invalid_argument);
  ASSERT_EQ(deregister(id).code, WireCode::ok);
  EXPECT_EQ(poll(id).code, WireCode::failed_precondition);
}

TEST_F(V1Workers, V09_EachWorkerGetsItsType) {
  const std::string a = register_worker({"A"}, 1);
  const std::string b = register_worker({"B"}, 2);
  const std::string run_b = start_run("1", "B");
  const std::string run_a = start_run("2", "A");
  EXPECT_EQ(poll(a, {"A"})->run_id(), run_a);
  EXPECT_EQ(poll(b, {"B"})->run_id(), run_b);
}

TEST_F(V1Workers, V10_APollWithNothingToDoEndsEmpty) {
  options.compat_flags.poll_wait = Duration(5'000);
  restart();
  const auto open = begin_poll(register_worker());
  EXPECT_FALSE(open->answered());
  advance(5s);
  const auto ended = end<pb::PollTaskResponse>(open);
  EXPECT_EQ(ended.code, WireCode::ok);
  EXPECT_EQ(ended->run_id(), "");
  EXPECT_TRUE(ended->has_input());
}

TEST_F(V1Workers, RunsThatWaitInAQueueOfTheirOwnNameAreTakenToo) {
  const std::string id = register_worker({"A", "B"});
  pb::StartWorkflowRequest request = start_request("e", "B");
  request.set_task_queue("B");
  const std::string started = call<pb::StartWorkflowResponse>("Workflow", "StartWorkflow", request)->run_id();
  EXPECT_EQ(poll(id, {"A", "B"})->run_id(), started);
}

TEST_F(V1Workers, V21_V22_HeartbeatsOfUnknownWorkersAndLateOnes) {
  EXPECT_EQ(beat(kNobody).code, WireCode::not_found);
  EXPECT_EQ(beat("x").code, WireCode::invalid_argument);
  const std::string id = register_worker();
  EXPECT_TRUE(beat(id)->accepted());
  ASSERT_EQ(deregister(id).code, WireCode::ok);
  EXPECT_EQ(beat(id).code, WireCode::not_found);
  EXPECT_EQ(deregister(id).code, WireCode::not_found);
  EXPECT_EQ(deregister(kNobody).code, WireCode::not_found);
}

TEST_F(V1Workers, V23_ADrainedWorkerIsToldAtItsNextHeartbeat) {
  const std::string id = register_worker();
  EXPECT_FALSE(beat(id)->should_drain());
  pb::DrainWorkerRequest request;
  request.set_worker_id(id);
  EXPECT_TRUE(call<pb::DrainWorkerResponse>("Admin", "DrainWorker", request)->success());
  EXPECT_TRUE(beat(id)->should_drain());
  EXPECT_EQ(poll(id).code, WireCode::failed_precondition);
  EXPECT_EQ(get(id)->worker().status(), pb::WORKER_STATUS_DRAINING);
  request.set_worker_id(kNobody);
  EXPECT_EQ(call<pb::DrainWorkerResponse>("Admin", "DrainWorker", request).code, WireCode::not_found);
}

TEST_F(V1Workers, DeregistrationSaysWhatItWasAskedFor) {
  const std::string id = register_worker();
  EXPECT_TRUE(deregister(id, true)->drained());
  EXPECT_FALSE(deregister(id, false)->drained());
}

TEST_F(V1Workers, WorkersAreListedWithWhatTheySaid) {
  register_worker({"A", "B"}, 1);
  const std::string gone = register_worker({"A"}, 2);
  deregister(gone);
  pb::ListWorkersRequest request;
  EXPECT_EQ(call<pb::ListWorkersResponse>("Admin", "ListWorkers", request).code, WireCode::invalid_argument);
  request.set_namespace_("default");
  const auto all = call<pb::ListWorkersResponse>("Admin", "ListWorkers", request);
  EXPECT_EQ(all->page().total_count(), 2);
  request.set_status_filter(pb::WORKER_STATUS_ONLINE);
  const auto online = call<pb::ListWorkersResponse>("Admin", "ListWorkers", request);
  ASSERT_EQ(online->workers_size(), 1);
  EXPECT_EQ(online->workers(0).workflow_types_size(), 2);
  EXPECT_EQ(online->workers(0).hostname(), "host");
  EXPECT_EQ(online->workers(0).pid(), 1);
  request.set_status_filter(static_cast<pb::WorkerStatus>(77));
  EXPECT_EQ(call<pb::ListWorkersResponse>("Admin", "ListWorkers", request).code, WireCode::invalid_argument);
}

TEST_F(V1Workers, ADeadWorkersRunSaysThatItsAttemptsAreExhausted) {
  pb::StartWorkflowRequest request = start_request("e");
  request.mutable_retry_policy()->set_maximum_attempts(1);
  const std::string id = call<pb::StartWorkflowResponse>("Workflow", "StartWorkflow", request)->run_id();
  claim(register_worker(), id);
  advance(options.compat_flags.run_lease);
  ASSERT_TRUE(eventually([&] { return run(id).status() == pb::WORKFLOW_STATUS_FAILED; }));
  EXPECT_NE(run(id).error().message().find("exhausted"), std::string::npos);
}

}  // namespace
}  // namespace muster::rpc::v1
