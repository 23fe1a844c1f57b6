// Method: facts under which every reason applies at once, and a table that lifts them one by one in the documented order; each
// step must show the next reason.
#include "engine/why.h"

#include <functional>
#include <set>

#include <gtest/gtest.h>

namespace muster::engine {
namespace {

using namespace std::chrono_literals;
using store::WaitFacts;

const Instant kNoon = Instant(1'700'000'000s);
constexpr std::string_view kNoonText = "2023-11-14T22:13:20.000Z";
const JobId kOther{{0, 42}};

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

WaitFacts ready() {
  WaitFacts facts;
  facts.now = kNoon;
  facts.job.id = JobId{{0, 1}};
  facts.job.spec.queue = QueueName("mail");
  facts.job.spec.type = JobType("send");
  facts.job.state = JobState::ready;
  facts.live_workers = 2;
  facts.able_count = 1;
  facts.able_free = 1;
  facts.able = {{.id = WorkerId("w1"), .state = WorkerState::online, .running = 0, .slots = 4}};
  return facts;
}

TEST(Why, SaysWhyTheAbleWorkersDrain) {
  WaitFacts facts = ready();
  facts.able_free = 0;
  facts.able = {{.id = WorkerId("w1"), .state = WorkerState::draining, .running = 0, .slots = 4, .drain_reason = "memory 93 %"}};
  EXPECT_EQ(explain(facts).text, "one worker is able, and draining: 'w1' (memory 93 %)");
  facts.bound_to = "w1";
  EXPECT_EQ(explain(facts).text, "it is held for 'w1', which is draining (memory 93 %)");
}

TEST(Why, AsksForReasonsInTheDocumentedOrder) {
  WaitFacts facts = ready();
  facts.job.state = JobState::scheduled;
  facts.job.run_at = kNoon + 1h;
  facts.waiting_for = {kOther};
  facts.queue.paused = true;
  facts.live_workers = 0;
  facts.able_count = facts.able_free = 0;
  facts.able.clear();
  facts.missing = {"tool:x"};
  facts.job.spec.concurrency = ConcurrencyKey{"customer-1", 1};
  facts.concurrency_holders = {kOther};
  facts.queue.running_max = 5;
  facts.queue_running = 5;
  facts.queue.running_max_by_type = {{"send", 2}};
  facts.type_running = 2;
  facts.rate_token_at = kNoon + 2s;
  facts.bound_to = "w1";

  const std::vector<std::pair<WhyCode, std::function<void(WaitFacts&)>>> steps{
      {WhyCode::waiting_for_jobs, [](WaitFacts& f) { f.waiting_for.clear(); }},
      {WhyCode::waiting_until, [](WaitFacts& f) { f.job.state = JobState::ready; }},
      {WhyCode::paused, [](WaitFacts& f) { f.queue.paused = false; }},
      {WhyCode::no_worker, [](WaitFacts& f) { f.live_workers = 1; }},
      {WhyCode::no_capable_worker,
       [](WaitFacts& f) {
         f.missing.clear();
         f.able_count = 1;
         f.able = {{.id = WorkerId("w1"), .state = WorkerState::draining, .running = 4, .slots = 4}};
       }},
      {WhyCode::concurrency_key, [](WaitFacts& f) { f.concurrency_holders.clear(); }},
      {WhyCode::queue_full, [](WaitFacts& f) { f.queue_running = 4; }},
      {WhyCode::type_full, [](WaitFacts& f) { f.type_running = 1; }},
      {WhyCode::rate_limited, [](WaitFacts& f) { f.now = *f.rate_token_at; }},
      {WhyCode::held_for_worker, [](WaitFacts& f) { f.bound_to.clear(); }},
      {WhyCode::workers_draining, [](WaitFacts& f) { f.able[0].state = WorkerState::online; }},
      {WhyCode::workers_full,
       [](WaitFacts& f) {
         f.able[0].running = 3;
         f.able_free = 1;
       }},
      {WhyCode::next_in_line, [](WaitFacts& f) { f.job.state = JobState::running; }},
      {WhyCode::running, [](WaitFacts& f) { f.job.state = JobState::dead; }},
      {WhyCode::finished, [](WaitFacts&) {}},
  };
  std::set<WhyCode> shown;
  for (const auto& [code, lift] : steps) {
    const Why why = explain(facts);
    EXPECT_EQ(to_string(why.code), to_string(code));
    EXPECT_FALSE(why.text.empty());
    EXPECT_EQ(why.id, facts.job.id);
    EXPECT_EQ(why.state, facts.job.state);
    shown.insert(why.code);
    lift(facts);
  }
  EXPECT_EQ(shown.size(), static_cast<std::size_t>(WhyCode::next_in_line) + 1) << "a code is not reached by any facts";
}

TEST(Why, NamesTheMissingCapability) {
  WaitFacts facts = ready();
  facts.able_count = facts.able_free = 0;
  facts.able.clear();
  facts.missing = {"tool:ffmpeg"};
  const Why why = explain(facts);
  EXPECT_EQ(why.code, WhyCode::no_capable_worker);
  EXPECT_EQ(why.text, "no live worker offers 'tool:ffmpeg'");
  EXPECT_EQ(why.missing, std::vector<std::string>{"tool:ffmpeg"});
}

TEST(Why, NamesWhatTheNearestWorkerLacksWhenEachNeedIsOfferedBySomebody) {
  WaitFacts facts = ready();
  facts.able_count = facts.able_free = 0;
  facts.able.clear();
  facts.missing_nearest = {"tool:b"};
  const Why why = explain(facts);
  EXPECT_EQ(why.text, "no live worker offers all it needs at once; the nearest lacks 'tool:b'");
  EXPECT_EQ(why.missing, std::vector<std::string>{"tool:b"});
}

TEST(Why, TakesAPreferenceNobodyCanSatisfyAsATimeToWait) {
  WaitFacts facts = ready();
  facts.able_count = facts.able_free = 0;
  facts.able.clear();
  facts.missing = {"label:zone=a"};
  facts.bound_to = "label:zone=a";
  facts.bound_until = kNoon;
  const Why why = explain(facts);
  EXPECT_EQ(why.code, WhyCode::held_for_worker);
  EXPECT_EQ(why.until, kNoon);
  EXPECT_TRUE(contains(why.text, kNoonText)) << why.text;
}

TEST(Why, StillNamesWhatIsMissingBesideAPreference) {
  WaitFacts facts = ready();
  facts.able_count = facts.able_free = 0;
  facts.able.clear();
  facts.missing = {"tool:x", "worker:w9"};
  facts.bound_to = "w9";
  facts.bound_until = kNoon;
  const Why why = explain(facts);
  EXPECT_EQ(why.code, WhyCode::no_capable_worker);
  EXPECT_EQ(why.missing, std::vector<std::string>{"tool:x"});
}

TEST(Why, NamesTheHoldersOfAKey) {
  WaitFacts facts = ready();
  facts.job.spec.concurrency = ConcurrencyKey{"customer-1", 1};
  facts.concurrency_holders = {kOther};
  const Why why = explain(facts);
  EXPECT_EQ(why.jobs, std::vector{kOther});
  EXPECT_TRUE(contains(why.text, "customer-1") && contains(why.text, kOther.text())) << why.text;
}

TEST(Why, NamesTheTimeAndTheErrorBeforeARetry) {
  WaitFacts facts = ready();
  facts.job.state = JobState::scheduled;
  facts.job.attempt = 2;
  facts.job.error = JobError{"io", "disk"};
  facts.now = kNoon - 1s;
  facts.job.run_at = kNoon;
  const Why why = explain(facts);
  EXPECT_EQ(why.until, kNoon);
  EXPECT_EQ(why.text, "attempt 2 failed with 'io' and it is not due until 2023-11-14T22:13:20.000Z");
}

WaitFacts parked(const Step& step) {
  WaitFacts facts = ready();
  facts.now = kNoon - 1h;
  facts.job.state = JobState::scheduled;
  facts.job.last_event = JobEvent::snoozed;
  facts.job.run_at = kNoon;
  facts.parked_on = {step};
  return facts;
}

TEST(Why, SaysThatARunSleeps) {
  Step nap;
  nap.name = "nap";
  nap.kind = StepKind::sleep;
  nap.state = StepState::waiting;
  nap.until = kNoon;
  const Why why = explain(parked(nap));
  EXPECT_EQ(why.code, WhyCode::waiting_until);
  EXPECT_EQ(why.until, kNoon);
  EXPECT_EQ(why.text, "it sleeps until 2023-11-14T22:13:20.000Z in step 'nap'");
}

TEST(Why, NamesTheSignalARunWaitsFor) {
  Step wait;
  wait.name = "approval";
  wait.kind = StepKind::signal;
  wait.state = StepState::waiting;
  wait.signal = "approved";
  const Why unbounded = explain(parked(wait));
  EXPECT_EQ(unbounded.text, "it waits for signal 'approved' in step 'approval'");
  EXPECT_FALSE(unbounded.until) << "nobody needs to know of the year 9999";
  wait.until = kNoon;
  EXPECT_EQ(explain(parked(wait)).text, "it waits for signal 'approved' in step 'approval' until 2023-11-14T22:13:20.000Z");
}

TEST(Why, NamesTheChildARunWaitsFor) {
  Step spawn;
  spawn.name = "spawn";
  spawn.kind = StepKind::child;
  spawn.state = StepState::waiting;
  spawn.child = kOther;
  const Why why = explain(parked(spawn));
  EXPECT_EQ(why.jobs, std::vector{kOther});
  EXPECT_EQ(why.text, "it waits for child " + kOther.text() + " in step 'spawn'");
}

TEST(Why, NamesTheStepThatIsTriedAgain) {
  Step charge;
  charge.name = "charge";
  charge.state = StepState::failed;
  charge.attempt = 2;
  charge.until = kNoon;
  const Why why = explain(parked(charge));
  EXPECT_EQ(why.until, kNoon);
  EXPECT_EQ(why.text, "attempt 2 of step 'charge' failed, and it is tried again at 2023-11-14T22:13:20.000Z");
}

TEST(Why, SaysOfAParkedRunThatIsDueNothingElse) {
  Step nap;
  nap.kind = StepKind::sleep;
  nap.state = StepState::waiting;
  nap.until = kNoon;
  WaitFacts facts = parked(nap);
  facts.now = kNoon;
  EXPECT_TRUE(contains(explain(facts).text, "due since")) << explain(facts).text;
}

TEST(Why, SaysThatADueJobWaitsForThePass) {
  WaitFacts facts = ready();
  facts.job.state = JobState::scheduled;
  facts.job.run_at = kNoon;
  EXPECT_TRUE(contains(explain(facts).text, "due since")) << explain(facts).text;
}

TEST(Why, CountsDependenciesItCannotName) {
  WaitFacts facts = ready();
  facts.job.state = JobState::scheduled;
  facts.job.dependencies_pending = 7;
  facts.waiting_for = {kOther};
  EXPECT_TRUE(contains(explain(facts).text, "waits for 7 jobs")) << explain(facts).text;
}

TEST(Why, ShowsTheSlotsOfFullWorkers) {
  WaitFacts facts = ready();
  facts.able_free = 0;
  facts.able[0].running = 4;
  EXPECT_TRUE(contains(explain(facts).text, "'w1' 4/4")) << explain(facts).text;
  EXPECT_EQ(explain(facts).workers, std::vector<std::string>{"w1"});
}

TEST(Why, CountsTheJobsAhead) {
  WaitFacts facts = ready();
  facts.ahead = 3;
  EXPECT_EQ(explain(facts).ahead, 3u);
  EXPECT_TRUE(contains(explain(facts).text, "3 jobs are")) << explain(facts).text;
}

TEST(Why, TellsTheErrorOfADeadJob) {
  WaitFacts facts = ready();
  facts.job.state = JobState::dead;
  facts.job.finished_at = kNoon;
  facts.job.error = JobError{"io", "disk gone"};
  EXPECT_EQ(explain(facts).text, "the job is dead at 2023-11-14T22:13:20.000Z: io: disk gone");
}

}  // namespace
}  // namespace muster::engine
