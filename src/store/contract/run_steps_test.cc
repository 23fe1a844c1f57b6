// Contract: steps of a run are remembered one by one, under the lease that names them.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class RunStepsContract : public StoreContract {
 protected:
  void SetUp() override {
    StoreContract::SetUp();
    join();
  }
  // The run goes back to the queue with its worker's lease over, and is taken again.
  Grant lose_and_take(const Grant& grant) {
    advance(default_policy(Dialect::http).dead_after);
    sweep(&Store::expire_leases);
    must(client().register_worker(a_worker("w2")));
    const Grant again = take_one("w2");
    EXPECT_EQ(again.id, grant.id);
    return again;
  }
};

TEST_P(RunStepsContract, AStepThatCompletedIsNotExecutedAgain) {
  const Grant run = take_run();
  const StepAnswer first = begin(run, "charge");
  EXPECT_TRUE(first.execute);
  ASSERT_TRUE(first.step);
  EXPECT_FALSE(first.step->id.value.is_nil());
  EXPECT_EQ(first.step->run, run.id);
  EXPECT_EQ(first.step->name, "charge");
  EXPECT_EQ(first.step->state, StepState::running);
  EXPECT_EQ(first.step->attempt, 1u);
  EXPECT_EQ(first.step->begun_at, now());
  EXPECT_EQ(first.step->worker.text(), "w1");
  EXPECT_EQ(first.step->fence, run.fence);
  EXPECT_EQ(first.state, JobState::running);

  advance(1s);
  const StepAnswer done = complete_step(run, "charge", R"({"ok":true})");
  EXPECT_EQ(done.step->id, first.step->id);
  EXPECT_EQ(done.step->state, StepState::completed);
  EXPECT_EQ(done.step->finished_at, now());
  EXPECT_FALSE(done.parked);

  const StepAnswer again = begin(run, "charge");
  EXPECT_FALSE(again.execute);
  EXPECT_EQ(again.step->output, json_of(R"({"ok":true})"));
  EXPECT_EQ(again.step->id, first.step->id);
  EXPECT_EQ(steps_of(run.id).size(), 1u);
}

TEST_P(RunStepsContract, WhatCompletedSurvivesARestartAndACrash) {
  const Grant run = take_run();
  begin(run, "a");
  const Step kept = *complete_step(run, "a", "41").step;
  restart();
  crash();
  const StepAnswer again = begin(run, "a");
  EXPECT_FALSE(again.execute);
  EXPECT_EQ(*again.step, kept);
  EXPECT_EQ(steps_of(run.id), std::vector<Step>{kept});
}

TEST_P(RunStepsContract, BeginningTwiceUnderOneLeaseIsOneAttempt) {
  const Grant run = take_run();
  const StepAnswer first = begin(run, "a");
  const StepAnswer second = begin(run, "a");
  EXPECT_TRUE(second.execute);
  EXPECT_EQ(second.step, first.step);
  EXPECT_EQ(steps_of(run.id).size(), 1u);
}

TEST_P(RunStepsContract, AStepLostWithItsWorkerIsAnotherAttempt) {
  const Grant run = take_run();
  begin(run, "done");
  complete_step(run, "done", "1");
  begin(run, "half");
  const Grant again = lose_and_take(run);
  EXPECT_EQ(job(run.id).rescues, 1u);
  EXPECT_FALSE(begin(again, "done").execute);
  const StepAnswer retried = begin(again, "half");
  EXPECT_TRUE(retried.execute);
  EXPECT_EQ(retried.step->attempt, 2u);
  EXPECT_EQ(retried.step->worker.text(), "w2");
  const std::vector<Step> steps = steps_of(run.id);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[1].name, "half");
  EXPECT_EQ(steps[1].state, StepState::failed);
  EXPECT_EQ(steps[1].error->kind, kErrorWorkerLost);
  EXPECT_EQ(steps[1].finished_at, now());
  EXPECT_EQ(steps[2].state, StepState::running);
}

TEST_P(RunStepsContract, AStaleFenceChangesNothing) {
  const Grant run = take_run();
  begin(run, "a");
  const Grant again = lose_and_take(run);
  const std::vector<Step> before = steps_of(run.id);
  const auto refused = [&](StepCall call) { return client().run_step(std::move(call)).code(); };
  EXPECT_EQ(refused(step::Complete{.run = run_of(run), .step = "a"}), Code::lease_lost);
  EXPECT_EQ(refused(step::Begin{.run = run_of(run), .step = "b"}), Code::lease_lost);
  EXPECT_EQ(refused(step::Fail{.run = run_of(run), .step = "a", .error = {"x", "y"}}), Code::lease_lost);
  EXPECT_EQ(refused(step::Sleep{.run = run_of(run), .step = "nap", .length = 1min}), Code::lease_lost);
  EXPECT_EQ(refused(step::AwaitSignal{.run = run_of(run), .step = "s", .signal = "go"}), Code::lease_lost);
  EXPECT_EQ(steps_of(run.id), before);
  EXPECT_EQ(state(run.id), JobState::running);
  EXPECT_TRUE(begin(again, "a").execute);
}

TEST_P(RunStepsContract, ALeaseThatIsOverIsStaleBeforeTheSweepSeesIt) {
  const Grant run = take_run();
  advance(default_policy(Dialect::http).dead_after);
  EXPECT_EQ(client().run_step(step::Begin{.run = run_of(run), .step = "a"}).code(), Code::lease_lost);
  EXPECT_TRUE(steps_of(run.id).empty());
}

TEST_P(RunStepsContract, WithoutAFenceEveryLeaseWillDo) {
  const Grant run = take_run();
  const StepAnswer begun = step(step::Begin{.run = {run.id}, .step = "a"});
  EXPECT_TRUE(begun.execute);
  EXPECT_EQ(begun.step->fence, run.fence);
  EXPECT_EQ(step(step::Complete{.run = {run.id}, .step = "a", .output = json_of("1")}).step->state, StepState::completed);
}

TEST_P(RunStepsContract, ABatchIsDoneInOrder) {
  const Grant run = take_run();
  const auto answers = must(client().run_steps({
      step::Begin{.run = run_of(run), .step = "a"},
      step::Complete{.run = run_of(run), .step = "a", .output = json_of("1")},
      step::Begin{.run = run_of(run), .step = "a"},
      step::Complete{.run = run_of(run), .step = "never begun"},
      step::Begin{.run = run_of(run), .step = "b"},
  }));
  ASSERT_EQ(answers.size(), 5u);
  if (!client().in_doubt()) {
    EXPECT_TRUE(answers[0]->execute);
  }
  EXPECT_EQ(answers[1]->step->state, StepState::completed);
  EXPECT_FALSE(answers[2]->execute);
  EXPECT_EQ(answers[2]->step->output, json_of("1"));
  EXPECT_EQ(answers[3].code(), Code::not_found);
  EXPECT_TRUE(answers[4]->execute);
  EXPECT_EQ(steps_of(run.id).size(), 2u);
}

TEST_P(RunStepsContract, AStepThatNeverBeganIsRecordedWhenTheCallerSaysSo) {
  const Grant run = take_run();
  const Step done = *step(step::Complete{.run = run_of(run), .step = "a", .output = json_of("1"), .unbegun_ok = true}).step;
  EXPECT_EQ(done.state, StepState::completed);
  EXPECT_EQ(done.attempt, 1u);
  EXPECT_EQ(steps_of(run.id), std::vector<Step>{done});
}

TEST_P(RunStepsContract, AFailedStepWaitsForItsRetryAndSoDoesTheRun) {
  const Grant run = take_run();
  step(step::Begin{.run = run_of(run), .step = "a", .policy = {.attempts_max = 3, .first_delay = 10s, .factor = 2}});
  const StepAnswer failed = fail_step(run, "a");
  EXPECT_TRUE(failed.parked);
  EXPECT_EQ(failed.state, JobState::scheduled);
  ASSERT_TRUE(failed.run_at);
  EXPECT_GE(*failed.run_at, now() + 10s);
  EXPECT_LE(*failed.run_at, now() + 11s);
  EXPECT_EQ(failed.step->state, StepState::failed);
  EXPECT_EQ(failed.step->until, failed.run_at);
  EXPECT_EQ(failed.step->error->message, "it broke");
  const Job parked = job(run.id);
  EXPECT_EQ(parked.state, JobState::scheduled);
  EXPECT_EQ(parked.last_event, JobEvent::failed);
  EXPECT_EQ(parked.attempt, 1u);
  EXPECT_EQ(parked.run_at, failed.run_at);
  EXPECT_TRUE(idle());
  EXPECT_EQ(renew(run).code(), Code::lease_lost);

  advance(*failed.run_at - now());
  const Grant again = take_one();
  EXPECT_EQ(again.attempt, 2u);
  const StepAnswer second = begin(again, "a");
  EXPECT_TRUE(second.execute);
  EXPECT_EQ(second.step->attempt, 2u);
  EXPECT_EQ(second.step->policy.attempts_max, 0) << "this Begin brought none, and the run has none";
}

TEST_P(RunStepsContract, TheStepsPolicyGoesBeforeTheRunsFieldByField) {
  const JobId id = add(a_run([](JobSpec& j) { j.run->steps = {.attempts_max = 2, .first_delay = 7s}; }));
  const Grant run = take_one();
  const Step begun =
      *step(step::Begin{.run = run_of(run), .step = "a", .policy = {.attempts_max = 9, .non_retryable = {"bad"}}}).step;
  EXPECT_EQ(begun.policy, (StepPolicy{.attempts_max = 9, .first_delay = 7s, .non_retryable = {"bad"}}));
  EXPECT_EQ(steps_of(id).at(0).policy, begun.policy);
}

TEST_P(RunStepsContract, AStepWithoutTriesLeftFailsAndTheRunKeepsItsLease) {
  const Grant run = take_run();
  step(step::Begin{.run = run_of(run), .step = "a", .policy = {.attempts_max = 1}});
  const StepAnswer failed = fail_step(run, "a");
  EXPECT_FALSE(failed.parked);
  EXPECT_EQ(failed.step->state, StepState::failed);
  EXPECT_FALSE(failed.step->until);
  EXPECT_EQ(state(run.id), JobState::running);
  begin(run, "b");
  const StepAnswer for_good = step(step::Fail{.run = run_of(run), .step = "b", .error = {"boom", "no"}, .retryable = false});
  EXPECT_FALSE(for_good.parked);
}

TEST_P(RunStepsContract, ARetryMayBeLeftToTheWorker) {
  const Grant run = take_run();
  begin(run, "a");
  const StepAnswer failed =
      step(step::Fail{.run = run_of(run), .step = "a", .error = {"boom", "no"}, .retry_after = 5s, .requeue = false});
  EXPECT_FALSE(failed.parked);
  EXPECT_EQ(failed.step->until, now() + 5s);
  EXPECT_EQ(client().run_step(step::Begin{.run = run_of(run), .step = "a"}).code(), Code::conflict);
  advance(5s);
  EXPECT_EQ(begin(run, "a").step->attempt, 2u);
}

TEST_P(RunStepsContract, ALateFailureDoesNotUndoACompletedStep) {
  const Grant run = take_run();
  begin(run, "a");
  complete_step(run, "a", "1");
  const StepAnswer late = fail_step(run, "a");
  EXPECT_EQ(late.step->state, StepState::completed);
  EXPECT_FALSE(late.parked);
}

TEST_P(RunStepsContract, OnlyLiveRunsHaveSteps) {
  const JobId plain = add();
  const Grant grant = take_one();
  const auto begin_of = [&](RunRef run) { return client().run_step(step::Begin{.run = run, .step = "a"}).code(); };
  EXPECT_EQ(begin_of(run_of(grant)), Code::conflict);
  must(complete(grant));
  EXPECT_EQ(begin_of({plain}), Code::conflict);
  const Grant run = take_run();
  must(complete(run));
  EXPECT_EQ(begin_of({run.id}), Code::conflict);
  EXPECT_EQ(begin_of({JobId{{1, 2}}}), Code::not_found);
  EXPECT_TRUE(steps_of(run.id).empty());
}

TEST_P(RunStepsContract, AStepOfAWaitingRunMayBeCompletedButNotWaitedIn) {
  const Grant run = take_run();
  begin(run, "a");
  sleep(run, "nap", 1h);
  EXPECT_EQ(step(step::Complete{.run = {run.id}, .step = "a", .output = json_of("1")}).step->state, StepState::completed);
  EXPECT_EQ(client().run_step(step::Sleep{.run = {run.id}, .step = "other", .length = 1s}).code(), Code::conflict);
  EXPECT_EQ(state(run.id), JobState::scheduled);
}

TEST_P(RunStepsContract, BigAndBinaryContentsComeBackAsTheyWere) {
  constexpr std::size_t kBytes = 2 * 1024 * 1024;
  Content input{std::string(kBytes, '\0'), Encoding::bytes};
  Content output{std::string(kBytes, '\xff'), Encoding::bytes};
  for (std::size_t i = 0; i < kBytes; i += 977) input.data[i] = output.data[kBytes - 1 - i] = static_cast<char>(i);
  const Grant run = take_run();
  step(step::Begin{.run = run_of(run), .step = "a", .input = input});
  step(step::Complete{.run = run_of(run), .step = "a", .output = output});
  step(step::Begin{.run = run_of(run), .step = "empty", .input = Content{"", Encoding::bytes}});
  step(step::Complete{.run = run_of(run), .step = "empty"});
  crash();
  const std::vector<Step> steps = steps_of(run.id);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_TRUE(steps[0].input == input);
  EXPECT_TRUE(steps[0].output == output);
  EXPECT_EQ(steps[1].input, (Content{"", Encoding::bytes}));
  EXPECT_FALSE(steps[1].output);
}

TEST_P(RunStepsContract, StepsAreListedInPagesOldestFirst) {
  const Grant run = take_run();
  for (int i = 0; i < 7; ++i) {
    begin(run, fmt::format("s{}", i % 4));
    step(step::Fail{.run = run_of(run), .step = fmt::format("s{}", i % 4), .error = {"boom", "no"}, .retryable = false});
  }
  std::vector<std::string> seen;
  StepQuery query{.run = run.id, .limit = 3};
  for (int page = 0; page < 3; ++page) {
    const StepPage found = must(client().list_steps(query));
    EXPECT_LE(found.steps.size(), 3u);
    for (const Step& one : found.steps) seen.push_back(fmt::format("{}.{}", one.name, one.attempt));
    EXPECT_EQ(found.next.empty(), page == 2);
    query.cursor = found.next;
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"s0.1", "s1.1", "s2.1", "s3.1", "s0.2", "s1.2", "s2.2"}));
  const StepPage one = must(client().list_steps({.run = run.id, .name = "s1"}));
  ASSERT_EQ(one.steps.size(), 2u);
  EXPECT_EQ(one.steps[1].attempt, 2u);
  EXPECT_EQ(client().list_steps({.run = run.id, .cursor = "nonsense"}).code(), Code::invalid_argument);
}

TEST_P(RunStepsContract, AnAttemptIsFoundByItsId) {
  const Grant run = take_run();
  begin(run, "a");
  const Step b = *begin(run, "b").step;
  const StepPage page = must(client().list_steps({.step = b.id}));
  ASSERT_EQ(page.steps.size(), 1u);
  EXPECT_EQ(page.steps[0], b);
  EXPECT_TRUE(page.next.empty());
  EXPECT_EQ(client().list_steps({.step = StepId{run.id.value}}).code(), Code::not_found);
  EXPECT_EQ(client().list_steps({.step = StepId{{7, 7}}}).code(), Code::not_found);
}

TEST_P(RunStepsContract, ARunHasNoMoreThanItsShareOfSteps) {
  const Grant run = take_run();
  constexpr std::size_t kBatch = 1'000;
  for (std::size_t made = 0; made < limits::kStepsPerRunMax; made += kBatch) {
    std::vector<StepCall> calls;
    for (std::size_t i = 0; i < kBatch; ++i)
      calls.emplace_back(step::Complete{.run = run_of(run), .step = fmt::format("s{}", made + i), .unbegun_ok = true});
    for (const auto& answer : must(client().run_steps(calls))) ASSERT_TRUE(answer.ok()) << answer.status().text();
  }
  EXPECT_EQ(client().run_step(step::Begin{.run = run_of(run), .step = "one more"}).code(), Code::exhausted);
  EXPECT_EQ(begin(run, "s0").step->state, StepState::completed) << "what is there is still known";
  EXPECT_TRUE(complete(run).ok());
}

TEST_P(RunStepsContract, AStepIsAsGoodAsAHeartbeat) {
  const Duration dead_after = default_policy(Dialect::http).dead_after;
  const Grant run = take_run();
  for (int i = 0; i < 3; ++i) {
    advance(dead_after / 2);
    begin(run, fmt::format("s{}", i));
  }
  sweep_moves(&Store::expire_leases, 0);
  sweep_moves(&Store::bury_silent_workers, 0);
  EXPECT_EQ(worker().state, WorkerState::online);
  EXPECT_GT(*job(run.id).lease_expires_at, now());
  EXPECT_TRUE(complete(run).ok());
}

TEST_P(RunStepsContract, AStepHearsThatItsRunShallEnd) {
  const Grant run = take_run();
  EXPECT_FALSE(begin(run, "a").cancel_requested);
  must(cancel(run.id));
  EXPECT_TRUE(complete_step(run, "a", "1").cancel_requested);
}

INSTANTIATE_TEST_SUITE_P(Stores, RunStepsContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
