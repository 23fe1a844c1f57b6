#include "store/jobs/rules.h"

#include <gtest/gtest.h>

namespace muster::store::jobs {
namespace {

using namespace std::chrono_literals;

constexpr Instant kNow{Duration(1'000'000)};
const JobError kBroken{"broken", "it broke"};

Standing running(std::uint32_t attempt = 2, std::uint32_t rescues = 1) {
  return {.state = JobState::running, .attempt = attempt, .rescues = rescues};
}

Standing asked_to_cancel() {
  Standing job = running();
  job.cancel_reason = "no longer wanted";
  return job;
}

Failure failure() { return {.lease = {}, .error = kBroken}; }

RetryPolicy tries(std::uint32_t most) {
  RetryPolicy policy;
  policy.attempts_max = most;
  return policy;
}

LeaseRef lease(std::uint64_t fence = 7) { return {JobId{}, Fence{fence}}; }

void expect_cancelled(const Verdict& verdict) {
  EXPECT_EQ(verdict.to, JobState::cancelled);
  EXPECT_EQ(verdict.event, JobEvent::cancelled);
  EXPECT_EQ(verdict.attempt, 2u) << "the attempt was begun";
  ASSERT_TRUE(verdict.error);
  EXPECT_EQ(verdict.error->kind, kErrorCancelled);
  EXPECT_EQ(verdict.error->message, "no longer wanted");
  EXPECT_FALSE(verdict.record);
}

TEST(JobRules, EveryVerdictIsAMoveOfTheTable) {
  for (const Verdict& verdict :
       {complete(running()), fail(running(), tries(1), failure(), kNow, 0), fail(running(), tries(9), failure(), kNow, 0),
        lose(running(), 0, kBroken), lose(running(), 9, kBroken), release(running()), snooze(running(), kNow),
        park(running(), kNow, JobEvent::failed), cancel(running(), kBroken), bury(running(), kBroken),
        expire(running(), kNow, kNow), release(asked_to_cancel())})
    EXPECT_EQ(next(JobState::running, verdict.event), verdict.to) << to_string(verdict.event);
  for (const JobState from : {JobState::scheduled, JobState::ready}) {
    const Standing waiting{.state = from};
    for (const Verdict& verdict : {cancel(waiting, kBroken), bury(waiting, kBroken), expire(waiting, std::nullopt, kNow)})
      EXPECT_EQ(next(from, verdict.event), verdict.to) << to_string(from) << ' ' << to_string(verdict.event);
  }
}

TEST(JobRules, AFailureWithAttemptsLeftWaitsItsBackoffAndIsRecorded) {
  RetryPolicy policy = tries(3);
  policy.backoff_base = 10s;
  policy.jitter = 0;
  const Verdict verdict = fail(running(1, 0), policy, failure(), kNow, 0.5);
  EXPECT_EQ(verdict.to, JobState::scheduled);
  EXPECT_EQ(verdict.run_at, kNow + 10s);
  EXPECT_EQ(verdict.attempt, 1u);
  EXPECT_EQ(verdict.error, kBroken);
  ASSERT_TRUE(verdict.record);
  EXPECT_EQ(verdict.record->outcome, JobEvent::failed);
}

TEST(JobRules, AFailureWithoutAttemptsLeftIsDead) {
  const Verdict verdict = fail(running(2), tries(2), failure(), kNow, 0);
  EXPECT_EQ(verdict.to, JobState::dead);
  EXPECT_EQ(verdict.event, JobEvent::exhausted);
  EXPECT_EQ(verdict.error, kBroken);
  EXPECT_FALSE(verdict.run_at);
  EXPECT_TRUE(verdict.record);
}

TEST(JobRules, AFailureThatMayNotBeRetriedIsDead) {
  Failure final = failure();
  final.retryable = false;
  EXPECT_EQ(fail(running(), tries(9), final, kNow, 0).to, JobState::dead);
}

TEST(JobRules, ADelayOfTheWorkersOwnReplacesTheBackoff) {
  Failure late = failure();
  late.delay = 90s;
  EXPECT_EQ(fail(running(), tries(9), late, kNow, 0).run_at, kNow + 90s);
}

TEST(JobRules, ALostJobSpendsARescueAndNoAttempt) {
  const Verdict verdict = lose(running(2, 1), 5, kBroken);
  EXPECT_EQ(verdict.to, JobState::ready);
  EXPECT_EQ(verdict.attempt, 1u);
  EXPECT_EQ(verdict.rescues, 2u);
  EXPECT_FALSE(verdict.run_at) << "it runs again at once";
  ASSERT_TRUE(verdict.record);
  EXPECT_EQ(verdict.record->outcome, JobEvent::lost);
}

TEST(JobRules, ALostJobWithoutRescuesLeftIsDeadAndSaysHowOften) {
  const Verdict verdict = lose(running(2, 1), 1, kBroken);
  EXPECT_EQ(verdict.to, JobState::dead);
  ASSERT_TRUE(verdict.error);
  EXPECT_EQ(verdict.error->kind, kErrorRescueFailed);
  EXPECT_EQ(verdict.error->message, "lost with its worker 2 times, 1 rescues are allowed; last: it broke");
  ASSERT_TRUE(verdict.record);
  EXPECT_EQ(verdict.record->error, kBroken) << "the attempt itself was only lost";
}

TEST(JobRules, ReleasingAndSnoozingCostNoAttempt) {
  EXPECT_EQ(release(running(2)).attempt, 1u);
  EXPECT_EQ(release(running(2)).to, JobState::ready);
  const Verdict later = snooze(running(2), kNow + 5s);
  EXPECT_EQ(later.attempt, 1u);
  EXPECT_EQ(later.to, JobState::scheduled);
  EXPECT_EQ(later.run_at, kNow + 5s);
  EXPECT_FALSE(later.record);
}

TEST(JobRules, ParkingKeepsTheAttempt) {
  const Verdict verdict = park(running(2), kNow + 5s, JobEvent::failed);
  EXPECT_EQ(verdict.attempt, 2u);
  EXPECT_EQ(verdict.event, JobEvent::failed);
  EXPECT_EQ(verdict.run_at, kNow + 5s);
}

TEST(JobRules, WhatIsSnoozedUntilNowIsScheduledAndDueByAMoveOfItsOwn) {
  EXPECT_EQ(snooze(running(), kNow).to, JobState::scheduled);
}

TEST(JobRules, AJobSomebodyAskedToCancelEndsSoWhateverEndsItsLease) {
  const Standing job = asked_to_cancel();
  expect_cancelled(fail(job, tries(9), failure(), kNow, 0));
  expect_cancelled(lose(job, 9, kBroken));
  expect_cancelled(release(job));
  expect_cancelled(snooze(job, kNow));
  expect_cancelled(park(job, kNow, JobEvent::snoozed));
}

TEST(JobRules, ACompletionIsOneEvenAfterSomebodyAskedToCancel) { EXPECT_EQ(complete(asked_to_cancel()).to, JobState::completed); }

TEST(JobRules, CancellingARunningJobOnlyAsksItsWorker) { EXPECT_FALSE(cancel(running(), Cancel{.job = {}, .reason = "why"})); }

TEST(JobRules, CancellingAtOnceEndsARunningJob) {
  const auto verdict = cancel(running(), Cancel{.job = {}, .reason = "why", .at_once = true});
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->to, JobState::cancelled);
  EXPECT_EQ(verdict->error, (JobError{kErrorCancelled, "why"}));
}

TEST(JobRules, CancellingAWaitingJobEndsIt) {
  const auto verdict = cancel(Standing{.state = JobState::scheduled}, Cancel{.job = {}, .reason = "why"});
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->to, JobState::cancelled);
}

TEST(JobRules, CancellingAsDeadEndsARunningJobToo) {
  const auto verdict = cancel(running(), Cancel{.job = {}, .reason = {}, .as_dead = kBroken});
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->to, JobState::dead);
  EXPECT_EQ(verdict->error, kBroken);
}

TEST(JobRules, AJobPastItsDeadlineSaysSoAndOneThatOnlyWaitedTooLongSaysThat) {
  EXPECT_EQ(expire(running(), kNow, kNow).error->kind, kErrorDeadline);
  EXPECT_EQ(expire(Standing{.state = JobState::ready}, kNow + 1ms, kNow).error->kind, kErrorExpired);
  EXPECT_EQ(expire(Standing{.state = JobState::ready}, std::nullopt, kNow).error->kind, kErrorExpired);
}

TEST(JobRules, ARepeatedOutcomeIsAnsweredAsItWasTheFirstTime) {
  const Past past{JobState::scheduled, JobEvent::failed, Fence{7}, 2, kNow};
  const auto settled = repeated(lease(), JobEvent::failed, past);
  ASSERT_TRUE(settled.ok());
  EXPECT_EQ(settled->state, JobState::scheduled);
  EXPECT_EQ(settled->attempt, 2u);
  EXPECT_EQ(settled->run_at, kNow);
}

TEST(JobRules, AFinishedJobRunsAgainAtNoTime) {
  const Past past{JobState::completed, JobEvent::completed, Fence{7}, 2, kNow};
  EXPECT_FALSE(repeated(lease(), JobEvent::completed, past)->run_at);
}

TEST(JobRules, AnotherOutcomeThanTheRecordedOneHasLostItsLease) {
  const Past past{JobState::completed, JobEvent::completed, Fence{7}, 2, std::nullopt};
  EXPECT_EQ(repeated(lease(), JobEvent::failed, past).status().code(), Code::lease_lost);
}

TEST(JobRules, TheRecordedOutcomeUnderAnotherFenceHasLostItsLease) {
  const Past past{JobState::completed, JobEvent::completed, Fence{7}, 2, std::nullopt};
  EXPECT_EQ(repeated(lease(8), JobEvent::completed, past).status().code(), Code::lease_lost);
}

TEST(JobRules, AFailureThatKilledItsJobMayBeRepeated) {
  const Past past{JobState::dead, JobEvent::exhausted, Fence{7}, 2, std::nullopt};
  EXPECT_TRUE(repeated(lease(), JobEvent::failed, past).ok());
  EXPECT_TRUE(repeated(lease(), JobEvent::lost, past).ok());
  EXPECT_FALSE(repeated(lease(), JobEvent::released, past).ok());
}

TEST(JobRules, WhatEndedACancelledJobMayBeRepeatedUnlessItIsACompletion) {
  const Past past{JobState::cancelled, JobEvent::cancelled, Fence{7}, 2, std::nullopt};
  EXPECT_TRUE(repeated(lease(), JobEvent::released, past).ok());
  EXPECT_FALSE(repeated(lease(), JobEvent::completed, past).ok());
}

TEST(JobRules, AnUndeliveredJobWasLost) {
  Failure undelivered = failure();
  undelivered.undelivered = true;
  EXPECT_EQ(event_of(undelivered), JobEvent::lost);
  EXPECT_EQ(event_of(failure()), JobEvent::failed);
  EXPECT_EQ(event_of(Snooze{}), JobEvent::snoozed);
  EXPECT_EQ(event_of(Release{}), JobEvent::released);
  EXPECT_EQ(event_of(Completion{}), JobEvent::completed);
}

TEST(JobRules, OnlyDeadAndCancelledJobsAreRedriven) {
  for (const JobState state : kJobStates)
    EXPECT_EQ(may_redrive({}, state).ok(), state == JobState::dead || state == JobState::cancelled) << to_string(state);
}

TEST(JobRules, ARedrivenJobWaitsForNobodyAndForgetsADeadlineThatIsPast) {
  JobSpec spec;
  spec.after = {JobId{}};
  spec.deadline = kNow;
  start_over(spec, kNow);
  EXPECT_TRUE(spec.after.empty());
  EXPECT_FALSE(spec.deadline);
  spec.deadline = kNow + 1ms;
  start_over(spec, kNow);
  EXPECT_EQ(spec.deadline, kNow + 1ms);
}

TEST(JobRules, AJobExpiresAfterItsTimeOrAtItsDeadlineWhicheverIsFirst) {
  JobSpec spec;
  EXPECT_FALSE(expiry_of(spec, kNow));
  spec.deadline = kNow + 20s;
  EXPECT_EQ(expiry_of(spec, kNow), kNow + 20s);
  spec.expires_in = 10s;
  EXPECT_EQ(expiry_of(spec, kNow), kNow + 10s);
  spec.expires_in = 30s;
  EXPECT_EQ(expiry_of(spec, kNow), kNow + 20s);
}

TEST(JobRules, OnlyARunThatGaveUpItsLeaseToWaitIsParked) {
  EXPECT_TRUE(is_parked(true, JobState::scheduled, JobEvent::snoozed));
  EXPECT_FALSE(is_parked(false, JobState::scheduled, JobEvent::snoozed));
  EXPECT_FALSE(is_parked(true, JobState::scheduled, JobEvent::failed));
  EXPECT_FALSE(is_parked(true, JobState::running, JobEvent::snoozed));
}

TEST(JobRules, APausedOrFullQueueHasNoRoom) {
  const auto none = [](const std::string&) { return 0u; };
  QueueSettings queue;
  EXPECT_TRUE(has_room(queue, JobType("a"), 5, none));
  queue.running_max = 5;
  EXPECT_TRUE(has_room(queue, JobType("a"), 4, none));
  EXPECT_FALSE(has_room(queue, JobType("a"), 5, none));
  queue.paused = true;
  EXPECT_FALSE(has_room(queue, JobType("a"), 0, none));
}

TEST(JobRules, ATypeAtItsCapHasNoRoomAndOthersHave) {
  QueueSettings queue;
  queue.running_max_by_type["a"] = 2;
  const auto two = [](const std::string&) { return 2u; };
  EXPECT_FALSE(has_room(queue, JobType("a"), 2, two));
  EXPECT_TRUE(has_room(queue, JobType("b"), 2, two));
}

TEST(JobRules, AnEmptyBucketSaysWhenToComeBackAndTheEarliestCounts) {
  QueueSettings queue;
  RateBucket bucket;
  std::optional<Instant> retry_at;
  EXPECT_TRUE(has_token(queue, bucket, kNow, retry_at)) << "no rate, no bucket";
  queue.rate = RateLimit{.count = 1, .per = 1s, .burst = 1};
  EXPECT_TRUE(has_token(queue, bucket, kNow, retry_at));
  bucket.take();
  EXPECT_FALSE(has_token(queue, bucket, kNow, retry_at));
  EXPECT_EQ(retry_at, kNow + 1s);
  retry_at = kNow + 1ms;
  EXPECT_FALSE(has_token(queue, bucket, kNow, retry_at));
  EXPECT_EQ(retry_at, kNow + 1ms);
}

TEST(JobRules, AHeadIsNotTakenWhenItIsBoundElsewhereOrItsKeyIsFull) {
  const auto two = [] { return 2u; };
  EXPECT_EQ(may_take(false, std::nullopt, two), Take::yes);
  EXPECT_EQ(may_take(true, std::nullopt, two), Take::bound);
  EXPECT_EQ(may_take(false, 2, two), Take::key_full);
  EXPECT_EQ(may_take(false, 3, two), Take::yes);
}

}  // namespace
}  // namespace muster::store::jobs
