// Runs: what is refused before the store hears of it, ends without a fence, and waiting for a run to finish.
#include "engine/runs.h"

#include <gtest/gtest.h>

#include "engine/fake_store_testing.h"
#include "model/limits.h"

namespace muster::engine {
namespace {

// The store's answers about jobs are the test's.
class RunStoreFake final : public FakeStore {
 public:
  Job job;
  std::vector<JobId> woken;
  std::vector<store::Failure> failures;
  std::vector<store::Cancel> cancels;
  std::vector<Step> steps;
  std::deque<Reply<store::Each<Job>>> held;  // answers about jobs, while `holds`
  bool holds = false;

  void get_jobs(std::vector<JobId> jobs, Reply<store::Each<Job>> reply) override {
    verbs.emplace_back("get_jobs");
    if (holds) return held.push_back(std::move(reply));
    store::Each<Job> out;
    for (std::size_t i = 0; i < jobs.size(); ++i) out.emplace_back(job);
    reply(std::move(out));
  }
  void wake_runs(std::vector<JobId> runs, Reply<store::Each<store::Settled>> reply) override {
    woken.insert(woken.end(), runs.begin(), runs.end());
    reply(store::Each<store::Settled>(runs.size(), store::Settled()));
  }
  void fail(std::vector<store::Failure> batch, Reply<store::Each<store::Settled>> reply) override {
    failures = std::move(batch);
    reply(store::Each<store::Settled>(failures.size(), store::Settled()));
  }
  void cancel(std::vector<store::Cancel> batch, Reply<store::Each<store::Cancelled>> reply) override {
    const std::size_t count = batch.size();
    cancels.insert(cancels.end(), batch.begin(), batch.end());
    reply(store::Each<store::Cancelled>(count, store::Cancelled()));
  }
  void list_steps(store::StepQuery query, Reply<store::StepPage> reply) override {
    store::StepPage page;
    for (const Step& step : steps)
      if (step.run == *query.run) page.steps.push_back(step);
    reply(std::move(page));
  }
};

JobId id(std::uint64_t number) { return JobId{{number, number}}; }

class RunsTest : public testing::Test {
 protected:
  RunsTest() {
    store_.job.id = id(1);
    store_.job.state = JobState::running;
    store_.job.fence = Fence{7};
    store_.job.spec.run = RunSpec();
  }
  void tell_finished(JobId run, std::optional<JobId> parent = std::nullopt) {
    JobChange change;
    change.id = run;
    change.from = JobState::running;
    change.to = JobState::completed;
    change.parent = parent;
    const std::vector<JobChange> jobs{change};
    runs_.committed({.jobs = jobs, .workers = {}, .queues = {}, .wakes = {}});
  }

  RunStoreFake store_;
  ManualClock clock_;
  Options options_;
  Jobs jobs_{store_};
  Runs runs_{store_, jobs_, clock_, options_};
};

TEST_F(RunsTest, StepsThatAreRefusedNeverReachTheStoreAndTheOthersDo) {
  std::vector<store::StepCall> calls;
  calls.emplace_back(store::step::Begin{.run = {id(1)}, .step = ""});
  calls.emplace_back(store::step::Begin{.run = {id(1)}, .step = "a"});
  calls.emplace_back(store::step::Begin{.run = {id(1)}, .step = std::string(limits::kStepNameBytesMax + 1, 'x')});
  std::optional<store::Each<store::StepAnswer>> answers;
  runs_.steps(std::move(calls), [&](auto result) { answers = std::move(*result); });
  ASSERT_TRUE(answers && answers->size() == 3);
  EXPECT_EQ((*answers)[0].code(), Code::invalid_argument);
  EXPECT_TRUE((*answers)[1].ok());
  EXPECT_EQ((*answers)[2].code(), Code::invalid_argument);
}

TEST_F(RunsTest, AnEndWithoutAFenceIsMadeUnderTheLeaseThatIsCurrent) {
  runs_.complete({id(1)}, Content{"1"}, [](const auto& result) { EXPECT_TRUE(result.ok()); });
  ASSERT_EQ(store_.completions.size(), 1u);
  EXPECT_EQ(store_.completions[0].lease.fence, Fence{7});
}

TEST_F(RunsTest, AnEndUnderAFenceAsksForNothingFirst) {
  runs_.complete({id(1), Fence{3}}, Content{"1"}, [](const auto& result) { EXPECT_TRUE(result.ok()); });
  ASSERT_EQ(store_.completions.size(), 1u);
  EXPECT_EQ(store_.completions[0].lease.fence, Fence{3});
  EXPECT_EQ(std::count(store_.verbs.begin(), store_.verbs.end(), "get_jobs"), 0);
}

TEST_F(RunsTest, ARunThatIsNotRunningCannotBeEnded) {
  store_.job.state = JobState::scheduled;
  std::optional<Code> code;
  runs_.complete({id(1)}, Content{"1"}, [&](const auto& result) { code = result.code(); });
  EXPECT_EQ(code, Code::conflict);
  EXPECT_TRUE(store_.completions.empty());
}

TEST_F(RunsTest, ARunThatFailsIsNotTriedAgain) {
  runs_.fail({id(1)}, {"boom", "it broke"}, [](const auto& result) { EXPECT_TRUE(result.ok()); });
  ASSERT_EQ(store_.failures.size(), 1u);
  EXPECT_FALSE(store_.failures[0].retryable);
}

TEST_F(RunsTest, CancellingARunEndsTheChildrenItWaitsFor) {
  Step waiting{.run = id(1), .name = "child", .kind = StepKind::child, .state = StepState::waiting};
  waiting.child = id(2);
  Step done{.run = id(1), .name = "old", .kind = StepKind::child, .state = StepState::completed};
  done.child = id(3);
  store_.steps = {waiting, done};
  runs_.cancel(id(1), "enough", [](const auto& result) { EXPECT_TRUE(result.ok()); });
  ASSERT_EQ(store_.cancels.size(), 2u);
  EXPECT_TRUE(store_.cancels[0].at_once);
  EXPECT_EQ(store_.cancels[1].job, id(2));
}

TEST_F(RunsTest, TerminatingARunLeavesItDeadWithTheReason) {
  runs_.terminate(id(1), "because", [](const auto& result) { EXPECT_TRUE(result.ok()); });
  ASSERT_EQ(store_.cancels.size(), 1u);
  ASSERT_TRUE(store_.cancels[0].as_dead);
  EXPECT_EQ(store_.cancels[0].as_dead->kind, kErrorTerminated);
  EXPECT_EQ(store_.cancels[0].as_dead->message, "because");
}

TEST_F(RunsTest, OnlyAFinishedRunCanBeStartedAgain) {
  std::optional<Code> code;
  runs_.start_again(id(1), {.external_id = "again", .correlation = {}}, [&](const auto& result) { code = result.code(); });
  EXPECT_EQ(code, Code::conflict);
  EXPECT_TRUE(store_.enqueued.empty());
}

TEST_F(RunsTest, ARunStartedAgainCarriesNeitherTheKeyNorTheDeadlineOfTheFirst) {
  store_.job.state = JobState::dead;
  store_.job.spec.type = JobType("t");
  store_.job.spec.idempotency_key = "once";
  store_.job.spec.deadline = clock_.now();
  runs_.start_again(id(1), {.external_id = "again", .correlation = {}}, [](const auto& result) { EXPECT_TRUE(result.ok()); });
  ASSERT_EQ(store_.enqueued.size(), 1u);
  EXPECT_TRUE(store_.enqueued[0].idempotency_key.empty());
  EXPECT_FALSE(store_.enqueued[0].deadline);
  EXPECT_EQ(store_.enqueued[0].run->external_id, "again");
}

TEST_F(RunsTest, AFinishedChildWakesItsParent) {
  tell_finished(id(2), id(1));
  EXPECT_EQ(store_.woken, std::vector<JobId>{id(1)});
}

TEST_F(RunsTest, WhoWaitsForARunHearsOfItsEnd) {
  std::optional<JobState> state;
  runs_.await_end(id(1), std::chrono::seconds(10), [&](Result<Job> job) { state = job->state; });
  EXPECT_FALSE(state);
  store_.job.state = JobState::completed;
  tell_finished(id(1));
  EXPECT_EQ(state, JobState::completed);
}

TEST_F(RunsTest, AnEndThatComesDuringTheFirstLookIsNotMissed) {
  std::optional<JobState> state;
  store_.holds = true;
  runs_.await_end(id(1), std::chrono::seconds(10), [&](Result<Job> job) { state = job->state; });
  tell_finished(id(1));
  store_.holds = false;
  Job before = store_.job;
  store_.job.state = JobState::completed;
  store_.held.front()(store::Each<Job>{Result<Job>(before)});
  EXPECT_EQ(state, JobState::completed);
}

TEST_F(RunsTest, AnEndOnAnotherNodeIsFoundByLooking) {
  std::optional<JobState> state;
  runs_.await_end(id(1), std::chrono::seconds(10), [&](Result<Job> job) { state = job->state; });
  store_.job.state = JobState::dead;
  runs_.tick();
  EXPECT_FALSE(state);
  clock_.advance(options_.claim_poll_every);
  runs_.tick();
  EXPECT_EQ(state, JobState::dead);
}

TEST_F(RunsTest, WhenTheWaitIsOverTheRunIsToldAsItIs) {
  std::optional<JobState> state;
  runs_.await_end(id(1), Duration(500), [&](Result<Job> job) { state = job->state; });
  clock_.advance(Duration(500));
  runs_.tick();
  EXPECT_EQ(state, JobState::running);
}

TEST_F(RunsTest, WhoWentAwayIsNotCalled) {
  bool called = false;
  const RunTicket ticket = runs_.await_end(id(1), std::chrono::seconds(1), [&](const Result<Job>&) { called = true; });
  runs_.cancel_wait(ticket);
  store_.job.state = JobState::completed;
  tell_finished(id(1));
  clock_.advance(std::chrono::seconds(2));
  runs_.tick();
  EXPECT_FALSE(called);
}

TEST_F(RunsTest, StoppingAnswersWhoeverStillWaits) {
  std::optional<JobState> state;
  runs_.await_end(id(1), std::chrono::seconds(10), [&](Result<Job> job) { state = job->state; });
  runs_.stop();
  EXPECT_EQ(state, JobState::running);
}

}  // namespace
}  // namespace muster::engine
