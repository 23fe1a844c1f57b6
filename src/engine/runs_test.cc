// Runs: what is refused before the store hears of it, ends without a fence, and waiting for a run to finish.
#include "engine/runs.h"

#include <gtest/gtest.h>

#include "model/limits.h"
#include "store/scripted_testing.h"

namespace muster::engine {
namespace {

using store::Verb;

JobId id(std::uint64_t number) { return JobId{{number, number}}; }

class RunsTest : public testing::Test {
 protected:
  RunsTest() {
    job_.id = id(1);
    job_.state = JobState::running;
    job_.fence = Fence{7};
    job_.spec.run = RunSpec();
    store_.on(Verb::get_jobs, [this](std::vector<JobId> jobs, Reply<store::Each<Job>> reply) {
      if (holds_) return held_.push_back(std::move(reply));
      reply(store::Each<Job>(jobs.size(), job_));
    });
    store_.on(Verb::list_steps, [this](const store::StepQuery& query) -> Result<store::StepPage> {
      store::StepPage page;
      for (const Step& step : steps_)
        if (step.run == *query.run) page.steps.push_back(step);
      return page;
    });
  }
  std::vector<store::Completion> completions() const { return store_.elements<store::Completion>(Verb::complete); }
  std::vector<store::Failure> failures() const { return store_.elements<store::Failure>(Verb::fail); }
  std::vector<store::Cancel> cancels() const { return store_.elements<store::Cancel>(Verb::cancel); }
  std::vector<JobSpec> enqueued() const { return store_.elements<JobSpec>(Verb::enqueue); }
  void tell_finished(JobId run, std::optional<JobId> parent = std::nullopt) {
    JobChange change;
    change.id = run;
    change.from = JobState::running;
    change.to = JobState::completed;
    change.parent = parent;
    const std::vector<JobChange> jobs{change};
    runs_.committed({.jobs = jobs, .workers = {}, .queues = {}, .wakes = {}});
  }

  Job job_;  // what the store says of any job
  std::vector<Step> steps_;
  std::deque<Reply<store::Each<Job>>> held_;  // answers about jobs, while `holds_`
  bool holds_ = false;
  store::ScriptedStore store_;
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
  ASSERT_EQ(completions().size(), 1u);
  EXPECT_EQ(completions()[0].lease.fence, Fence{7});
}

TEST_F(RunsTest, AnEndUnderAFenceAsksForNothingFirst) {
  runs_.complete({id(1), Fence{3}}, Content{"1"}, [](const auto& result) { EXPECT_TRUE(result.ok()); });
  ASSERT_EQ(completions().size(), 1u);
  EXPECT_EQ(completions()[0].lease.fence, Fence{3});
  EXPECT_EQ(store_.asked(Verb::get_jobs), 0u);
}

TEST_F(RunsTest, ARunThatIsNotRunningCannotBeEnded) {
  job_.state = JobState::scheduled;
  std::optional<Code> code;
  runs_.complete({id(1)}, Content{"1"}, [&](const auto& result) { code = result.code(); });
  EXPECT_EQ(code, Code::conflict);
  EXPECT_TRUE(completions().empty());
}

TEST_F(RunsTest, ARunThatFailsIsNotTriedAgain) {
  runs_.fail({id(1)}, {"boom", "it broke"}, [](const auto& result) { EXPECT_TRUE(result.ok()); });
  ASSERT_EQ(failures().size(), 1u);
  EXPECT_FALSE(failures()[0].retryable);
}

TEST_F(RunsTest, CancellingARunEndsTheChildrenItWaitsFor) {
  Step waiting{.run = id(1), .name = "child", .kind = StepKind::child, .state = StepState::waiting};
  waiting.child = id(2);
  Step done{.run = id(1), .name = "old", .kind = StepKind::child, .state = StepState::completed};
  done.child = id(3);
  steps_ = {waiting, done};
  runs_.cancel(id(1), "enough", [](const auto& result) { EXPECT_TRUE(result.ok()); });
  ASSERT_EQ(cancels().size(), 2u);
  EXPECT_TRUE(cancels()[0].at_once);
  EXPECT_EQ(cancels()[1].job, id(2));
}

TEST_F(RunsTest, TerminatingARunLeavesItDeadWithTheReason) {
  runs_.terminate(id(1), "because", [](const auto& result) { EXPECT_TRUE(result.ok()); });
  ASSERT_EQ(cancels().size(), 1u);
  ASSERT_TRUE(cancels()[0].as_dead);
  EXPECT_EQ(cancels()[0].as_dead->kind, kErrorTerminated);
  EXPECT_EQ(cancels()[0].as_dead->message, "because");
}

TEST_F(RunsTest, OnlyAFinishedRunCanBeStartedAgain) {
  std::optional<Code> code;
  runs_.start_again(id(1), {.external_id = "again", .correlation = {}}, [&](const auto& result) { code = result.code(); });
  EXPECT_EQ(code, Code::conflict);
  EXPECT_TRUE(enqueued().empty());
}

TEST_F(RunsTest, ARunStartedAgainCarriesNeitherTheKeyNorTheDeadlineOfTheFirst) {
  job_.state = JobState::dead;
  job_.spec.type = JobType("t");
  job_.spec.idempotency_key = "once";
  job_.spec.deadline = clock_.now();
  runs_.start_again(id(1), {.external_id = "again", .correlation = {}}, [](const auto& result) { EXPECT_TRUE(result.ok()); });
  ASSERT_EQ(enqueued().size(), 1u);
  EXPECT_TRUE(enqueued()[0].idempotency_key.empty());
  EXPECT_FALSE(enqueued()[0].deadline);
  EXPECT_EQ(enqueued()[0].run->external_id, "again");
}

TEST_F(RunsTest, ARunStartedAgainUnderANameOfItsOwnIsTheOnlyUnfinishedOneOfThatName) {
  job_.state = JobState::dead;
  job_.spec.type = JobType("t");
  job_.spec.correlation = "first";
  runs_.start_again(id(1), {.external_id = "again", .correlation = "second"},
                    [](const auto& result) { EXPECT_TRUE(result.ok()); });
  ASSERT_EQ(enqueued().size(), 1u);
  ASSERT_TRUE(enqueued()[0].unique);
  EXPECT_TRUE(enqueued()[0].unique->key.ends_with("again"));
  EXPECT_EQ(enqueued()[0].correlation, "second");
}

TEST_F(RunsTest, AFinishedChildWakesItsParent) {
  tell_finished(id(2), id(1));
  EXPECT_EQ(store_.elements<JobId>(Verb::wake_runs), std::vector<JobId>{id(1)});
}

TEST_F(RunsTest, WhoWaitsForARunHearsOfItsEnd) {
  std::optional<JobState> state;
  runs_.await_end(id(1), std::chrono::seconds(10), [&](Result<Job> job) { state = job->state; });
  EXPECT_FALSE(state);
  job_.state = JobState::completed;
  tell_finished(id(1));
  EXPECT_EQ(state, JobState::completed);
}

TEST_F(RunsTest, AnEndThatComesDuringTheFirstLookIsNotMissed) {
  std::optional<JobState> state;
  holds_ = true;
  runs_.await_end(id(1), std::chrono::seconds(10), [&](Result<Job> job) { state = job->state; });
  tell_finished(id(1));
  holds_ = false;
  Job before = job_;
  job_.state = JobState::completed;
  held_.front()(store::Each<Job>{Result<Job>(before)});
  EXPECT_EQ(state, JobState::completed);
}

TEST_F(RunsTest, AnEndOnAnotherNodeIsFoundByLooking) {
  std::optional<JobState> state;
  runs_.await_end(id(1), std::chrono::seconds(10), [&](Result<Job> job) { state = job->state; });
  job_.state = JobState::dead;
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
  job_.state = JobState::completed;
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
