// Contract: a run that sleeps, or waits for a signal or a child, gives up its lease and goes on when its time comes.
#include "store/contract/contract.h"
#include "store/contract/recorder.h"

namespace muster::store::contract {
namespace {

class RunWaitContract : public StoreContract {
 protected:
  void SetUp() override {
    StoreContract::SetUp();
    join();
    join(a_worker("nurse", [](WorkerSpec& w) {
      w.capabilities = CapabilitySet({"tool:child"});
      w.queues = {QueueName("children")};
    }));
  }
  Grant take_again(JobId run, int line = __builtin_LINE()) {
    const Grant grant = take_one("w1", line);
    EXPECT_EQ(grant.id, run) << "line " << line;
    return grant;
  }
  JobId add_child(const Grant& parent, std::string name = "spawn") {
    return add(a_run([&](JobSpec& j) {
      j.run->parent = RunParent{parent.id, std::move(name)};
      j.queue = QueueName("children");
      j.needs = CapabilitySet({"tool:child"});
    }));
  }
  Grant take_child() { return take_one("nurse"); }

  Recorder recorder_;
};

// --- sleeping ---

TEST_P(RunWaitContract, ASleepingRunHoldsNoLeaseAndNoSlot) {
  join(a_worker("w1", [](WorkerSpec& w) { w.slots = 1; }));
  const Grant run = take_run();
  const StepAnswer slept = sleep(run, "nap", 10min);
  EXPECT_TRUE(slept.parked);
  EXPECT_EQ(slept.state, JobState::scheduled);
  EXPECT_EQ(slept.run_at, now() + 10min);
  EXPECT_EQ(slept.step->kind, StepKind::sleep);
  EXPECT_EQ(slept.step->state, StepState::waiting);
  const Job parked = job(run.id);
  EXPECT_EQ(parked.state, JobState::scheduled);
  EXPECT_EQ(parked.last_event, JobEvent::snoozed);
  EXPECT_EQ(parked.attempt, 1u) << "an attempt that sleeps is not taken back";
  EXPECT_FALSE(parked.lease_expires_at);
  EXPECT_EQ(worker().running, 0u);
  const JobId other = add();
  EXPECT_EQ(take_one().id, other);
}

TEST_P(RunWaitContract, ASleeperGoesOnBehindItsSleep) {
  const Grant run = take_run();
  begin(run, "before");
  complete_step(run, "before", "1");
  sleep(run, "nap", 10min);
  advance(10min - 1ms);
  must(beat());
  EXPECT_TRUE(idle());
  advance(1ms);
  const Grant again = take_again(run.id);
  EXPECT_EQ(again.attempt, 2u);
  EXPECT_FALSE(begin(again, "before").execute);
  const StepAnswer over = sleep(again, "nap", 10min);
  EXPECT_FALSE(over.parked);
  EXPECT_EQ(over.step->state, StepState::completed);
  EXPECT_EQ(steps_of(run.id).size(), 2u);
  EXPECT_TRUE(complete(again).ok());
}

TEST_P(RunWaitContract, BeginningASleepThatIsOverCompletesIt) {
  const Grant run = take_run();
  step(step::Begin{.run = run_of(run), .step = "nap", .kind = StepKind::sleep});
  sleep(run, "nap", 1min);
  advance(1min);
  const Grant again = take_again(run.id);
  const StepAnswer begun = step(step::Begin{.run = run_of(again), .step = "nap", .kind = StepKind::sleep});
  EXPECT_FALSE(begun.execute);
  EXPECT_EQ(begun.step->state, StepState::completed);
  EXPECT_EQ(steps_of(run.id).size(), 1u);
}

TEST_P(RunWaitContract, ASleepSurvivesARestartAndACrash) {
  const Grant run = take_run();
  const Instant until = *sleep(run, "nap", 10min).run_at;
  restart();
  crash();
  EXPECT_EQ(job(run.id).run_at, until);
  EXPECT_EQ(job(run.id).last_event, JobEvent::snoozed);
  must(beat());
  EXPECT_TRUE(idle());
  advance(10min);
  must(beat());
  sweep(&Store::promote_due);  // a store that was opened anew need not know what is due before its first pass
  take_again(run.id);
}

TEST_P(RunWaitContract, SleepingAgainUnderTheSameNameDoesNotStartOver) {
  const Grant run = take_run();
  const Instant until = *sleep(run, "nap", 10min).run_at;
  advance(1min);
  must(beat());
  must(client().wake_run(run.id));
  const Grant early = take_again(run.id);
  const StepAnswer again = sleep(early, "nap", 10min);
  EXPECT_TRUE(again.parked);
  EXPECT_EQ(again.run_at, until);
  EXPECT_EQ(steps_of(run.id).size(), 1u);
}

TEST_P(RunWaitContract, ASleepWithoutANameCompletesTheSleepThatRuns) {
  const Grant run = take_run();
  begin(run, "work");
  step(step::Begin{.run = run_of(run), .step = "__sleep_0", .kind = StepKind::sleep});
  const StepAnswer slept = sleep(run, "", 5s);
  EXPECT_TRUE(slept.parked);
  if (slept.step) {
    EXPECT_EQ(slept.step->name, "__sleep_0");
  }
  EXPECT_EQ(steps_of(run.id).at(1).state, StepState::completed);
  EXPECT_EQ(steps_of(run.id).at(0).state, StepState::running);
  EXPECT_EQ(step(step::Complete{.run = {run.id}, .step = "__sleep_0"}).step->state, StepState::completed);
  advance(5s);
  const Grant again = take_again(run.id);
  const StepAnswer none = sleep(again, "", 5s);
  EXPECT_TRUE(none.parked);
  EXPECT_FALSE(none.step);
}

TEST_P(RunWaitContract, SleepingUntilAnInstantThatHasPassedIsDueAtOnce) {
  const Grant run = take_run();
  EXPECT_TRUE(step(step::Sleep{.run = run_of(run), .step = "nap", .until = now() - 1s}).parked);
  const Grant again = take_again(run.id);
  EXPECT_FALSE(sleep(again, "nap", 1h).parked);
}

TEST_P(RunWaitContract, ARunThatShallEndIsCancelledInsteadOfParked) {
  const Grant run = take_run();
  must(cancel(run.id, "enough"));
  const StepAnswer slept = sleep(run, "nap", 1h);
  EXPECT_TRUE(slept.parked);
  EXPECT_EQ(slept.state, JobState::cancelled);
  EXPECT_FALSE(slept.run_at);
  EXPECT_EQ(state(run.id), JobState::cancelled);
  EXPECT_EQ(job(run.id).error->message, "enough");
}

TEST_P(RunWaitContract, ParkingIsTold) {
  harness().listen(&recorder_);
  const Grant run = take_run();
  sleep(run, "nap", 1min);
  advance(1min);
  sweep(&Store::promote_due);
  recorder_.catch_up(client());
  std::vector<JobEvent> events;
  for (const JobChange& change : recorder_.of(run.id)) events.push_back(change.event);
  EXPECT_EQ(events, (std::vector<JobEvent>{JobEvent::enqueued, JobEvent::claimed, JobEvent::snoozed, JobEvent::due}));
  const JobChange parked = recorder_.of(run.id).at(2);
  EXPECT_EQ(parked.from, JobState::running);
  EXPECT_EQ(parked.to, JobState::scheduled);
  EXPECT_EQ(parked.worker.text(), "w1");
  EXPECT_FALSE(recorder_.wakes().empty());
}

// --- signals ---

TEST_P(RunWaitContract, ASignalThatCameBeforeTheWaitIsTakenByIt) {
  const Grant run = take_run();
  EXPECT_FALSE(send(run.id, "paid", "1"));
  EXPECT_FALSE(send(run.id, "paid", "2"));
  EXPECT_FALSE(send(run.id, "other", "3"));
  const StepAnswer first = await_signal(run, "wait-1", "paid");
  EXPECT_FALSE(first.parked);
  EXPECT_EQ(first.step->kind, StepKind::signal);
  EXPECT_EQ(first.step->state, StepState::completed);
  EXPECT_EQ(first.step->output, json_of("1"));
  EXPECT_EQ(await_signal(run, "wait-2", "paid").step->output, json_of("2"));
  EXPECT_TRUE(await_signal(run, "wait-3", "paid").parked) << "each signal is taken once";
}

TEST_P(RunWaitContract, ASignalAfterTheWaitWakesTheRun) {
  const Grant run = take_run();
  const StepAnswer waiting = await_signal(run, "approval", "approved");
  EXPECT_TRUE(waiting.parked);
  EXPECT_EQ(waiting.step->state, StepState::waiting);
  EXPECT_EQ(waiting.step->signal, "approved");
  advance(1h);
  must(beat());
  EXPECT_TRUE(idle());
  EXPECT_FALSE(send(run.id, "unrelated"));
  EXPECT_TRUE(idle());
  EXPECT_TRUE(send(run.id, "approved", R"({"by":"ann"})"));
  EXPECT_EQ(state(run.id), JobState::ready);
  const Grant again = take_again(run.id);
  const StepAnswer taken = await_signal(again, "approval", "approved");
  EXPECT_FALSE(taken.parked);
  EXPECT_EQ(taken.step->output, json_of(R"({"by":"ann"})"));
  EXPECT_FALSE(send(run.id, "approved")) << "nobody waits any more";
}

TEST_P(RunWaitContract, SignalsAndWaitsSurviveACrash) {
  const Grant run = take_run();
  EXPECT_FALSE(send(run.id, "early", "1"));
  await_signal(run, "approval", "approved");
  crash();
  EXPECT_TRUE(send(run.id, "approved", "2"));
  crash();
  must(beat());
  const Grant again = take_again(run.id);
  EXPECT_EQ(await_signal(again, "approval", "approved").step->output, json_of("2"));
  EXPECT_EQ(await_signal(again, "late", "early").step->output, json_of("1"));
}

TEST_P(RunWaitContract, AWaitThatIsOverCompletesWithoutASignal) {
  const Grant run = take_run();
  const StepAnswer waiting = await_signal(run, "approval", "approved", 1h);
  EXPECT_EQ(waiting.run_at, now() + 1h);
  advance(1h);
  must(beat());
  const Grant again = take_again(run.id);
  const StepAnswer over = await_signal(again, "approval", "approved", 1h);
  EXPECT_FALSE(over.parked);
  EXPECT_EQ(over.step->state, StepState::completed);
  EXPECT_EQ(over.step->error->kind, kErrorTimeout);
  EXPECT_FALSE(over.step->output);
  EXPECT_FALSE(send(run.id, "approved", "9"));
  EXPECT_FALSE(await_signal(again, "approval", "approved", 1h).step->output) << "what is over stays so";
  EXPECT_EQ(await_signal(again, "second", "approved").step->output, json_of("9"));
}

TEST_P(RunWaitContract, ASignalAtTheVeryEndOfAWaitIsKept) {
  const Grant run = take_run();
  await_signal(run, "approval", "approved", 1h);
  advance(1h);
  EXPECT_FALSE(send(run.id, "approved", "9"));
  must(beat());
  EXPECT_EQ(await_signal(take_again(run.id), "approval", "approved", 1h).step->output, json_of("9"));
}

TEST_P(RunWaitContract, AWaitThatIsTakenUpAgainKeepsItsEnd) {
  const Grant run = take_run();
  const Instant until = *await_signal(run, "approval", "approved", 1h).run_at;
  advance(10min);
  must(beat());
  must(client().wake_run(run.id));
  const Grant again = take_again(run.id);
  EXPECT_EQ(await_signal(again, "approval", "approved", 1h).run_at, until);
}

TEST_P(RunWaitContract, ASignalForAWaitOfARunThatRunsIsTakenWithoutAWake) {
  const Grant run = take_run();
  await_signal(run, "approval", "approved");
  must(client().wake_run(run.id));
  const Grant again = take_again(run.id);
  EXPECT_TRUE(send(run.id, "approved", "7"));
  EXPECT_EQ(state(run.id), JobState::running);
  EXPECT_EQ(await_signal(again, "approval", "approved").step->output, json_of("7"));
}

TEST_P(RunWaitContract, OnlyLiveRunsTakeSignals) {
  const auto code = [&](JobId id) { return client().signal_run({id, "go", json_of("{}")}).code(); };
  const JobId plain = add([](JobSpec& j) { j.delay = 1h; });
  EXPECT_EQ(code(plain), Code::conflict);
  const Grant run = take_run();
  must(complete(run));
  EXPECT_EQ(code(run.id), Code::conflict);
  EXPECT_EQ(code(JobId{{1, 2}}), Code::not_found);
}

TEST_P(RunWaitContract, SignalsNobodyTakesAreBounded) {
  const Grant run = take_run();
  for (std::size_t i = 0; i < limits::kSignalsPerRunMax; ++i) send(run.id, "many", std::to_string(i));
  EXPECT_EQ(client().signal_run({run.id, "many", json_of("{}")}).code(), Code::exhausted);
  EXPECT_EQ(await_signal(run, "first", "many").step->output, json_of("0"));
  EXPECT_FALSE(send(run.id, "many"));
}

TEST_P(RunWaitContract, ASignalsDataMayBeBig) {
  const Grant run = take_run();
  const Content data{std::string(1024 * 1024, '\xfe'), Encoding::bytes};
  must(client().signal_run({run.id, "big", data}));
  crash();
  EXPECT_TRUE(await_signal(run, "wait", "big").step->output == data);
}

// --- children ---

TEST_P(RunWaitContract, AParentIsParkedUntilItsChildEndsAndHearsTheResult) {
  harness().listen(&recorder_);
  const Grant parent = take_run();
  const JobId child = add_child(parent);
  const StepAnswer waiting = await_child(parent, "spawn", child);
  EXPECT_TRUE(waiting.parked);
  EXPECT_EQ(waiting.step->kind, StepKind::child);
  EXPECT_EQ(waiting.step->child, child);
  must(client().complete({lease_of(take_child()), json_of("42")}));
  recorder_.catch_up(client());
  const JobChange ended = recorder_.of(child).back();
  EXPECT_EQ(ended.to, JobState::completed);
  EXPECT_EQ(ended.parent, parent.id);
  for (const JobChange& change : recorder_.of(child))
    if (!is_finished(change.to)) {
      EXPECT_FALSE(change.parent);
    }

  EXPECT_EQ(must(client().wake_run(parent.id)).state, JobState::ready);
  const Grant again = take_again(parent.id);
  const StepAnswer done = await_child(again, "spawn", child);
  EXPECT_FALSE(done.parked);
  EXPECT_EQ(done.step->state, StepState::completed);
  EXPECT_EQ(done.step->output, json_of("42"));
}

TEST_P(RunWaitContract, AChildThatEndedWhileItsParentRanIsAnsweredAtOnce) {
  const Grant parent = take_run();
  const JobId child = add_child(parent);
  must(client().complete({lease_of(take_child()), json_of(std::string(50'000, '1'))}));
  const StepAnswer done = await_child(parent, "spawn", child);
  EXPECT_FALSE(done.parked);
  EXPECT_EQ(done.step->output->data.size(), 50'000u);
}

TEST_P(RunWaitContract, AChildThatDidNotCompleteFailsTheStep) {
  const Grant parent = take_run();
  const JobId dead = add_child(parent, "a");
  must(fail_for_good(take_child(), "broken"));
  const StepAnswer failed = await_child(parent, "a", dead);
  EXPECT_FALSE(failed.parked);
  EXPECT_EQ(failed.step->state, StepState::failed);
  EXPECT_EQ(failed.step->error->kind, "broken");
  const JobId cancelled = add_child(parent, "b");
  must(cancel(cancelled, "not now"));
  EXPECT_EQ(await_child(parent, "b", cancelled).step->error->message, "not now");
}

TEST_P(RunWaitContract, AChildWithoutAResultCompletesTheStepWithoutOne) {
  const Grant parent = take_run();
  const JobId child = add_child(parent);
  must(complete(take_child()));
  const StepAnswer done = await_child(parent, "spawn", child);
  EXPECT_EQ(done.step->state, StepState::completed);
  EXPECT_FALSE(done.step->output);
}

TEST_P(RunWaitContract, TheFirstCallOfAStepNamesItsChild) {
  const Grant parent = take_run();
  const JobId first = add_child(parent);
  await_child(parent, "spawn", first);
  must(client().complete({lease_of(take_child()), json_of("1")}));
  must(client().wake_run(parent.id));
  const Grant again = take_again(parent.id);
  const JobId second = add_child(again);
  const StepAnswer done = await_child(again, "spawn", second);
  EXPECT_FALSE(done.parked);
  EXPECT_EQ(done.step->child, first);
  EXPECT_EQ(done.step->output, json_of("1"));
}

TEST_P(RunWaitContract, AChildThatDoesNotExistIsNotFound) {
  const Grant parent = take_run();
  EXPECT_EQ(client().run_step(step::AwaitChild{.run = run_of(parent), .step = "spawn", .child = JobId{{1, 2}}}).code(),
            Code::not_found);
  EXPECT_EQ(state(parent.id), JobState::running);
  EXPECT_TRUE(steps_of(parent.id).empty());
}

TEST_P(RunWaitContract, AParentLooksForItselfNowAndThen) {
  const Grant parent = take_run();
  const JobId child = add_child(parent);
  const StepAnswer waiting = await_child(parent, "spawn", child);
  EXPECT_EQ(waiting.run_at, now() + limits::kChildLookEvery);
  advance(limits::kChildLookEvery);
  must(beat());
  const Grant again = take_again(parent.id);
  EXPECT_TRUE(await_child(again, "spawn", child).parked);
  EXPECT_EQ(steps_of(parent.id).size(), 1u);
}

// --- waking ---

TEST_P(RunWaitContract, OnlyRunsThatSleepOrWaitAreWoken) {
  const auto woken = [&](JobId id) { return must(client().wake_run(id)).state; };
  const JobId later = add(a_run([](JobSpec& j) { j.delay = 1h; }));
  EXPECT_EQ(woken(later), JobState::scheduled) << "it was never claimed";
  const Grant run = take_run();
  EXPECT_EQ(woken(run.id), JobState::running);
  begin(run, "a");
  fail_step(run, "a");
  EXPECT_EQ(woken(run.id), JobState::scheduled) << "its retry has its time";
  EXPECT_EQ(job(run.id).last_event, JobEvent::failed);
  const Grant done = take_run();
  must(complete(done));
  EXPECT_EQ(woken(done.id), JobState::completed);
  EXPECT_EQ(client().wake_run(JobId{{1, 2}}).code(), Code::not_found);
}

TEST_P(RunWaitContract, AParkedRunSaysWhatItWaitsFor) {
  const Grant sleeper = take_run();
  sleep(sleeper, "nap", 1h);
  const WaitFacts asleep = must(client().explain(sleeper.id));
  ASSERT_EQ(asleep.parked_on.size(), 1u);
  EXPECT_EQ(asleep.parked_on[0].name, "nap");
  EXPECT_EQ(asleep.parked_on[0].until, now() + 1h);
  const Grant waiter = take_run();
  await_signal(waiter, "approval", "approved");
  const WaitFacts waiting = must(client().explain(waiter.id));
  ASSERT_EQ(waiting.parked_on.size(), 1u);
  EXPECT_EQ(waiting.parked_on[0].signal, "approved");
  const Grant parent = take_run();
  const JobId child = add_child(parent);
  await_child(parent, "spawn", child);
  ASSERT_EQ(must(client().explain(parent.id)).parked_on.size(), 1u);
  EXPECT_EQ(must(client().explain(parent.id)).parked_on[0].child, child);
  const Grant running = take_run();
  begin(running, "a");
  EXPECT_TRUE(must(client().explain(running.id)).parked_on.empty());
}

INSTANTIATE_TEST_SUITE_P(Stores, RunWaitContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
