// Fires: when, which, how many, once. The rules of docs/schedules.md, on a store in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include <fmt/format.h>

#include "base/time_text.h"
#include "cron/cron.h"
#include "engine/schedules_testing.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;

TEST_F(SchedulesTest, FiresOnTimeAndOnceEach) {
  const Schedule schedule = create("*/2 * * * * *");
  run_for(7s);
  EXPECT_EQ(fires(schedule), (Texts{"10:00:02", "10:00:04", "10:00:06"}));
  EXPECT_LE(latest(schedule), 1ms);
  EXPECT_EQ(row(schedule).fired, 3u);
  EXPECT_EQ(row(schedule).skipped, 0u);
  EXPECT_EQ(row(schedule).last_fired_at, at("2026-03-02T10:00:06Z"));
  EXPECT_EQ(row(schedule).next_fire_at, at("2026-03-02T10:00:08Z"));
}

TEST_F(SchedulesTest, TheTicksSleepEndsWhenTheNextFireIsDue) {
  create("30 0 10 * * *");
  clock_.advance(29s + 700ms);
  settle();
  EXPECT_EQ(schedules_->tick(), 300ms);
}

TEST_F(SchedulesTest, AJobIsTheTemplateWithTheFiresKeyAndItsSchedule) {
  ScheduleSpec given = spec("0 * * * * *");
  given.job.payload.data = R"({"n":1})";
  given.job.labels = {{"team", "a"}};
  given.job.run = RunSpec{.version = "7"};
  const Schedule schedule = create(given);
  run_for(1min);
  ASSERT_EQ(store_.jobs.size(), 1u);
  const JobSpec& job = store_.jobs.front().spec;
  const std::string id = schedule.spec.id.text();
  EXPECT_EQ(job.idempotency_key, "schedule:" + id + ":2026-03-02T10:01:00+00:00");
  EXPECT_EQ(job.run->external_id, job.idempotency_key);
  EXPECT_EQ(job.run->schedule, id);
  EXPECT_EQ(job.run->version, "7");
  EXPECT_EQ(job.labels, (Labels{{"team", "a"}, {"schedule", id}}));
  EXPECT_EQ(job.payload.data, R"({"n":1})");
  EXPECT_FALSE(job.run_at.has_value());
}

TEST_F(SchedulesTest, AnotherNodesScheduleIsFoundWithinSchedulerEvery) {
  run_for(100ms);
  Schedule foreign;  // written by another node: nothing was told here
  foreign.spec = spec("* * * * * *");
  foreign.spec.id = ScheduleId("0190c2a1-0000-7000-8000-000000000001");
  foreign.created_at = clock_.now();
  foreign.next_fire_at = at("2026-03-02T10:00:01Z");
  store_.schedules.emplace(foreign.spec.id.text(), foreign);
  run_for(options_.scheduler_every + 1s);
  EXPECT_GE(fires(foreign).size(), 5u);
  EXPECT_EQ(fires(foreign).front(), "10:00:01");
}

TEST_F(SchedulesTest, ARestartMakesUpForWhatWasMissedAndDoublesNothing) {
  const Schedule schedule = create("0 * * * * *");
  run_for(2min);
  clock_.advance(3min);
  start();
  run_for(1min);
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00", "10:02:00", "10:03:00", "10:04:00", "10:05:00", "10:06:00"}));
  start();
  run_for(10s);
  EXPECT_EQ(fires(schedule).size(), 6u);
}

TEST_F(SchedulesTest, AnOutcomeThatIsUnknownIsNotMadeTwice) {
  const Schedule schedule = create("*/10 * * * * *");
  store_.unknown_outcome = true;
  run_for(1min);
  EXPECT_EQ(fires(schedule).size(), 6u);
  EXPECT_EQ(row(schedule).fired, 6u);
}

TEST_F(SchedulesTest, AFireWhoseJobIsThereButWhoseRowIsOldIsNotMadeTwice) {
  const Schedule schedule = create("*/10 * * * * *");
  const Schedule before = row(schedule);
  run_for(10s);
  // As if a store had lost the row's change but kept the job.
  Schedule& stored = store_.schedules.at(schedule.spec.id.text());
  const std::uint64_t revision = stored.revision;
  stored = before;
  stored.revision = revision;
  run_for(30s);
  EXPECT_EQ(fires(schedule), (Texts{"10:00:10", "10:00:20", "10:00:30", "10:00:40"}));
}

TEST_F(SchedulesTest, TheNewestCatchupMaxAreMadeAndTheRestIsCounted) {
  ScheduleSpec given = spec("0 * * * * *");
  given.catchup_max = 3;
  const Schedule schedule = create(given);
  clock_.advance(10min);
  settle();
  EXPECT_EQ(fires(schedule), (Texts{"10:08:00", "10:09:00", "10:10:00"}));
  EXPECT_EQ(row(schedule).skipped, 7u);
  EXPECT_EQ(row(schedule).fired, 3u);
  run_for(1min);
  EXPECT_EQ(fires(schedule).back(), "10:11:00");
  EXPECT_EQ(fires(schedule).size(), 4u);
}

TEST_F(SchedulesTest, WithoutCatchUpOnlyAFireThatIsNotLateIsMade) {
  ScheduleSpec given = spec("0 * * * * *");
  given.catchup_max = 0;
  const Schedule schedule = create(given);
  clock_.advance(10min + options_.scheduler_every + 1ms);
  settle();
  EXPECT_EQ(fires(schedule), Texts{});
  EXPECT_EQ(row(schedule).skipped, 10u);
  run_for(1min);
  EXPECT_EQ(fires(schedule), (Texts{"10:11:00"}));
  clock_.set(at("2026-03-02T10:13:00Z") + options_.scheduler_every);
  settle();
  EXPECT_EQ(fires(schedule), (Texts{"10:11:00", "10:13:00"}));
  EXPECT_EQ(row(schedule).skipped, 11u);
}

TEST_F(SchedulesTest, AClockThatJumpsDaysAheadMakesTheNewestOnly) {
  const Schedule schedule = create("0 0 * * * *");  // catches up on 100
  run_for(1h);
  clock_.advance(24h * 30);
  settle();
  EXPECT_EQ(fires(schedule).size(), 1u + 100u);
  EXPECT_EQ(row(schedule).skipped, 30u * 24u - 100u);
  EXPECT_EQ(fires(schedule, true).back(), "2026-04-01T11:00:00");
}

TEST_F(SchedulesTest, AClockThatIsSetBackMakesNothingTwice) {
  const Schedule schedule = create("0 * * * * *");
  run_for(10min);
  clock_.set(at("2026-03-02T10:05:00Z"));
  start();
  run_for(5min);
  EXPECT_EQ(fires(schedule).size(), 10u);
  run_for(1min);
  EXPECT_EQ(fires(schedule).back(), "10:11:00");
  EXPECT_EQ(fires(schedule).size(), 11u);
}

TEST_F(SchedulesTest, AStoreWhoseClockIsBehindIsAskedAgainWithoutSpinning) {
  store_.behind = 300ms;
  const Schedule schedule = create("*/10 * * * * *");
  run_for(9s);
  const std::size_t asked = store_.due_limits.size();
  run_for(2s);
  EXPECT_EQ(fires(schedule), (Texts{"10:00:10"}));
  EXPECT_LE(latest(schedule), 350ms);
  EXPECT_LE(store_.due_limits.size() - asked, 40u);
}

TEST_F(SchedulesTest, AStoreWhoseClockIsAheadWaitsForOurs) {
  store_.behind = -300ms;
  const Schedule schedule = create("*/10 * * * * *");
  run_for(11s);
  EXPECT_EQ(fires(schedule), (Texts{"10:00:10"}));
  EXPECT_LE(latest(schedule), 10ms);
  EXPECT_LE(store_.due_limits.size(), 20u);
}

TEST_F(SchedulesTest, AThousandSchedulesFireWithinAHundredMilliseconds) {
  std::vector<Schedule> all;
  for (int i = 0; i < 1'000; ++i) all.push_back(create("0 * * * * *"));
  run_for(1min + 200ms);
  for (const Schedule& schedule : all) {
    ASSERT_EQ(fires(schedule), (Texts{"10:01:00"}));
    ASSERT_LE(latest(schedule), 100ms);
  }
}

TEST_F(SchedulesTest, APassKeepsToItsBatchAndItsBudget) {
  options_.scheduler_batch = 10;
  options_.scheduler_fires_max = 25;
  start();
  std::vector<Schedule> all;
  for (int i = 0; i < 30; ++i) all.push_back(create("0 * * * * *"));
  clock_.advance(10min);
  const std::size_t before = store_.due_limits.size();
  settle();
  std::size_t made = 0;
  for (const Schedule& schedule : all) {
    const Texts own = fires(schedule);
    made += own.size();
    ASSERT_EQ(own.front(), "10:01:00");
    ASSERT_TRUE(std::is_sorted(own.begin(), own.end()));
    ASSERT_EQ(row(schedule).skipped, 0u);
  }
  EXPECT_EQ(made, 300u);
  EXPECT_EQ(store_.due_limits[before], 10u);
  EXPECT_EQ(store_.due_limits[before + 1], 25u);  // more are due: as many as it may make fires
  EXPECT_LE(*std::max_element(store_.due_limits.begin(), store_.due_limits.end()), 25u);
  EXPECT_GE(store_.due_limits.size() - before, 300u / 25u);
}

TEST_F(SchedulesTest, ABudgetCutsACatchUpIntoPartsAndLosesNothing) {
  options_.scheduler_fires_max = 7;
  start();
  ScheduleSpec given = spec("0 * * * * *");
  given.catchup_max = 20;
  const Schedule schedule = create(given);
  clock_.advance(30min);
  settle();
  EXPECT_EQ(fires(schedule).size(), 20u);
  EXPECT_EQ(fires(schedule).front(), "10:11:00");
  EXPECT_EQ(row(schedule).skipped, 10u);
}

TEST_F(SchedulesTest, LargeTemplatesFireInPartsOfBoundedSize) {
  ScheduleSpec given = spec("0 * * * * *");
  given.job.payload.data.assign(4 * 1024 * 1024, 'x');
  const Schedule schedule = create(given);
  clock_.advance(10min);
  settle();
  EXPECT_EQ(fires(schedule).size(), 10u);
  EXPECT_EQ(row(schedule).revision, 3u);  // created, eight fires, two fires
}

TEST_F(SchedulesTest, AnErrorOfOneScheduleLeavesTheOthersAlone) {
  const Schedule bad = create("0 * * * * *");
  const Schedule good = create("0 * * * * *");
  store_.refuse_fire.emplace(bad.spec.id.text(), Status::conflict("namespace 'default' is not enabled"));
  run_for(5min);
  EXPECT_EQ(fires(good).size(), 5u);
  EXPECT_LE(latest(good), 10ms);
  EXPECT_EQ(fires(bad), Texts{});
  EXPECT_LE(store_.due_limits.size(), 200u);  // it backs off
  store_.refuse_fire.clear();
  run_for(1min);
  EXPECT_EQ(fires(bad), (Texts{"10:01:00", "10:02:00", "10:03:00", "10:04:00", "10:05:00", "10:06:00"}));
}

TEST_F(SchedulesTest, FailingSchedulesDoNotKeepOthersFromBeingSeen) {
  options_.scheduler_batch = 10;
  start();
  for (int i = 0; i < 50; ++i) {
    const Schedule bad = create("0 * * * * *");
    store_.refuse_fire.emplace(bad.spec.id.text(), Status::conflict("not enabled"));
  }
  const Schedule good = create("30 * * * * *");  // later than all of those
  run_for(3min);
  EXPECT_EQ(fires(good), (Texts{"10:00:30", "10:01:30", "10:02:30"}));
  EXPECT_LE(latest(good), 10ms);
}

TEST_F(SchedulesTest, AScheduleThatChangesBetweenReadAndWriteIsReadAgain) {
  const Schedule schedule = create("0 * * * * *");
  store_.before_fire = [&] { ++store_.schedules.at(schedule.spec.id.text()).revision; };
  run_for(1min + 100ms);
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00"}));
}

TEST_F(SchedulesTest, AScheduleThatIsRemovedMeanwhileIsForgotten) {
  const Schedule schedule = create("0 * * * * *");
  store_.before_fire = [&] { store_.schedules.clear(); };
  run_for(2min);
  EXPECT_TRUE(store_.jobs.empty());
  EXPECT_EQ(store_.due_limits.back(), options_.scheduler_batch);  // nothing is held any more
}

TEST_F(SchedulesTest, AStoreThatDoesNotSayWhatIsDueIsAskedAgain) {
  const Schedule schedule = create("0 * * * * *");
  store_.refuse_due = Status::unavailable("the database is away");
  run_for(2min);
  EXPECT_LE(store_.due_limits.size(), 250u);
  store_.refuse_due.reset();
  run_for(1min);
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00", "10:02:00", "10:03:00"}));
}

TEST_F(SchedulesTest, SkipLeavesOutFiresWhileTheJobBeforeIsUnfinished) {
  const Schedule schedule = create("0 * * * * *", Overlap::skip);
  run_for(3min);
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00"}));
  EXPECT_EQ(row(schedule).skipped, 2u);
  finish(*row(schedule).last_job, JobState::dead);
  run_for(1min);
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00", "10:04:00"}));
}

TEST_F(SchedulesTest, SkipMakesOneOfSeveralMissedFires) {
  const Schedule schedule = create("0 * * * * *", Overlap::skip);
  clock_.advance(5min);
  settle();
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00"}));
  EXPECT_EQ(row(schedule).skipped, 4u);
}

TEST_F(SchedulesTest, AJobThatIsForgottenCountsAsFinished) {
  const Schedule schedule = create("0 * * * * *", Overlap::skip);
  run_for(1min);
  store_.schedules.at(schedule.spec.id.text()).last_job = JobId{Uuid{.high = 1, .low = 999}};
  run_for(1min);
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00", "10:02:00"}));
}

// Stores may show buffered fires as due all the time, or only when their job has finished.
class BufferedFires : public SchedulesTest, public testing::WithParamInterface<bool> {
 protected:
  BufferedFires() { store_.hides_waiting = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Stores, BufferedFires, testing::Bool(),
                         [](const auto& store) { return std::string(store.param ? "Hidden" : "Shown"); });

TEST_P(BufferedFires, TheNewestWaitsAndFiresWhenTheJobBeforeFinishes) {
  const Schedule schedule = create("0 * * * * *", Overlap::buffer_one);
  run_for(3min);
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00"}));
  EXPECT_EQ(row(schedule).buffered, at("2026-03-02T10:03:00Z"));
  EXPECT_EQ(row(schedule).skipped, 1u);
  run_for(20s);  // several looks find nothing
  finish(*row(schedule).last_job);
  run_for(50ms);
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00", "10:03:00"}));
  EXPECT_FALSE(row(schedule).buffered.has_value());
  finish(*row(schedule).last_job);
  run_for(1min);
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00", "10:03:00", "10:04:00"}));
  EXPECT_EQ(row(schedule).fired, 3u);
  EXPECT_EQ(row(schedule).skipped, 1u);
}

TEST_P(BufferedFires, IsFoundWithoutBeingToldAndAfterARestart) {
  const Schedule schedule = create("0 * * * * *", Overlap::buffer_one);
  run_for(2min);
  start();
  run_for(1s);
  store_.finish(*row(schedule).last_job);  // nobody tells
  run_for(options_.scheduler_every + 100ms);
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00", "10:02:00"}));
}

TEST_P(BufferedFires, WriteNothingWhileTheyWaitAndAreNotAskedForAllTheTime) {
  const Schedule schedule = create("0 0 * * * *", Overlap::buffer_one);
  run_for(2h);
  ASSERT_TRUE(row(schedule).buffered.has_value());
  const std::uint64_t revision = row(schedule).revision;
  const std::size_t asked = store_.due_limits.size();
  run_for(1min);
  EXPECT_EQ(row(schedule).revision, revision);
  EXPECT_LE(store_.due_limits.size() - asked, 20u);
}

TEST_P(BufferedFires, DoNotKeepOthersFromBeingSeen) {
  options_.scheduler_batch = 10;
  start();
  for (int i = 0; i < 40; ++i) create("0 * * * * *", Overlap::buffer_one);
  run_for(2min);
  const Schedule good = create("30 * * * * *");
  run_for(1min);
  EXPECT_EQ(fires(good), (Texts{"10:02:30"}));
  EXPECT_LE(latest(good), 10ms);
}

TEST_F(SchedulesTest, CancelPreviousEndsTheUnfinishedJobAndMakesTheNewestFire) {
  const Schedule schedule = create("0 * * * * *", Overlap::cancel_previous);
  run_for(1min);
  const JobId first = *row(schedule).last_job;
  run_for(1min);
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00", "10:02:00"}));
  EXPECT_EQ(store_.cancelled, (std::vector{first}));
  finish(*row(schedule).last_job);
  clock_.advance(3min);
  settle();
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00", "10:02:00", "10:05:00"}));
  EXPECT_EQ(store_.cancelled.size(), 1u);
  EXPECT_EQ(row(schedule).skipped, 2u);
}

TEST_F(SchedulesTest, JitterDelaysEachFireByItsShareAndKeepsTheirOrder) {
  ScheduleSpec given = spec("*/10 * * * * *");
  given.timing.jitter = 8s;
  const Schedule schedule = create(given);
  EXPECT_EQ(schedule.next_fire_at, at("2026-03-02T10:00:10Z") + cron::jitter_of(schedule.spec, at("2026-03-02T10:00:10Z")));
  run_for(20min);
  ASSERT_GE(store_.jobs.size(), 119u);
  for (std::size_t i = 0; i < store_.jobs.size(); ++i) {
    const Instant fire = at("2026-03-02T10:00:10Z") + i * 10s;
    ASSERT_EQ(store_.jobs[i].spec.idempotency_key, fire_key(schedule.spec.id, fire));
    ASSERT_EQ(store_.jobs[i].at, fire + cron::jitter_of(schedule.spec, fire));
  }
}

TEST_F(SchedulesTest, AJitterLongerThanThePeriodLosesNothing) {
  ScheduleSpec given = spec("* * * * * *");
  given.timing.jitter = 30s;
  const Schedule schedule = create(given);
  run_for(10min);
  const Texts made = fires(schedule);
  ASSERT_GE(made.size(), 570u);
  EXPECT_TRUE(std::is_sorted(made.begin(), made.end()));
  EXPECT_EQ(std::set<std::string>(made.begin(), made.end()).size(), made.size());
  EXPECT_LE(latest(schedule), 31s);
}

TEST_F(SchedulesTest, LocalTimesFollowTheirZoneAcrossItsChanges) {
  clock_.set(at("2026-03-27T12:00:00Z"));
  ScheduleSpec given = spec("30 2 * * *");
  given.timing.zone = "Europe/Berlin";
  const Schedule next = create(given);
  given.timing.gap = GapRule::skip;
  const Schedule skip = create(given);
  for (int hour = 0; hour < 72; ++hour) {
    clock_.advance(1h);
    settle();
  }
  EXPECT_EQ(fires(next, true), (Texts{"2026-03-28T01:30:00", "2026-03-29T01:00:00", "2026-03-30T00:30:00"}));
  EXPECT_EQ(fires(skip, true), (Texts{"2026-03-28T01:30:00", "2026-03-30T00:30:00"}));
}

TEST_F(SchedulesTest, AScheduleWithoutAFurtherFireEnds) {
  const Schedule schedule = create("0 1 10 2 3 * 2026");
  run_for(2min);
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00"}));
  EXPECT_FALSE(row(schedule).next_fire_at.has_value());
}

// Whatever happens in between, each fire of the time that is dealt with was made, skipped or waits, and was made at most once.
TEST_F(SchedulesTest, NoFireIsLostOrMadeTwice) {
  std::mt19937 random(20260302);
  const auto roll = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  for (int round = 0; round < 60; ++round) {
    options_.scheduler_fires_max = static_cast<std::size_t>(1 + roll(20));
    start();
    ScheduleSpec given = spec(roll(2) == 0 ? "*/7 * * * * *" : "every 11s", static_cast<Overlap>(roll(4)));
    given.catchup_max = static_cast<std::uint32_t>(roll(12));
    given.timing.jitter = roll(2) == 0 ? 0s : std::chrono::seconds(1 + roll(40));
    const Schedule schedule = create(given);
    store_.hides_waiting = roll(2) == 0;
    for (int step = 0; step < 25; ++step) {
      switch (roll(6)) {
        case 0: clock_.advance(std::chrono::seconds(roll(300))); break;
        case 1: start(); break;
        case 2: store_.unknown_outcome = true; break;
        case 3: store_.before_fire = [&] { ++store_.schedules.at(schedule.spec.id.text()).revision; }; break;
        default: run_for(std::chrono::seconds(roll(30))); break;
      }
      if (const auto last = row(schedule).last_job; last && roll(2) == 0) finish(*last);
    }
    store_.unknown_outcome = false;
    store_.before_fire = {};
    run_for(10s);
    const Schedule& now = row(schedule);
    const auto all = cron::Plan::parse(schedule.spec.timing)->between(*schedule.caught_up_to, *now.caught_up_to, 1'000'000);
    const Texts made = fires(schedule, true);
    ASSERT_EQ(now.fired + now.skipped + (now.buffered ? 1 : 0), all.size()) << "round " << round;
    ASSERT_EQ(now.fired, made.size()) << "round " << round;
    ASSERT_GE(*now.caught_up_to + given.timing.jitter + 12s, clock_.now()) << "round " << round;
    store_.schedules.clear();
  }
}

TEST_F(SchedulesTest, NothingFiresAfterStop) {
  const Schedule schedule = create("* * * * * *");
  run_for(2s);
  schedules_->stop();
  run_for(5s);
  EXPECT_EQ(fires(schedule).size(), 2u);
}

TEST_F(SchedulesTest, FiresSkipsAndLatenessAreMeasured) {
  ScheduleSpec given = spec("0 * * * * *");
  given.catchup_max = 2;
  create(given);
  clock_.advance(5min);
  settle();
  const std::string text = metrics_.text();
  EXPECT_NE(text.find("muster_schedule_fires_total 2"), std::string::npos);
  EXPECT_NE(text.find("muster_schedule_skipped_total 3"), std::string::npos);
  EXPECT_NE(text.find("muster_schedule_lateness_seconds_count 2"), std::string::npos);
}

}  // namespace
}  // namespace muster::engine
