// The rules of steps, fact by fact. What they lead to in a store is proved by store/contract/run_*_test.cc.
#include "store/runs/rules.h"

#include <gtest/gtest.h>

namespace muster::store::runs {
namespace {

using namespace std::chrono_literals;

const Instant kNoon = Instant(1'700'000'000s);
const JobId kRun{{1, 1}};
const JobId kChild{{1, 2}};
const RunRef kHeld{kRun, Fence{7}};

class Rules : public ::testing::Test {
 protected:
  Rules() {
    facts_.run = kRun;
    facts_.fence = Fence{7};
    facts_.leased = true;
    facts_.worker = WorkerId("w1");
    facts_.spec = &spec_;
  }
  Verdict judge(StepCall call) const { return runs::judge(call, facts_, kNoon, 0); }
  // What the store would have made of the last verdict.
  void keep(const Verdict& verdict) {
    kept_ = verdict.writes.back();
    kept_.id = StepId{{9, 9}};
    facts_.latest = &kept_;
    facts_.steps = 1;
  }
  void unlease(JobState state = JobState::scheduled) {
    facts_.leased = false;
    facts_.state = state;
  }

  RunSpec spec_;
  Step kept_;
  Facts facts_;
};

const step::Begin kBegin{.run = kHeld, .step = "a"};

TEST_F(Rules, RefuseWhatIsNoRunOrFinishedOrUnderAStaleFence) {
  facts_.spec = nullptr;
  EXPECT_EQ(judge(kBegin).answer.code(), Code::conflict);
  facts_.spec = &spec_;
  for (const JobState state : {JobState::completed, JobState::dead, JobState::cancelled}) {
    facts_.state = state;
    EXPECT_EQ(judge(kBegin).answer.code(), Code::conflict);
  }
  facts_.state = JobState::running;
  EXPECT_EQ(judge(step::Begin{.run = {kRun, Fence{6}}, .step = "a"}).answer.code(), Code::lease_lost);
  facts_.leased = false;
  const Verdict verdict = judge(kBegin);
  EXPECT_EQ(verdict.answer.code(), Code::lease_lost);
  EXPECT_TRUE(verdict.writes.empty() && !verdict.park && !verdict.renews);
}

TEST_F(Rules, AFirstBeginIsAnAttemptUnderTheLease) {
  spec_.steps.attempts_max = 4;
  const Verdict verdict = judge(step::Begin{.run = kHeld, .step = "a", .input = Content{"1"}, .policy = {.first_delay = 3s}});
  ASSERT_EQ(verdict.writes.size(), 1u);
  const Step& step = verdict.writes[0];
  EXPECT_TRUE(step.id.value.is_nil());
  EXPECT_EQ(step.attempt, 1u);
  EXPECT_EQ(step.fence, Fence{7});
  EXPECT_EQ(step.worker.text(), "w1");
  EXPECT_EQ(step.input, Content{"1"});
  EXPECT_EQ(step.policy, (StepPolicy{.attempts_max = 4, .first_delay = 3s}));
  EXPECT_TRUE(verdict.answer->execute);
  EXPECT_TRUE(verdict.renews);
}

TEST_F(Rules, AnotherLeaseMakesAnotherAttemptAndMarksTheLostOne) {
  keep(judge(kBegin));
  EXPECT_TRUE(judge(kBegin).writes.empty()) << "the same lease goes on with its own";
  facts_.fence = Fence{8};
  const Verdict verdict = judge(step::Begin{.run = {kRun, Fence{8}}, .step = "a"});
  ASSERT_EQ(verdict.writes.size(), 2u);
  EXPECT_EQ(verdict.writes[0].state, StepState::failed);
  EXPECT_EQ(verdict.writes[0].error->kind, kErrorWorkerLost);
  EXPECT_EQ(verdict.writes[1].attempt, 2u);
  EXPECT_EQ(verdict.answer->step->attempt, 2u);
}

TEST_F(Rules, AnotherProcessUnderTheSameLeaseMakesAnotherAttemptAndMarksTheLostOne) {
  const step::Begin anew{.run = kHeld, .step = "a", .anew = true};
  keep(judge(anew));
  const Verdict verdict = judge(anew);
  ASSERT_EQ(verdict.writes.size(), 2u);
  EXPECT_EQ(verdict.writes[0].error->kind, kErrorWorkerLost);
  EXPECT_EQ(verdict.writes[1].attempt, 2u);
  facts_.fence = Fence{8};
  EXPECT_EQ(judge(anew).answer.code(), Code::lease_lost) << "a lease that is over begins nothing, whoever asks";
}

TEST_F(Rules, ACompletedStepAnswersEveryCallWithItself) {
  keep(judge(kBegin));
  keep(judge(step::Complete{.run = kHeld, .step = "a", .output = Content{"2"}}));
  const std::vector<StepCall> calls{kBegin,
                                    step::Complete{.run = kHeld, .step = "a", .output = Content{"3"}},
                                    step::Fail{.run = kHeld, .step = "a", .error = {"x", "y"}},
                                    step::Sleep{.run = kHeld, .step = "a", .length = 1s},
                                    step::AwaitSignal{.run = kHeld, .step = "a", .signal = "s"},
                                    step::AwaitChild{.run = kHeld, .step = "a", .child = kChild}};
  for (const StepCall& call : calls) {
    const Verdict verdict = judge(call);
    ASSERT_TRUE(verdict.answer.ok()) << call.index();
    EXPECT_TRUE(verdict.writes.empty() && !verdict.park) << call.index();
    EXPECT_FALSE(verdict.answer->execute) << call.index();
    EXPECT_EQ(verdict.answer->step->output, Content{"2"}) << call.index();
  }
}

TEST_F(Rules, AStepThatNeverBeganEndsOnlyWhenTheCallerSaysSo) {
  EXPECT_EQ(judge(step::Complete{.run = kHeld, .step = "a"}).answer.code(), Code::not_found);
  EXPECT_EQ(judge(step::Fail{.run = kHeld, .step = "a"}).answer.code(), Code::not_found);
  EXPECT_EQ(judge(step::Complete{.run = kHeld, .step = "a", .unbegun_ok = true}).writes.at(0).state, StepState::completed);
  spec_.steps.attempts_max = 1;
  const Verdict failed = judge(step::Fail{.run = kHeld, .step = "a", .unbegun_ok = true});
  EXPECT_EQ(failed.writes.at(0).state, StepState::failed);
  EXPECT_FALSE(failed.park) << "the run's own policy is asked";
}

TEST_F(Rules, AFailureParksTheRunUntilItsRetry) {
  keep(judge(kBegin));
  const Verdict verdict = judge(step::Fail{.run = kHeld, .step = "a", .error = {"x", "y"}});
  ASSERT_TRUE(verdict.park);
  EXPECT_EQ(verdict.park->event, JobEvent::failed);
  EXPECT_EQ(verdict.park->until, kNoon + kStepFirstDelayDefault);
  EXPECT_EQ(verdict.answer->state, JobState::scheduled);
  EXPECT_FALSE(verdict.renews);
  EXPECT_EQ(judge(step::Fail{.run = kHeld, .step = "a", .error = {"x", "y"}, .retry_after = 7s}).park->until, kNoon + 7s);
  EXPECT_FALSE(judge(step::Fail{.run = kHeld, .step = "a", .error = {"x", "y"}, .requeue = false}).park);
  keep(verdict);
  EXPECT_EQ(judge(kBegin).answer.code(), Code::conflict) << "not before its time";
  kept_.until = kNoon;
  EXPECT_EQ(judge(kBegin).writes.at(0).attempt, 2u);
}

TEST_F(Rules, ASleepKeepsItsEndAndIsOverAtIt) {
  const step::Sleep nap{.run = kHeld, .step = "nap", .length = 1min};
  const Verdict first = judge(nap);
  EXPECT_EQ(first.park->until, kNoon + 1min);
  EXPECT_EQ(first.park->event, JobEvent::snoozed);
  keep(first);
  kept_.until = kNoon + 5s;
  EXPECT_EQ(judge(nap).park->until, kNoon + 5s) << "it does not start over";
  kept_.until = kNoon;
  const Verdict over = judge(nap);
  EXPECT_FALSE(over.park);
  EXPECT_EQ(over.writes.at(0).state, StepState::completed);
  EXPECT_EQ(judge(step::Begin{.run = kHeld, .step = "nap", .kind = StepKind::sleep}).writes.at(0).state, StepState::completed);
}

TEST_F(Rules, ANamelessSleepEndsTheSleepThatRuns) {
  EXPECT_TRUE(judge(step::Sleep{.run = kHeld, .length = 1s}).writes.empty());
  keep(judge(step::Begin{.run = kHeld, .step = "__sleep_0", .kind = StepKind::sleep}));
  const Verdict verdict = judge(step::Sleep{.run = kHeld, .length = 1s});
  EXPECT_EQ(verdict.writes.at(0).state, StepState::completed);
  EXPECT_EQ(verdict.park->until, kNoon + 1s);
}

TEST_F(Rules, NobodyParksARunThatNobodyHolds) {
  unlease();
  EXPECT_EQ(judge(step::Sleep{.run = {kRun}, .step = "nap", .length = 1s}).answer.code(), Code::conflict);
  EXPECT_EQ(judge(step::AwaitSignal{.run = {kRun}, .step = "s", .signal = "go"}).answer.code(), Code::conflict);
  EXPECT_EQ(judge(step::AwaitChild{.run = {kRun}, .step = "c", .child = kChild}).answer.code(), Code::conflict);
  const Verdict begun = judge(step::Begin{.run = {kRun}, .step = "a"});
  EXPECT_TRUE(begun.answer->execute);
  EXPECT_TRUE(begun.writes.at(0).worker.empty());
  EXPECT_FALSE(begun.renews);
}

TEST_F(Rules, AWaitTakesAKeptSignalOrParks) {
  const step::AwaitSignal wait{.run = kHeld, .step = "s", .signal = "go"};
  EXPECT_EQ(judge(wait).park->until, kForever);
  const Content data{"5"};
  facts_.signal = &data;
  const Verdict taken = judge(wait);
  EXPECT_TRUE(taken.takes_signal);
  EXPECT_FALSE(taken.park);
  EXPECT_EQ(taken.writes.at(0).output, data);
  facts_.signal = nullptr;
  const step::AwaitSignal bounded{.run = kHeld, .step = "s", .signal = "go", .wait = 1min};
  keep(judge(bounded));
  kept_.until = kNoon;
  const Verdict over = judge(bounded);
  EXPECT_FALSE(over.park);
  EXPECT_EQ(over.writes.at(0).state, StepState::completed);
  EXPECT_EQ(over.writes.at(0).error->kind, kErrorTimeout);
}

TEST_F(Rules, ASignalGoesToTheStepThatWaitsForItsName) {
  Step other;
  other.kind = StepKind::signal;
  other.state = StepState::waiting;
  other.signal = "stop";
  Step late = other, good = other;
  late.signal = good.signal = "go";
  late.until = kNoon;
  good.name = "good";
  const Signal signal{kRun, "go", Content{"1"}};
  const auto taken = take_signal({other, late, good}, signal, kNoon);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->name, "good");
  EXPECT_EQ(taken->output, Content{"1"});
  EXPECT_EQ(taken->state, StepState::completed);
  EXPECT_FALSE(take_signal({other, late}, signal, kNoon));
}

TEST_F(Rules, AChildsEndIsTheSteps) {
  const step::AwaitChild wait{.run = kHeld, .step = "c", .child = kChild};
  EXPECT_EQ(judge(wait).answer.code(), Code::not_found);
  facts_.child = JobState::ready;
  const Verdict parked = judge(wait);
  EXPECT_EQ(parked.park->until, kNoon + limits::kChildLookEvery);
  EXPECT_EQ(parked.writes.at(0).child, kChild);
  const Content result{"6"};
  facts_.child = JobState::completed;
  facts_.child_result = &result;
  EXPECT_EQ(judge(wait).writes.at(0).output, result);
  const JobError error{"broken", "x"};
  facts_.child = JobState::dead;
  facts_.child_error = &error;
  EXPECT_EQ(judge(wait).writes.at(0).error, error);
  EXPECT_EQ(judge(wait).writes.at(0).state, StepState::failed);
  facts_.child_error = nullptr;
  facts_.child = JobState::cancelled;
  EXPECT_EQ(judge(wait).writes.at(0).error->kind, "cancelled");
}

TEST_F(Rules, TheFirstCallNamesTheChild) {
  facts_.child = JobState::ready;
  keep(judge(step::AwaitChild{.run = kHeld, .step = "c", .child = kChild}));
  const step::AwaitChild other{.run = kHeld, .step = "c", .child = JobId{{1, 3}}};
  EXPECT_EQ(child_of(other, nullptr), other.child);
  EXPECT_EQ(child_of(other, facts_.latest), kChild);
  EXPECT_EQ(judge(other).writes.at(0).child, kChild);
  EXPECT_FALSE(child_of(kBegin, nullptr));
}

TEST_F(Rules, NoCallMakesMoreStepsThanARunMayHave) {
  facts_.steps = limits::kStepsPerRunMax;
  facts_.child = JobState::ready;
  const std::vector<StepCall> calls{kBegin,
                                    step::Complete{.run = kHeld, .step = "a", .unbegun_ok = true},
                                    step::Fail{.run = kHeld, .step = "a", .unbegun_ok = true},
                                    step::Sleep{.run = kHeld, .step = "a", .length = 1s},
                                    step::AwaitSignal{.run = kHeld, .step = "a", .signal = "s"},
                                    step::AwaitChild{.run = kHeld, .step = "a", .child = kChild}};
  for (const StepCall& call : calls) EXPECT_EQ(judge(call).answer.code(), Code::exhausted) << call.index();
  facts_.steps = 0;
  keep(judge(kBegin));
  facts_.steps = limits::kStepsPerRunMax;
  EXPECT_TRUE(judge(step::Complete{.run = kHeld, .step = "a"}).answer.ok()) << "what began may end";
}

TEST_F(Rules, AnAnswerSaysThatTheRunShallEnd) {
  facts_.cancel_requested = true;
  EXPECT_TRUE(judge(kBegin).answer->cancel_requested);
}

}  // namespace
}  // namespace muster::store::runs
