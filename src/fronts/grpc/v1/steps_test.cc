#include "fronts/grpc/v1/v1_testing.h"

namespace muster::rpc::v1 {
namespace {

using namespace std::chrono_literals;

class V1Steps : public V1Test {
 protected:
  void SetUp() override {
    V1Test::SetUp();
    worker_id = register_worker();
    id = start_run("e");
    claim(worker_id, id);
  }
  pb::ListStepsResponse steps(const std::string& name = {}) {
    pb::ListStepsRequest request;
    request.set_run_id(id);
    if (!name.empty()) request.set_step_name(name);
    const auto listed = call<pb::ListStepsResponse>("Admin", "ListSteps", request);
    EXPECT_EQ(listed.code, WireCode::ok) << listed.text;
    return listed.message;
  }

  std::string worker_id;
  std::string id;
};

TEST_F(V1Steps, V11_StepsOfUnknownAndFinishedRunsAreRefused) {
  EXPECT_EQ(begin_step(kNobody, "a").code, WireCode::not_found);
  EXPECT_EQ(begin_step("x", "a").code, WireCode::invalid_argument);
  ASSERT_EQ(complete(id).code, WireCode::ok);
  EXPECT_EQ(begin_step(id, "a").code, WireCode::failed_precondition);
}

TEST_F(V1Steps, AStepHasAKindANameAndAnInputThatFits) {
  EXPECT_EQ(begin_step(id, "a", pb::STEP_KIND_UNSPECIFIED).code, WireCode::invalid_argument);
  EXPECT_EQ(begin_step(id, "a", static_cast<pb::StepKind>(9)).code, WireCode::invalid_argument);
  EXPECT_EQ(begin_step(id, "").code, WireCode::invalid_argument);
  pb::BeginStepRequest request;
  request.set_run_id(id);
  request.set_step_name("a");
  request.set_kind(pb::STEP_KIND_FUNCTION);
  request.mutable_input()->set_data(std::string(3 * 1024 * 1024, 'x'));
  EXPECT_EQ(call<pb::BeginStepResponse>("Worker", "BeginStep", request).code, WireCode::invalid_argument);
  EXPECT_EQ(steps().steps_size(), 0);
}

TEST_F(V1Steps, V12_CompletedStepIsNotExecutedAgain) {
  const auto begun = begin_step(id, "a");
  EXPECT_TRUE(begun->should_execute());
  EXPECT_EQ(begun->step_id(), "a");
  const auto completed = complete_step(id, "a", "\x01\x02");
  EXPECT_EQ(completed->step().name(), "a");
  EXPECT_EQ(completed->step().step_id(), "a");
  EXPECT_EQ(completed->step().namespace_(), "default");
  EXPECT_EQ(completed->step().status(), pb::STEP_STATUS_COMPLETED);
  const auto again = begin_step(id, "a");
  EXPECT_FALSE(again->should_execute());
  EXPECT_EQ(again->cached_output().data(), "\x01\x02");
  EXPECT_EQ(again->step_id(), "a");
}

TEST_F(V1Steps, V13_V14_AStepMustHaveBegunToBeCompletedAndMayBeCompletedTwice) {
  EXPECT_EQ(complete_step(id, "a").code, WireCode::not_found);
  begin_step(id, "a");
  ASSERT_EQ(complete_step(id, "a", "1").code, WireCode::ok);
  const auto again = complete_step(id, "a", "2");
  EXPECT_EQ(again.code, WireCode::ok);
  EXPECT_EQ(again->step().output().data(), "1");
}

TEST_F(V1Steps, V15_ARetryReQueuesTheRunAndSaysWhen) {
  begin_step(id, "a");
  const Instant now = clock.now();
  const auto failed = fail_step(id, "a");
  EXPECT_TRUE(failed->scheduled_retry());
  ASSERT_TRUE(failed->has_retry_at());
  const Instant at = from_ms(failed->retry_at().seconds() * 1'000 + failed->retry_at().nanos() / 1'000'000);
  EXPECT_GE(at - now, 1s);
  EXPECT_LE(at - now, 1100ms);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_PENDING);
  EXPECT_FALSE(run(id).has_worker_id());
  const auto open = begin_poll(worker_id);
  EXPECT_FALSE(open->answered());
  advance(1100ms);
  EXPECT_EQ(end<pb::PollTaskResponse>(open)->run_id(), id);
  EXPECT_TRUE(begin_step(id, "a")->should_execute());
  complete_step(id, "a");
  const pb::ListStepsResponse tries = steps("a");
  ASSERT_EQ(tries.steps_size(), 2);
  EXPECT_EQ(tries.steps(0).status(), pb::STEP_STATUS_FAILED);
  EXPECT_EQ(tries.steps(0).attempt_number(), 1);
  EXPECT_EQ(tries.steps(0).error().message(), "boom");
  EXPECT_EQ(tries.steps(0).error().code(), pb::ERROR_CODE_INTERNAL);
  EXPECT_EQ(tries.steps(1).status(), pb::STEP_STATUS_COMPLETED);
  EXPECT_EQ(tries.steps(1).attempt_number(), 2);
}

TEST_F(V1Steps, V16_AFinalFailureLeavesTheRunToItsWorker) {
  begin_step(id, "a");
  const auto failed = fail_step(id, "a", true);
  EXPECT_FALSE(failed->scheduled_retry());
  EXPECT_FALSE(failed->has_retry_at());
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_RUNNING);
  EXPECT_EQ(steps("a").steps_size(), 1);
  EXPECT_EQ(fail_step(id, "").code, WireCode::invalid_argument);
  EXPECT_EQ(fail_step(id, "never begun").code, WireCode::not_found);
  EXPECT_EQ(fail(id)->status(), pb::WORKFLOW_STATUS_FAILED);
}

TEST_F(V1Steps, V17_V20_ASleeperIsDeliveredToAnOpenPollWhenItIsDue) {
  begin_step(id, "nap", pb::STEP_KIND_SLEEP);
  ASSERT_EQ(sleep(id, "nap", 2s).code, WireCode::ok);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_SLEEPING);
  EXPECT_TRUE(run(id).has_wake_up_at());
  const auto open = begin_poll(worker_id);
  EXPECT_FALSE(open->answered());
  advance(2s);
  EXPECT_EQ(end<pb::PollTaskResponse>(open)->run_id(), id);
  EXPECT_EQ(steps("nap").steps(0).status(), pb::STEP_STATUS_COMPLETED);
  EXPECT_FALSE(begin_step(id, "nap", pb::STEP_KIND_SLEEP)->should_execute());
}

TEST_F(V1Steps, V17_ASleepHasALengthThatIsNotNegative) {
  pb::SleepRequest request;
  request.set_run_id(id);
  request.set_step_id("nap");
  EXPECT_EQ(call<pb::SleepResponse>("Worker", "Sleep", request).code, WireCode::invalid_argument);
  request.mutable_duration()->set_seconds(-1);
  EXPECT_EQ(call<pb::SleepResponse>("Worker", "Sleep", request).code, WireCode::invalid_argument);
  request.mutable_duration()->set_seconds(0);
  request.mutable_duration()->set_nanos(-1);
  EXPECT_EQ(call<pb::SleepResponse>("Worker", "Sleep", request).code, WireCode::invalid_argument);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_RUNNING);
  EXPECT_EQ(sleep(kNobody, "nap", 1s).code, WireCode::not_found);
}

TEST_F(V1Steps, V18_ASleepOfLessThanASecondIsSlept) {
  begin_step(id, "nap", pb::STEP_KIND_SLEEP);
  ASSERT_EQ(sleep(id, "nap", 300ms).code, WireCode::ok);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_SLEEPING);
  const auto open = begin_poll(worker_id);
  advance(299ms);
  EXPECT_EQ(beat(worker_id).code, WireCode::ok);
  EXPECT_FALSE(open->answered());
  advance(10ms);  // passes that look for what is due keep 5 ms apart, and one may have looked just now
  EXPECT_EQ(end<pb::PollTaskResponse>(open)->run_id(), id);
}

TEST_F(V1Steps, StepsAreListedAndFoundInTheirNamespace) {
  begin_step(id, "a");
  begin_step(id, "nap", pb::STEP_KIND_SLEEP);
  const pb::ListStepsResponse all = steps();
  ASSERT_EQ(all.steps_size(), 2);
  EXPECT_EQ(all.steps(0).kind(), pb::STEP_KIND_FUNCTION);
  EXPECT_EQ(all.steps(1).kind(), pb::STEP_KIND_SLEEP);
  EXPECT_EQ(all.steps(1).status(), pb::STEP_STATUS_RUNNING);
  pb::GetStepRequest get;
  get.set_namespace_("default");
  get.set_step_id("x");
  EXPECT_EQ(call<pb::GetStepResponse>("Admin", "GetStep", get).code, WireCode::invalid_argument);
  get.set_step_id(kNobody);
  EXPECT_EQ(call<pb::GetStepResponse>("Admin", "GetStep", get).code, WireCode::not_found);
  pb::ListStepsRequest unknown;
  unknown.set_run_id(kNobody);
  EXPECT_EQ(call<pb::ListStepsResponse>("Admin", "ListSteps", unknown).code, WireCode::not_found);
}

}  // namespace
}  // namespace muster::rpc::v1
