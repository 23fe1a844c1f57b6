// Who may act on a run whose requests name no lease. Workers A and B have connections of their own.
#include "base/ask_testing.h"
#include "command/single.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/v1/v1_testing.h"

namespace muster::rpc::v1 {
namespace {

using namespace std::chrono_literals;

constexpr const char* kOfA = "ipv4:10.0.0.1:1";
constexpr const char* kOfB = "ipv4:10.0.0.2:1";
constexpr const char* kOfNobody = "ipv4:10.0.0.3:1";
constexpr const char* kAgainOfA = "ipv4:10.0.0.1:2";

class V1Leases : public V1Test {
 protected:
  void by(const char* one) { connection = one; }
  std::string register_on(const char* one, std::int32_t pid) {
    by(one);
    return register_worker({"T"}, pid);
  }
  // A run that A holds.
  void given_held_by_a() {
    a = register_on(kOfA, 1);
    id = start_run("one");
    claim(a, id);
  }
  // A goes, B gets the run and begins its step.
  void hand_over_to_b() {
    by(kOfA);
    begin_step(id, "step");
    pb::DeregisterRequest leave;
    leave.set_worker_id(a);
    ASSERT_EQ(call<pb::DeregisterResponse>("Worker", "Deregister", leave).code, WireCode::ok);
    b = register_on(kOfB, 2);
    claim(b, id);
    ASSERT_TRUE(begin_step(id, "step")->should_execute());
  }
  pb::Step last_step() {
    pb::ListStepsRequest request;
    request.set_run_id(id);
    const auto listed = call<pb::ListStepsResponse>("Admin", "ListSteps", request);
    return listed->steps(listed->steps_size() - 1);
  }
  pb::WorkerStatus status_of_a() {
    pb::GetWorkerRequest request;
    request.set_worker_id(a);
    return call<pb::GetWorkerResponse>("Admin", "GetWorker", request)->worker().status();
  }
  JobId job_id() { return JobId{*parse_uuid(id)}; }
  // How often a job was read.
  std::uint64_t reads() {
    return metrics->counter("muster_commands_total", "", {{"command", "job.get"}, {"outcome", "ok"}}).value();
  }
  bool is_running() { return run(id).status() == pb::WORKFLOW_STATUS_RUNNING; }

  std::string a;
  std::string b;
  std::string id;
};

TEST_F(V1Leases, ALateStepOfAWorkerThatLeftDoesNotEndItsSuccessorsAttempt) {
  given_held_by_a();
  hand_over_to_b();
  by(kOfA);
  const auto late = complete_step(id, "step", "of a");
  EXPECT_EQ(late.code, WireCode::failed_precondition);
  EXPECT_EQ(detail_of(late.details).code(), pb::ERROR_CODE_PRECONDITION_FAILED);
  EXPECT_TRUE(detail_of(late.details).non_retryable());
  EXPECT_EQ(last_step().status(), pb::STEP_STATUS_RUNNING);
  by(kOfB);
  EXPECT_EQ(complete_step(id, "step", "of b")->step().output().data(), "of b");
  EXPECT_EQ(complete(id).code, WireCode::ok);
}

TEST_F(V1Leases, NothingAFormerHolderSaysMovesTheRun) {
  given_held_by_a();
  hand_over_to_b();
  const std::int32_t attempt = last_step().attempt_number();
  by(kOfA);
  EXPECT_EQ(begin_step(id, "step").code, WireCode::failed_precondition);
  EXPECT_EQ(fail_step(id, "step").code, WireCode::failed_precondition);
  EXPECT_EQ(sleep(id, "nap", Duration(5'000)).code, WireCode::failed_precondition);
  EXPECT_EQ(complete(id).code, WireCode::failed_precondition);
  EXPECT_EQ(fail(id).code, WireCode::failed_precondition);
  EXPECT_TRUE(is_running());
  EXPECT_EQ(run(id).worker_id(), b);
  EXPECT_EQ(last_step().status(), pb::STEP_STATUS_RUNNING);
  EXPECT_EQ(last_step().attempt_number(), attempt);
}

TEST_F(V1Leases, TheSameHoldsWhenThisNodeHasForgottenWhoTookTheRun) {
  given_held_by_a();
  hand_over_to_b();
  core->fences.forget(job_id());
  by(kOfA);
  EXPECT_EQ(complete_step(id, "step").code, WireCode::failed_precondition);
  EXPECT_EQ(complete(id).code, WireCode::failed_precondition);
  EXPECT_TRUE(is_running());
  by(kOfB);
  EXPECT_EQ(complete(id).code, WireCode::ok);
}

TEST_F(V1Leases, AStrangersConnectionCannotSettleAHeldRun) {
  given_held_by_a();
  by(kOfNobody);
  EXPECT_EQ(begin_step(id, "step").code, WireCode::failed_precondition);
  EXPECT_EQ(complete(id).code, WireCode::failed_precondition);
  EXPECT_EQ(fail(id).code, WireCode::failed_precondition);
  EXPECT_TRUE(is_running());
  by(kOfA);
  EXPECT_EQ(complete(id).code, WireCode::ok);
}

TEST_F(V1Leases, AHolderThatComesBackOnANewConnectionIsKnownByItsHeartbeat) {
  given_held_by_a();
  by(kAgainOfA);
  EXPECT_EQ(complete(id).code, WireCode::failed_precondition) << "nobody said whose connection it is";
  ASSERT_EQ(beat(a).code, WireCode::ok);
  EXPECT_EQ(complete(id).code, WireCode::ok);
}

TEST_F(V1Leases, AHolderThatComesBackOnANewConnectionIsKnownByItsPoll) {
  given_held_by_a();
  by(kAgainOfA);
  const auto open = begin_poll(a);
  EXPECT_EQ(complete_step(id, "step").code, WireCode::not_found) << "which is what the holder is told of a step that never began";
  EXPECT_EQ(complete(id).code, WireCode::ok);
  open->cancel();
}

TEST_F(V1Leases, AHolderWhoseConnectionBrokeNeedNotIntroduceItselfAgain) {
  given_held_by_a();
  begin_poll(a)->cancel();
  by(kAgainOfA);
  EXPECT_EQ(complete(id).code, WireCode::ok);
}

TEST_F(V1Leases, ACancelledPollBesideAnotherOneIsNoBrokenConnection) {
  given_held_by_a();
  const auto open = begin_poll(a);
  begin_poll(a)->cancel();
  by(kOfNobody);
  EXPECT_EQ(complete(id).code, WireCode::failed_precondition);
  open->cancel();
}

TEST_F(V1Leases, WhatThisNodeHandedOutIsNotReadForACallOfItsHolder) {
  given_held_by_a();
  const std::uint64_t before = reads();
  EXPECT_TRUE(begin_step(id, "step")->should_execute());
  EXPECT_EQ(fail_step(id, "step", true).code, WireCode::ok);
  EXPECT_EQ(complete(id).code, WireCode::ok);
  EXPECT_EQ(reads(), before);
}

TEST_F(V1Leases, AProcessBehindOneThatDiedBeginsItsStepAnew) {
  given_held_by_a();
  begin_step(id, "step");
  EXPECT_TRUE(begin_step(id, "step")->should_execute());
  EXPECT_EQ(last_step().attempt_number(), 2);
}

TEST_F(V1Leases, ALeaseThatIsOverInAllButMemoryIsLookedAt) {
  given_held_by_a();
  const std::uint64_t before = reads();
  core->fences.put(job_id(), {Fence{1}, WorkerId(a), kOfA});
  EXPECT_TRUE(begin_step(id, "step")->should_execute());
  EXPECT_GT(reads(), before) << "the store refused what was remembered";
  EXPECT_EQ(complete_step(id, "step").code, WireCode::ok);
  core->fences.put(job_id(), {Fence{1}, WorkerId(a), kOfA});
  EXPECT_EQ(complete(id).code, WireCode::ok);
}

TEST_F(V1Leases, AfterARestartTheHolderGoesOnAndOthersDoNot) {
  given_held_by_a();
  b = register_on(kOfB, 2);
  restart();
  by(kOfB);
  ASSERT_EQ(beat(b).code, WireCode::ok);
  EXPECT_EQ(complete(id).code, WireCode::failed_precondition) << "another worker, whatever is known of the holder";
  by(kOfA);
  EXPECT_TRUE(begin_step(id, "step")->should_execute()) << "before its first heartbeat to this process";
  ASSERT_EQ(beat(a).code, WireCode::ok);
  by(kOfNobody);
  EXPECT_EQ(complete(id).code, WireCode::failed_precondition) << "the holder is here";
  by(kOfA);
  EXPECT_EQ(complete(id).code, WireCode::ok);
}

TEST_F(V1Leases, TwoWorkersOfOneProcessAreToldApartByTheConnectionThatTookTheRun) {
  a = register_on(kOfA, 1);
  ASSERT_EQ(register_on(kOfB, 1), a) << "one process and queue is one worker";
  id = start_run("one");
  by(kOfB);
  claim(a, id);
  by(kOfA);
  ASSERT_EQ(beat(a).code, WireCode::ok);
  EXPECT_EQ(complete(id).code, WireCode::failed_precondition);
  by(kOfB);
  EXPECT_EQ(complete(id).code, WireCode::ok);
}

TEST_F(V1Leases, AFenceDecidesWhateverTheConnection) {
  a = register_on(kOfA, 1);
  id = start_run("one");
  const std::string fence = poll(a).call->trailing("muster-fence");
  pb::CompleteWorkflowRequest request;
  request.set_run_id(id);
  by(kOfA);
  EXPECT_EQ(call<pb::CompleteWorkflowResponse>("Worker", "CompleteWorkflow", request, {{"muster-fence", "1"}}).code,
            std::stoull(fence) == 1 ? WireCode::ok : WireCode::failed_precondition);
  by(kOfNobody);
  EXPECT_EQ(call<pb::CompleteWorkflowResponse>("Worker", "CompleteWorkflow", request, {{"muster-fence", fence}}).code,
            WireCode::ok);
}

TEST_F(V1Leases, AClientThatStopsBeatingAndDrainsKeepsItsRun) {
  given_held_by_a();
  ASSERT_EQ(beat(a).code, WireCode::ok);
  advance(options.compat_flags.dead_after + 1s);
  ASSERT_TRUE(eventually([&] { return status_of_a() == pb::WORKER_STATUS_OFFLINE; }));
  advance(options.compat_flags.run_lease + options.compat_flags.run_lease_per_beat - options.compat_flags.dead_after - 2s);
  EXPECT_TRUE(is_running());
  EXPECT_EQ(run(id).worker_id(), a);
  EXPECT_TRUE(begin_step(id, "step")->should_execute());
  EXPECT_EQ(complete_step(id, "step").code, WireCode::ok);
  EXPECT_EQ(complete(id).code, WireCode::ok);
}

TEST_F(V1Leases, WhenTheLeaseOfASilentWorkerIsOverAnotherOneGetsTheRun) {
  given_held_by_a();
  advance(options.compat_flags.run_lease);
  b = register_on(kOfB, 2);
  claim(b, id);
}

TEST_F(V1Leases, AClientThatBeatsToTheEndLosesItsRunWithItsSilence) {
  a = register_on(kOfA, 1);
  id = start_run("one");
  pb::PollTaskRequest wanted;
  wanted.set_namespace_("default");
  wanted.set_worker_id(a);
  wanted.set_task_queue("q");
  wanted.add_workflow_types("T");
  ASSERT_EQ(call<pb::PollTaskResponse>("Worker", "PollTask", wanted, {{"muster-slots", "4"}})->run_id(), id);
  advance(options.compat_flags.dead_after);
  b = register_on(kOfB, 2);
  claim(b, id);
}

TEST_F(V1Leases, AJobOfAnotherWireIsNoRun) {
  JobSpec spec;
  spec.ns = NamespaceName(kDefaultNamespace);
  spec.queue = QueueName("plain");
  spec.type = JobType("plain");
  const auto made =
      muster::ask<std::vector<store::Enqueued>>([&](auto reply) { engine->jobs().enqueue({spec}, std::move(reply)); });
  id = made->front().id.text();
  WorkerSpec worker;
  worker.ns = spec.ns;
  worker.id = WorkerId("of-another-wire");
  worker.queues = {spec.queue};
  ASSERT_TRUE(muster::ask<store::Each<store::Registered>>([&](auto reply) {
                engine->workers().register_workers({worker}, std::move(reply));
              }).ok());
  store::ClaimRequest wanted;
  wanted.ns = spec.ns;
  wanted.worker = worker.id;
  wanted.queues = {spec.queue};
  const auto taken =
      muster::ask<store::ClaimReply>([&](auto reply) { engine->claims().claim(wanted, Duration(0), std::move(reply)); });
  ASSERT_TRUE(taken.ok());
  ASSERT_EQ(taken->grants.size(), 1U);
  const auto state = [&] {
    return muster::ask<Job>([&](auto reply) { engine->jobs().get({job_id()}, command::unwrap<Job>(std::move(reply))); })->state;
  };
  a = register_on(kOfA, 1);
  EXPECT_EQ(begin_step(id, "step").code, WireCode::not_found);
  EXPECT_EQ(complete_step(id, "step").code, WireCode::not_found);
  EXPECT_EQ(fail_step(id, "step").code, WireCode::not_found);
  EXPECT_EQ(complete(id).code, WireCode::not_found);
  EXPECT_EQ(fail(id).code, WireCode::not_found);
  EXPECT_EQ(state(), JobState::running);
}

}  // namespace
}  // namespace muster::rpc::v1
