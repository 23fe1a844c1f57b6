// Contract: how an attempt ends, and that saying it twice is safe.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class OutcomeContract : public StoreContract {
 protected:
  void SetUp() override {
    StoreContract::SetUp();
    join();
  }
  // Waits until the job's next attempt is due and takes it.
  Grant next_attempt(JobId id) {
    const Job waiting = job(id);
    if (waiting.run_at && *waiting.run_at > now()) advance(*waiting.run_at - now());
    sweep(&Store::promote_due);
    must(beat());
    return take_one();
  }
};

TEST_P(OutcomeContract, CompletingFinishesTheJob) {
  add();
  const Grant grant = take_one();
  advance(3s);
  const Settled settled = must(complete(grant));
  EXPECT_EQ(settled.id, grant.id);
  EXPECT_EQ(settled.state, JobState::completed);
  EXPECT_EQ(settled.attempt, 1u);
  EXPECT_FALSE(settled.run_at);
  const Job found = job(grant.id);
  EXPECT_EQ(found.state, JobState::completed);
  EXPECT_EQ(found.finished_at, now());
  EXPECT_EQ(found.worker.text(), "w1");
  EXPECT_FALSE(found.lease_expires_at);
  EXPECT_FALSE(found.result);
}

TEST_P(OutcomeContract, TheResultIsKept) {
  for (const Content& result : {Content{R"({"ok":true})", Encoding::json}, Content{std::string("\0b", 2), Encoding::bytes},
                                Content{"", Encoding::bytes}, Content{std::string(300'000, 'r'), Encoding::bytes}}) {
    const JobId id = add();
    must(client().complete({lease_of(take_one()), result}));
    ASSERT_TRUE(job(id).result);
    EXPECT_EQ(*job(id).result, result);
  }
}

TEST_P(OutcomeContract, CompletingAgainUnderTheSameFenceIsOkAndWritesNothing) {
  const JobId id = add();
  const Grant grant = take_one();
  must(client().complete({lease_of(grant), Content{"first", Encoding::bytes}}));
  advance(1h);
  const Settled again = must(client().complete({lease_of(grant), Content{"second", Encoding::bytes}}));
  EXPECT_EQ(again.state, JobState::completed);
  EXPECT_EQ(job(id).result, (Content{"first", Encoding::bytes}));
  EXPECT_EQ(job(id).finished_at, now() - 1h);
  EXPECT_EQ(worker().completed, 1u);
}

TEST_P(OutcomeContract, CompletingAgainIsOkAfterARestart) {
  add();
  const Grant grant = take_one();
  must(complete(grant));
  restart();
  EXPECT_EQ(must(complete(grant)).state, JobState::completed);
}

TEST_P(OutcomeContract, AnotherOutcomeAfterCompletionIsRefused) {
  const JobId id = add();
  const Grant grant = take_one();
  must(complete(grant));
  EXPECT_EQ(fail(grant).code(), Code::lease_lost);
  EXPECT_EQ(snooze(grant, 1s).code(), Code::lease_lost);
  EXPECT_EQ(release(grant).code(), Code::lease_lost);
  EXPECT_EQ(renew(grant).code(), Code::lease_lost);
  EXPECT_EQ(state(id), JobState::completed);
}

TEST_P(OutcomeContract, CompletingAfterAnotherOutcomeIsRefused) {
  add_many(4);
  const Grant failed = take_one(), buried = take_one(), snoozed = take_one(), released = take_one();
  must(fail(failed));
  must(fail_for_good(buried));
  must(snooze(snoozed, 1h));
  must(release(released));
  for (const Grant& grant : {failed, buried, snoozed, released}) EXPECT_EQ(complete(grant).code(), Code::lease_lost);
  EXPECT_EQ(state(failed.id), JobState::scheduled);
  EXPECT_EQ(state(buried.id), JobState::dead);
}

TEST_P(OutcomeContract, AFailureIsRetriedAfterItsBackoff) {
  const JobId id = add([](JobSpec& j) { j.retry.backoff_base = 2s; });
  const Settled settled = must(fail(take_one()));
  EXPECT_EQ(settled.state, JobState::scheduled);
  EXPECT_EQ(settled.attempt, 1u);
  EXPECT_EQ(settled.run_at, now() + 2s);
  EXPECT_EQ(job(id).run_at, now() + 2s);
  EXPECT_TRUE(idle());
}

TEST_P(OutcomeContract, TheBackoffGrowsUpToItsCap) {
  const JobId id = add([](JobSpec& j) {
    j.retry = {
        .attempts_max = 10, .backoff_base = 1s, .backoff_factor = 3.0, .backoff_max = 20s, .jitter = 0, .non_retryable = {}};
  });
  Grant grant = take_one();
  for (const Duration expected : {1'000ms, 3'000ms, 9'000ms, 20'000ms, 20'000ms}) {
    EXPECT_EQ(must(fail(grant)).run_at, now() + expected);
    grant = next_attempt(id);
  }
}

TEST_P(OutcomeContract, JitterStaysWithinItsShare) {
  for (int i = 0; i < 20; ++i) {
    add([](JobSpec& j) {
      j.retry.backoff_base = 10s;
      j.retry.jitter = 0.5;
    });
    const Settled settled = must(fail(take_one()));
    EXPECT_GE(*settled.run_at, now() + 5s);
    EXPECT_LE(*settled.run_at, now() + 15s);
  }
}

TEST_P(OutcomeContract, TheWorkerMayChooseTheDelay) {
  add();
  const Settled settled = must(client().fail({lease_of(take_one()), {"boom", ""}, true, Duration(42s)}));
  EXPECT_EQ(settled.run_at, now() + 42s);
}

TEST_P(OutcomeContract, AFailureIsRemembered) {
  const JobId id = add();
  const Instant started = now();
  const Grant grant = take_one();
  advance(4s);
  must(client().fail({lease_of(grant), {"bad_thing", "what happened"}, true, std::nullopt}));
  const Job found = job(id);
  EXPECT_EQ(found.error, (JobError{"bad_thing", "what happened"}));
  ASSERT_EQ(found.attempts.size(), 1u);
  const AttemptRecord& record = found.attempts.front();
  EXPECT_EQ(record.attempt, 1u);
  EXPECT_EQ(record.fence, grant.fence);
  EXPECT_EQ(record.worker.text(), "w1");
  EXPECT_EQ(record.started_at, started);
  EXPECT_EQ(record.ended_at, now());
  EXPECT_EQ(record.outcome, JobEvent::failed);
  EXPECT_EQ(record.error, (JobError{"bad_thing", "what happened"}));
}

TEST_P(OutcomeContract, OnlyTheNewestFailuresAreRemembered) {
  constexpr std::uint32_t kFailures = limits::kAttemptRecordsMax + 5;
  const JobId id = add([](JobSpec& j) {
    j.retry.attempts_max = 100;
    j.retry.backoff_base = 1s;
    j.retry.backoff_factor = 1;
  });
  Grant grant = take_one();
  for (std::uint32_t i = 1; i <= kFailures; ++i) {
    must(fail(grant, fmt::format("kind{}", i)));
    grant = next_attempt(id);
  }
  const Job found = job(id);
  ASSERT_EQ(found.attempts.size(), limits::kAttemptRecordsMax);
  EXPECT_EQ(found.error->kind, fmt::format("kind{}", kFailures));
  std::vector<std::uint32_t> numbers;
  for (const AttemptRecord& record : found.attempts) numbers.push_back(record.attempt);
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), kFailures), 1);
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), 1u), 0);
}

TEST_P(OutcomeContract, AttemptsAreCounted) {
  const JobId id = add();
  Grant grant = take_one();
  for (std::uint32_t attempt = 1; attempt <= 3; ++attempt) {
    EXPECT_EQ(grant.attempt, attempt);
    EXPECT_EQ(job(id).attempt, attempt);
    must(fail(grant));
    grant = next_attempt(id);
  }
}

TEST_P(OutcomeContract, TheLastFailureKills) {
  const JobId id = add([](JobSpec& j) { j.retry.attempts_max = 2; });
  EXPECT_EQ(must(fail(take_one())).state, JobState::scheduled);
  const Settled settled = must(fail(next_attempt(id), "last"));
  EXPECT_EQ(settled.state, JobState::dead);
  EXPECT_EQ(settled.attempt, 2u);
  const Job found = job(id);
  EXPECT_EQ(found.state, JobState::dead);
  EXPECT_EQ(found.finished_at, now());
  EXPECT_EQ(found.error->kind, "last");
  EXPECT_EQ(found.attempts.size(), 2u);
}

TEST_P(OutcomeContract, AJobOfOneAttemptDiesAtOnce) {
  add([](JobSpec& j) { j.retry.attempts_max = 1; });
  EXPECT_EQ(must(fail(take_one())).state, JobState::dead);
}

TEST_P(OutcomeContract, AnErrorThatMayNotBeRetriedKills) {
  add([](JobSpec& j) { j.retry.non_retryable = {"other", "bad_input"}; });
  EXPECT_EQ(must(fail(take_one(), "bad_input")).state, JobState::dead);
}

TEST_P(OutcomeContract, AnErrorTheWorkerCallsFinalKills) {
  add();
  EXPECT_EQ(must(fail_for_good(take_one())).state, JobState::dead);
}

TEST_P(OutcomeContract, FailingAgainUnderTheSameFenceSaysTheSame) {
  const JobId id = add([](JobSpec& j) { j.retry.attempts_max = 2; });
  Grant grant = take_one();
  const Settled first = must(fail(grant));
  const Settled again = must(fail(grant));
  EXPECT_EQ(again.state, JobState::scheduled);
  EXPECT_EQ(again.run_at, first.run_at);
  EXPECT_EQ(again.attempt, first.attempt);
  EXPECT_EQ(job(id).attempts.size(), 1u);
  grant = next_attempt(id);
  must(fail(grant));
  EXPECT_EQ(must(fail(grant)).state, JobState::dead);
  EXPECT_EQ(job(id).attempts.size(), 2u);
}

TEST_P(OutcomeContract, SnoozingAgainUnderTheSameFenceSaysTheSame) {
  add();
  const Grant grant = take_one();
  const Settled first = must(snooze(grant, 10s));
  advance(5s);
  EXPECT_EQ(must(snooze(grant, 10s)).run_at, first.run_at);
}

TEST_P(OutcomeContract, ReleasingAgainUnderTheSameFenceSaysTheSame) {
  add();
  const Grant grant = take_one();
  must(release(grant));
  EXPECT_EQ(must(release(grant)).state, JobState::ready);
}

TEST_P(OutcomeContract, SnoozingCostsNothing) {
  const JobId id = add([](JobSpec& j) { j.retry.attempts_max = 1; });
  for (int i = 0; i < 5; ++i) {
    const Grant grant = i == 0 ? take_one() : next_attempt(id);
    EXPECT_EQ(grant.attempt, 1u);
    const Settled settled = must(snooze(grant, 10s));
    EXPECT_EQ(settled.state, JobState::scheduled);
    EXPECT_EQ(settled.run_at, now() + 10s);
    EXPECT_EQ(job(id).attempt, 0u);
    EXPECT_EQ(job(id).rescues, 0u);
  }
  EXPECT_TRUE(job(id).attempts.empty());
}

TEST_P(OutcomeContract, ReleasingCostsNothing) {
  const JobId id = add([](JobSpec& j) { j.retry.attempts_max = 1; });
  for (int i = 0; i < 5; ++i) {
    const Grant grant = take_one();
    EXPECT_EQ(grant.attempt, 1u);
    EXPECT_EQ(must(release(grant)).state, JobState::ready);
    EXPECT_EQ(job(id).attempt, 0u);
    EXPECT_EQ(job(id).rescues, 0u);
    EXPECT_FALSE(job(id).lease_expires_at);
  }
}

TEST_P(OutcomeContract, ProgressIsKept) {
  const JobId id = add();
  const Grant grant = take_one();
  advance(2s);
  must(client().report_progress({lease_of(grant), 0.25, "a quarter", Content{"[1]", Encoding::json}}));
  const Job found = job(id);
  ASSERT_TRUE(found.progress);
  EXPECT_DOUBLE_EQ(found.progress->fraction, 0.25);
  EXPECT_EQ(found.progress->message, "a quarter");
  EXPECT_EQ(found.progress->partial, (Content{"[1]", Encoding::json}));
  EXPECT_EQ(found.progress->at, now());
}

TEST_P(OutcomeContract, TheNewestProgressWins) {
  const JobId id = add();
  const Grant grant = take_one();
  must(client().report_progress({lease_of(grant), 0.25, "early", Content{"a", Encoding::bytes}}));
  must(client().report_progress({lease_of(grant), 0.75, "late", Content{"b", Encoding::bytes}}));
  EXPECT_DOUBLE_EQ(job(id).progress->fraction, 0.75);
  EXPECT_EQ(job(id).progress->partial->data, "b");
}

TEST_P(OutcomeContract, APartialResultIsHandedToTheNextAttempt) {
  const JobId id = add();
  const Content partial{"half done", Encoding::bytes};
  const Grant grant = take_one();
  must(client().report_progress({lease_of(grant), 0.5, "", partial}));
  must(fail(grant));
  EXPECT_EQ(next_attempt(id).partial, partial);
}

TEST_P(OutcomeContract, APartialResultIsHandedOnAfterARescueAndARestart) {
  add();
  const Content partial{"half done", Encoding::bytes};
  must(client().report_progress({lease_of(take_one()), 0.5, "", partial}));
  join();  // replaces the session: the lease is lost
  restart();
  EXPECT_EQ(take_one().partial, partial);
}

TEST_P(OutcomeContract, TheWorkersCountersFollow) {
  add_many(5);
  must(complete(take_one()));
  must(complete(take_one()));
  must(fail(take_one()));
  must(release(take_one()));
  take_one();
  const Worker found = worker();
  EXPECT_EQ(found.completed, 2u);
  EXPECT_EQ(found.failed, 1u);
  EXPECT_EQ(found.running, 1u);
}

INSTANTIATE_TEST_SUITE_P(Stores, OutcomeContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
