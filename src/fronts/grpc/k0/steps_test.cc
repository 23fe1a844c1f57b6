#include "fronts/grpc/k0/k0_testing.h"

namespace muster::rpc::k0 {
namespace {

using namespace std::chrono_literals;

class K0Steps : public K0Test {
 protected:
  void SetUp() override {
    K0Test::SetUp();
    worker_id = register_worker();
    id = start_run();
    claim(worker_id, id);
  }
  // Time passes, and the worker is heard.
  void wait_alive(Duration by) {
    advance(by);
    ASSERT_EQ(beat(worker_id, 1).code, WireCode::ok);
  }

  std::string worker_id;
  std::string id;
};

TEST_F(K0Steps, K33_AStepThatWasNotRunIsToBeExecuted) {
  const auto begun = begin_step(id, "a");
  EXPECT_EQ(begun.code, WireCode::ok) << begun.text;
  EXPECT_TRUE(begun->should_execute());
  EXPECT_EQ(begun->cached_result(), "");
}

TEST_F(K0Steps, K34_CompletedStepIsNotExecutedAgain) {
  begin_step(id, "a");
  ASSERT_EQ(complete_step(id, "a", R"({"x": 1})").code, WireCode::ok);
  const auto again = begin_step(id, "a");
  EXPECT_FALSE(again->should_execute());
  EXPECT_EQ(again->cached_result(), R"({"x": 1})");
}

TEST_F(K0Steps, K35_CompletingTwiceIsOneAttemptWithTheFirstOutput) {
  begin_step(id, "a");
  ASSERT_EQ(complete_step(id, "a", "1").code, WireCode::ok);
  ASSERT_EQ(complete_step(id, "a", "2").code, WireCode::ok);
  const auto attempts = steps(id, "a");
  ASSERT_EQ(attempts.size(), 1U);
  EXPECT_EQ(attempts[0].output(), "1");
  EXPECT_EQ(attempts[0].status(), pb::STEP_ATTEMPT_STATUS_COMPLETED);
}

TEST_F(K0Steps, K36_AStepThatNeverBeganCanBeCompleted) {
  ASSERT_EQ(complete_step(id, "a", "7").code, WireCode::ok);
  EXPECT_EQ(begin_step(id, "a")->cached_result(), "7");
}

TEST_F(K0Steps, StepsOfUnknownAndFinishedRunsAreRefused) {
  EXPECT_EQ(begin_step(kNobody, "a").code, WireCode::not_found);
  EXPECT_EQ(begin_step("x", "a").code, WireCode::invalid_argument);
  EXPECT_EQ(complete_step(kNobody, "a").code, WireCode::not_found);
  ASSERT_EQ(complete(id).code, WireCode::ok);
  EXPECT_EQ(begin_step(id, "a").code, WireCode::failed_precondition);
}

TEST_F(K0Steps, InputsMustBeJson) {
  pb::BeginStepRequest request;
  request.set_run_id(id);
  request.set_step_id("a");
  request.set_input("{bad");
  EXPECT_EQ(call<pb::BeginStepResponse>("BeginStep", request).code, WireCode::invalid_argument);
  EXPECT_TRUE(steps(id).empty());
}

TEST_F(K0Steps, K37_AFailureMustNameItsStep) { EXPECT_EQ(fail_step(id, "", "boom").code, WireCode::invalid_argument); }

TEST_F(K0Steps, K38_ANonRetryableFailureIsFinal) {
  begin_step(id, "a");
  ASSERT_EQ(fail_step(id, "a", "boom", true).code, WireCode::ok);
  const auto attempts = steps(id, "a");
  ASSERT_EQ(attempts.size(), 1U);
  EXPECT_EQ(attempts[0].status(), pb::STEP_ATTEMPT_STATUS_FAILED);
  EXPECT_EQ(attempts[0].error().message(), "boom");
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_RUNNING);
  ASSERT_EQ(fail(id, "boom").code, WireCode::ok);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_FAILED);
}

TEST_F(K0Steps, K39_ARetriedStepReQueuesTheRunAndTheFailureThatFollowsHasNoEffect) {
  begin_step(id, "a");
  ASSERT_EQ(fail_step(id, "a", "boom").code, WireCode::ok);
  EXPECT_EQ(steps(id, "a").at(0).status(), pb::STEP_ATTEMPT_STATUS_PENDING);
  EXPECT_EQ(fail(id, "boom").code, WireCode::ok);
  const pb::WorkflowRun waiting = run(id);
  EXPECT_EQ(waiting.status(), pb::WORKFLOW_STATUS_PENDING);
  EXPECT_EQ(waiting.worker_id(), "");
  EXPECT_TRUE(waiting.has_wake_up_at());
  // Said again, without the registry's short memory of it.
  EXPECT_EQ(fail(id, "boom").code, WireCode::ok);
  EXPECT_EQ(begin_step(id, "a").code, WireCode::failed_precondition);
  wait_alive(3s);
  claim(worker_id, id);
  EXPECT_EQ(run(id).attempts(), 2);
  EXPECT_TRUE(begin_step(id, "a")->should_execute());
  ASSERT_EQ(complete_step(id, "a").code, WireCode::ok);
  EXPECT_EQ(steps(id, "a").size(), 2U);
  ASSERT_EQ(complete(id).code, WireCode::ok);
}

TEST_F(K0Steps, TheFirstRetryComesAfterTheMultipliedDelay) {
  begin_step(id, "a");
  const Instant now = clock.now();
  ASSERT_EQ(fail_step(id, "a", "boom").code, WireCode::ok);
  const auto wake = run(id).wake_up_at();
  const Instant at = from_ms(wake.seconds() * 1'000 + wake.nanos() / 1'000'000);
  EXPECT_GE(at - now, 2s);
  EXPECT_LE(at - now, 2200ms);
}

TEST_F(K0Steps, RetryAfterReplacesTheDelay) {
  begin_step(id, "a");
  pb::FailStepRequest request;
  request.set_run_id(id);
  request.set_step_id("a");
  request.set_error("text of the first days");
  request.set_retry_after_ms(30'000);
  ASSERT_EQ(call<pb::Empty>("FailStep", request).code, WireCode::ok);
  const auto wake = run(id).wake_up_at();
  EXPECT_EQ(from_ms(wake.seconds() * 1'000 + wake.nanos() / 1'000'000), clock.now() + 30s);
  EXPECT_EQ(steps(id, "a").at(0).error().message(), "text of the first days");
}

TEST_F(K0Steps, AFailureOfTheRunThatHasNoRetriedStepBeforeItCounts) {
  begin_step(id, "a");
  ASSERT_EQ(fail_step(id, "a", "boom").code, WireCode::ok);
  wait_alive(3s);
  claim(worker_id, id);
  begin_step(id, "a");
  ASSERT_EQ(fail_step(id, "a", "boom", true).code, WireCode::ok);
  ASSERT_EQ(fail(id, "boom").code, WireCode::ok);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_FAILED);
}

TEST_F(K0Steps, WithoutStepRetriesTheRunFailsAsItsClientSays) {
  options.compat_flags.steps_retry = false;
  restart();
  begin_step(id, "a");
  ASSERT_EQ(fail_step(id, "a", "boom").code, WireCode::ok);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_RUNNING);
  ASSERT_EQ(fail(id, "boom").code, WireCode::ok);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_FAILED);
}

TEST_F(K0Steps, K40_AnErrorThatBeginsWithAListedTextIsNotRetried) {
  pb::BeginStepRequest begin;
  begin.set_run_id(id);
  begin.set_step_id("a");
  begin.mutable_retry_policy()->add_non_retryable_errors("fatal:");
  call<pb::BeginStepResponse>("BeginStep", begin);
  ASSERT_EQ(fail_step(id, "a", "fatal: no such card").code, WireCode::ok);
  EXPECT_EQ(steps(id, "a").at(0).status(), pb::STEP_ATTEMPT_STATUS_FAILED);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_RUNNING);
}

TEST_F(K0Steps, AttemptsOfAStepEndAtItsMaximum) {
  pb::BeginStepRequest begin;
  begin.set_run_id(id);
  begin.set_step_id("a");
  begin.mutable_retry_policy()->set_maximum_attempts(1);
  call<pb::BeginStepResponse>("BeginStep", begin);
  ASSERT_EQ(fail_step(id, "a", "boom").code, WireCode::ok);
  EXPECT_EQ(steps(id, "a").at(0).status(), pb::STEP_ATTEMPT_STATUS_FAILED);
}

TEST_F(K0Steps, K41_K42_ASleepIsSleptOnceAndTheStepIsCompletedWithIt) {
  ASSERT_TRUE(begin_step(id, "__sleep_0")->should_execute());
  ASSERT_EQ(sleep(id, 2).code, WireCode::ok);
  EXPECT_EQ(complete_step(id, "__sleep_0", "null").code, WireCode::ok);
  const pb::WorkflowRun asleep = run(id);
  EXPECT_EQ(asleep.status(), pb::WORKFLOW_STATUS_SLEEPING);
  EXPECT_TRUE(asleep.has_wake_up_at());
  EXPECT_EQ(asleep.worker_id(), "");
  const auto open = begin_poll(worker_id);
  EXPECT_FALSE(open->answered());
  wait_alive(2s);
  EXPECT_EQ(end<pb::PollActivityResponse>(open)->run_id(), id);
  const auto again = begin_step(id, "__sleep_0");
  EXPECT_FALSE(again->should_execute());
  EXPECT_EQ(again->cached_result(), "null");
  ASSERT_EQ(complete(id).code, WireCode::ok);
  EXPECT_EQ(run(id).attempts(), 2);
}

TEST_F(K0Steps, ASleepOfNothingCompletesItsStepBeforeAnybodyClaimsTheRun) {
  begin_step(id, "__sleep_0");
  ASSERT_EQ(sleep(id, 0).code, WireCode::ok);
  ASSERT_EQ(poll(worker_id)->run_id(), id);
  EXPECT_EQ(complete_step(id, "__sleep_0", "null").code, WireCode::ok);
  EXPECT_FALSE(begin_step(id, "__sleep_0")->should_execute());
}

TEST_F(K0Steps, ASleepOfAgesIsRefused) {
  EXPECT_EQ(sleep(id, ~std::uint64_t{0}).code, WireCode::invalid_argument);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_RUNNING);
}

TEST_F(K0Steps, AttemptsAreListedInOrderAndFoundByTheirId) {
  begin_step(id, "b");
  complete_step(id, "b", "1");
  begin_step(id, "wait for it");
  const auto all = steps(id);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].step_id(), "b");
  EXPECT_EQ(all[0].kind(), pb::STEP_KIND_UNSPECIFIED);
  EXPECT_EQ(all[0].namespace_id(), "default");
  EXPECT_EQ(all[0].workflow_run_id(), id);
  EXPECT_EQ(all[1].kind(), pb::STEP_KIND_SLEEP);
  EXPECT_EQ(all[1].output(), "null");
  EXPECT_TRUE(all[1].has_updated_at());
  pb::GetStepAttemptRequest request;
  request.set_step_attempt_id(all[0].step_attempt_id());
  const auto one = call<pb::GetStepAttemptResponse>("GetStepAttempt", request);
  ASSERT_EQ(one.code, WireCode::ok) << one.text;
  EXPECT_EQ(one->step_attempt().step_id(), "b");
  request.set_step_attempt_id(kNobody);
  EXPECT_EQ(call<pb::GetStepAttemptResponse>("GetStepAttempt", request).code, WireCode::not_found);
  request.set_step_attempt_id("x");
  EXPECT_EQ(call<pb::GetStepAttemptResponse>("GetStepAttempt", request).code, WireCode::invalid_argument);
  EXPECT_TRUE(steps(kNobody).empty());
}

TEST_F(K0Steps, StepPagesGoOn) {
  for (int i = 0; i < 5; ++i) complete_step(id, "s" + std::to_string(i), "1");
  pb::ListStepAttemptsRequest request;
  request.set_workflow_run_id(id);
  request.set_page_size(2);
  std::vector<std::string> seen;
  for (int pages = 0; pages < 5; ++pages) {
    const auto page = call<pb::ListStepAttemptsResponse>("ListStepAttempts", request);
    for (const auto& step : page->step_attempts()) seen.push_back(step.step_id());
    if (page->next_page_token().empty()) break;
    request.set_page_token(page->next_page_token());
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"s0", "s1", "s2", "s3", "s4"}));
}

TEST_F(K0Steps, AFenceThatIsOldIsRefused) {
  pb::BeginStepRequest request;
  request.set_run_id(id);
  request.set_step_id("a");
  const auto stale = call<pb::BeginStepResponse>("BeginStep", request, {{"muster-fence", "1"}});
  EXPECT_EQ(stale.code, WireCode::failed_precondition);
  EXPECT_EQ(detail_of(stale.details).code(), pb::ERROR_CODE_PRECONDITION_FAILED);
  EXPECT_EQ(call<pb::BeginStepResponse>("BeginStep", request, {{"muster-fence", "soon"}}).code, WireCode::invalid_argument);
  EXPECT_TRUE(steps(id).empty());
}

TEST_F(K0Steps, StepsCountAsHeartbeats) {
  for (int i = 0; i < 5; ++i) {
    advance(20s);
    ASSERT_EQ(begin_step(id, "s" + std::to_string(i)).code, WireCode::ok);
  }
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_RUNNING);
  EXPECT_EQ(run(id).worker_id(), worker_id);
  EXPECT_EQ(run(id).attempts(), 1);
}

}  // namespace
}  // namespace muster::rpc::k0
