// Schedules as people change them: create, update, pause, resume, trigger, preview, backfill, and what is refused.
#include "engine/schedules.h"

#include <gtest/gtest.h>

#include "base/time_text.h"
#include "cron/cron.h"
#include "engine/schedules_testing.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;

const NamespaceName kOwnNamespace{kDefaultNamespace};

std::string refusal(Schedules& schedules, ScheduleSpec spec) {
  std::string out = "no answer";
  schedules.create(std::move(spec), [&](const Result<Schedule>& made) {
    out = made.ok() ? "accepted" : std::string(to_string(made.code())) + ": " + made.status().message();
  });
  return out;
}

TEST_F(SchedulesTest, ANewScheduleGetsAnIdAndItsNextFire) {
  const Schedule schedule = create("0 */5 * * * *");
  EXPECT_TRUE(Uuid::parse(schedule.spec.id.text()).has_value());
  EXPECT_EQ(schedule.next_fire_at, at("2026-03-02T10:05:00Z"));
  EXPECT_EQ(schedule.spec.job.ns, kOwnNamespace);
  EXPECT_FALSE(schedule.last_fired_at.has_value());
  EXPECT_NE(create("@daily").spec.id, schedule.spec.id);
}

TEST_F(SchedulesTest, AGivenIdIsKeptInOneSpelling) {
  ScheduleSpec given = spec("@daily");
  given.id = ScheduleId("0190C2A1-0000-7000-8000-00000000000A");
  EXPECT_EQ(create(given).spec.id.text(), "0190c2a1-0000-7000-8000-00000000000a");
  EXPECT_TRUE(refusal(*schedules_, given).starts_with("already_exists"));
}

TEST_F(SchedulesTest, WhatIsWrongIsRefusedAndStoresNothing) {
  EXPECT_EQ(refusal(*schedules_, spec("0 0 25 * * *")), "invalid_argument: field 3 (hours): 25 is not within 0 to 23");
  EXPECT_EQ(refusal(*schedules_, spec("0 0 0 30 2 *")),
            "invalid_argument: the timing has no fire after 2026-03-02T10:00:00.000Z");
  EXPECT_EQ(refusal(*schedules_, spec("0 0 0 1 1 * 2025")),
            "invalid_argument: the timing has no fire after 2026-03-02T10:00:00.000Z");
  ScheduleSpec bad = spec("@daily");
  bad.id = ScheduleId("daily");
  EXPECT_EQ(refusal(*schedules_, bad), "invalid_argument: the id of a schedule is not a UUID");
  bad = spec("@daily");
  bad.catchup_max = kCatchupMax + 1;
  EXPECT_EQ(refusal(*schedules_, bad), "invalid_argument: catchup_max is 10001; 0 to 10000 is accepted");
  bad = spec("@daily");
  bad.note.assign(5'000, 'n');
  EXPECT_TRUE(refusal(*schedules_, bad).starts_with("invalid_argument: note"));
  bad = spec("@daily");
  bad.job.type = JobType("");
  EXPECT_TRUE(refusal(*schedules_, bad).starts_with("invalid_argument: type"));
  bad = spec("@daily");
  bad.ns = NamespaceName("a b");
  EXPECT_TRUE(refusal(*schedules_, bad).starts_with("invalid_argument: namespace"));
  bad = spec("@daily");
  bad.timing.zone = "Nowhere";
  EXPECT_TRUE(refusal(*schedules_, bad).starts_with("invalid_argument: time zone"));
  bad = spec("@daily");
  for (int i = 0; i < 32; ++i) bad.job.labels.emplace("l" + std::to_string(i), "v");  // one more comes with each fire
  EXPECT_TRUE(refusal(*schedules_, bad).starts_with("invalid_argument: labels"));
  EXPECT_TRUE(store_.schedules.empty());
}

TEST_F(SchedulesTest, WhatBelongsToOneJobIsRefusedInATemplate) {
  const auto with = [&](auto change) {
    ScheduleSpec bad = spec("@daily");
    change(bad.job);
    return refusal(*schedules_, bad);
  };
  EXPECT_EQ(with([&](JobSpec& job) { job.run_at = clock_.now(); }),
            "invalid_argument: the job of a schedule has run_at; none is accepted");
  EXPECT_EQ(with([&](JobSpec& job) { job.deadline = clock_.now(); }),
            "invalid_argument: the job of a schedule has deadline; none is accepted");
  EXPECT_EQ(with([&](JobSpec& job) { job.idempotency_key = "k"; }),
            "invalid_argument: the job of a schedule has idempotency_key; none is accepted");
  EXPECT_EQ(with([&](JobSpec& job) { job.after = {JobId{Uuid{.high = 1, .low = 1}}}; }),
            "invalid_argument: the job of a schedule has after; none is accepted");
}

TEST_F(SchedulesTest, AnUnknownScheduleIsNotFound) {
  const ScheduleId id("0190c2a1-0000-7000-8000-000000000001");
  EXPECT_EQ(update({.id = id, .note = "x"}).code(), Code::not_found);
  Code got = Code::ok;
  schedules_->get(kOwnNamespace, id, [&](const Result<Schedule>& r) { got = r.code(); });
  EXPECT_EQ(got, Code::not_found);
  schedules_->remove(kOwnNamespace, id, [&](const Result<Schedule>& r) { got = r.code(); });
  EXPECT_EQ(got, Code::not_found);
  got = Code::ok;
  schedules_->trigger(kOwnNamespace, id, [&](const Result<store::Enqueued>& r) { got = r.code(); });
  EXPECT_EQ(got, Code::not_found);
  schedules_->get(NamespaceName("other"), create("@daily").spec.id, [&](const Result<Schedule>& r) { got = r.code(); });
  EXPECT_EQ(got, Code::not_found);
}

TEST_F(SchedulesTest, AnUpdateChangesWhatItNamesAndNothingElse) {
  const Schedule schedule = create("0 * * * * *");
  run_for(90s);
  const Result<Schedule> after = update({.id = schedule.spec.id, .overlap = Overlap::skip, .catchup_max = 7, .note = "nightly"});
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->spec.overlap, Overlap::skip);
  EXPECT_EQ(after->spec.catchup_max, 7u);
  EXPECT_EQ(after->spec.note, "nightly");
  EXPECT_EQ(after->spec.timing, schedule.spec.timing);
  EXPECT_EQ(after->spec.job, schedule.spec.job);
  EXPECT_EQ(after->fired, 1u);
  EXPECT_EQ(after->next_fire_at, at("2026-03-02T10:02:00Z"));
}

TEST_F(SchedulesTest, AnUpdateThatIsWrongChangesNothing) {
  const Schedule schedule = create("0 * * * * *");
  EXPECT_EQ(update({.id = schedule.spec.id, .timing = Timing{.text = "* * *"}, .note = "x"}).code(), Code::invalid_argument);
  EXPECT_EQ(update({.id = schedule.spec.id, .timing = Timing{.text = "0 0 30 2 *"}}).code(), Code::invalid_argument);
  EXPECT_EQ(update({.id = schedule.spec.id, .catchup_max = 10'001}).code(), Code::invalid_argument);
  EXPECT_EQ(update({.id = schedule.spec.id, .next_fire_at = Instant(Duration(-1))}).code(), Code::invalid_argument);
  EXPECT_EQ(row(schedule).revision, schedule.revision);
}

TEST_F(SchedulesTest, ANewTimingFiresNextAfterNow) {
  const Schedule schedule = create("0 0 * * * *");
  clock_.advance(90min);  // a fire at 11:00 was missed
  const Result<Schedule> after = update({.id = schedule.spec.id, .timing = Timing{.text = "0 45 * * * *"}});
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->next_fire_at, at("2026-03-02T11:45:00Z"));
  run_for(20min);
  EXPECT_EQ(fires(schedule), (Texts{"11:45:00"}));
}

TEST_F(SchedulesTest, AnUpdateThatMeetsAFireIsMadeAnew) {
  const Schedule schedule = create("0 * * * * *");
  store_.before_write = [&] { ++store_.schedules.at(schedule.spec.id.text()).revision; };
  const Result<Schedule> after = update({.id = schedule.spec.id, .note = "x"});
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->spec.note, "x");
}

TEST_F(SchedulesTest, AGivenNextFireDefersOrReplays) {
  const Schedule schedule = create("0 * * * * *");
  Result<Schedule> after = update({.id = schedule.spec.id, .next_fire_at = at("2026-03-02T10:03:00Z")});
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->next_fire_at, at("2026-03-02T10:03:00Z"));
  run_for(4min);
  EXPECT_EQ(fires(schedule), (Texts{"10:03:00", "10:04:00"}));
  // Back in time: what was not made yet is, once.
  after = update({.id = schedule.spec.id, .next_fire_at = at("2026-03-02T10:01:30Z")});
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->next_fire_at, at("2026-03-02T10:01:30Z"));
  settle();
  EXPECT_EQ(fires(schedule), (Texts{"10:03:00", "10:04:00", "10:02:00"}));
}

TEST_F(SchedulesTest, AGivenNextFireThatIsNoFireIsOnlyLookedAt) {
  const Schedule schedule = create("0 * * * * *");
  ASSERT_TRUE(update({.id = schedule.spec.id, .next_fire_at = at("2026-03-02T10:01:30Z")}).ok());
  run_for(2min);
  EXPECT_EQ(fires(schedule), (Texts{"10:02:00"}));
}

TEST_F(SchedulesTest, APausedScheduleDoesNotFire) {
  const Schedule schedule = create("0 * * * * *");
  run_for(1min);
  const Result<Schedule> paused = update({.id = schedule.spec.id, .enabled = false});
  ASSERT_TRUE(paused.ok());
  EXPECT_FALSE(paused->next_fire_at.has_value());
  run_for(10min);
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00"}));
  ScheduleSpec off = spec("0 * * * * *");
  off.enabled = false;
  const Schedule born_paused = create(off);
  EXPECT_FALSE(born_paused.next_fire_at.has_value());
  run_for(2min);
  EXPECT_EQ(fires(born_paused), Texts{});
}

TEST_F(SchedulesTest, ResumingGoesOnFromNow) {
  const Schedule schedule = create("0 * * * * *");
  run_for(1min);
  ASSERT_TRUE(update({.id = schedule.spec.id, .enabled = false}).ok());
  run_for(10min);
  const Result<Schedule> resumed = update({.id = schedule.spec.id, .enabled = true});
  ASSERT_TRUE(resumed.ok());
  EXPECT_EQ(resumed->next_fire_at, at("2026-03-02T10:12:00Z"));
  run_for(2min);
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00", "10:12:00", "10:13:00"}));
}

TEST_F(SchedulesTest, ResumingWithCatchUpMakesTheNewestOfThePause) {
  ScheduleSpec given = spec("0 * * * * *");
  given.catchup_max = 3;
  const Schedule schedule = create(given);
  run_for(1min);
  ASSERT_TRUE(update({.id = schedule.spec.id, .enabled = false}).ok());
  run_for(10min);
  ASSERT_TRUE(update({.id = schedule.spec.id, .enabled = true, .catch_up = true}).ok());
  settle();
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00", "10:09:00", "10:10:00", "10:11:00"}));
  EXPECT_EQ(row(schedule).skipped, 7u);
}

TEST_F(SchedulesTest, EnablingWhatIsEnabledMovesNothing) {
  const Schedule schedule = create("0 * * * * *");
  clock_.advance(90s);
  ASSERT_TRUE(update({.id = schedule.spec.id, .enabled = true}).ok());
  settle();
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00"}));
}

TEST_F(SchedulesTest, AnotherOverlapRuleDropsWhatIsBuffered) {
  const Schedule schedule = create("0 * * * * *", Overlap::buffer_one);
  run_for(2min);
  ASSERT_TRUE(row(schedule).buffered.has_value());
  const Result<Schedule> after = update({.id = schedule.spec.id, .overlap = Overlap::allow});
  ASSERT_TRUE(after.ok());
  EXPECT_FALSE(after->buffered.has_value());
  EXPECT_EQ(after->skipped, 1u);
  run_for(1min);
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00", "10:03:00"}));
}

TEST_F(SchedulesTest, TriggerEnqueuesOneJobAndTouchesNoFire) {
  ScheduleSpec off = spec("0 * * * * *");
  off.enabled = false;
  off.job.run = RunSpec();
  const Schedule schedule = create(off);
  for (int i = 0; i < 2; ++i) {
    std::optional<Result<store::Enqueued>> made;
    schedules_->trigger(kOwnNamespace, schedule.spec.id, [&](Result<store::Enqueued> result) { made = std::move(result); });
    ASSERT_TRUE(made && made->ok());
    EXPECT_FALSE((*made)->existed);
  }
  ASSERT_EQ(store_.jobs.size(), 2u);
  const JobSpec& job = store_.jobs[0].spec;
  EXPECT_EQ(job.labels.at(kLabelSchedule), schedule.spec.id.text());
  EXPECT_EQ(job.run->schedule, schedule.spec.id.text());
  EXPECT_NE(job.run->external_id, store_.jobs[1].spec.run->external_id);
  EXPECT_TRUE(job.idempotency_key.empty());
  EXPECT_EQ(row(schedule).revision, schedule.revision);
}

TEST_F(SchedulesTest, PreviewShowsTheNextFiresWithTheirJitter) {
  const Schedule schedule = create("0 0 9 * * *");
  std::vector<Instant> got;
  schedules_->preview(kOwnNamespace, schedule.spec.id, 3, std::nullopt,
                      [&](Result<std::vector<Instant>> r) { got = std::move(*r); });
  EXPECT_EQ(got, (std::vector{at("2026-03-03T09:00:00Z"), at("2026-03-04T09:00:00Z"), at("2026-03-05T09:00:00Z")}));
  schedules_->preview(kOwnNamespace, schedule.spec.id, 1, at("2030-01-01T00:00:00Z"),
                      [&](Result<std::vector<Instant>> r) { got = std::move(*r); });
  EXPECT_EQ(got, (std::vector{at("2030-01-01T09:00:00Z")}));
  ScheduleSpec late = spec("0 0 9 * * *");
  late.timing.jitter = 1h;
  const Schedule jittered = create(late);
  schedules_->preview(kOwnNamespace, jittered.spec.id, 1, std::nullopt,
                      [&](Result<std::vector<Instant>> r) { got = std::move(*r); });
  EXPECT_EQ(got, (std::vector{*jittered.next_fire_at}));
  Code code = Code::ok;
  for (const std::size_t count : {std::size_t{0}, limits::kPreviewMax + 1}) {
    schedules_->preview(kOwnNamespace, schedule.spec.id, count, std::nullopt,
                        [&](const Result<std::vector<Instant>>& r) { code = r.code(); });
    EXPECT_EQ(code, Code::invalid_argument);
  }
}

TEST_F(SchedulesTest, BackfillMakesTheFiresOfTheRangeOnce) {
  const Schedule schedule = create("0 * * * * *");
  run_for(5min);
  std::vector<store::Enqueued> made;
  schedules_->backfill(
      {.ns = kOwnNamespace, .id = schedule.spec.id, .from = at("2026-03-02T09:58:00Z"), .to = at("2026-03-02T10:02:00Z")},
      [&](Result<std::vector<store::Enqueued>> r) { made = std::move(*r); });
  ASSERT_EQ(made.size(), 4u);
  EXPECT_FALSE(made[0].existed);
  EXPECT_FALSE(made[1].existed);
  EXPECT_TRUE(made[2].existed);
  EXPECT_TRUE(made[3].existed);
  EXPECT_EQ(fires(schedule), (Texts{"10:01:00", "10:02:00", "10:03:00", "10:04:00", "10:05:00", "09:59:00", "10:00:00"}));
  EXPECT_EQ(row(schedule).fired, 5u);
}

TEST_F(SchedulesTest, BackfillRefusesTheFutureAnEmptyRangeAndTooMuch) {
  const Schedule schedule = create("* * * * * *");
  const auto code_of = [&](Instant from, Instant to) {
    Code code = Code::ok;
    schedules_->backfill({.ns = kOwnNamespace, .id = schedule.spec.id, .from = from, .to = to},
                         [&](const Result<std::vector<store::Enqueued>>& r) { code = r.code(); });
    return code;
  };
  const Instant now = clock_.now();
  EXPECT_EQ(code_of(now - 1min, now + 1min), Code::invalid_argument);
  EXPECT_EQ(code_of(now, now), Code::invalid_argument);
  EXPECT_EQ(code_of(now, now - 1min), Code::invalid_argument);
  EXPECT_EQ(code_of(Instant(Duration(-1)), now), Code::invalid_argument);
  EXPECT_EQ(code_of(now - 3h, now), Code::exhausted);
  EXPECT_TRUE(store_.jobs.empty());
  EXPECT_EQ(code_of(now - 10'000s, now), Code::ok);
  EXPECT_EQ(store_.jobs.size(), 10'000u);
}

TEST_F(SchedulesTest, ListsAreAskedForWithinBounds) {
  Code code = Code::ok;
  const auto list = [&](store::ScheduleQuery query) {
    schedules_->list(std::move(query), [&](const Result<store::SchedulePage>& r) { code = r.code(); });
    return code;
  };
  EXPECT_EQ(list({.ns = kOwnNamespace}), Code::ok);
  EXPECT_EQ(list({.ns = NamespaceName("a/b")}), Code::invalid_argument);
  EXPECT_EQ(list({.limit = 0}), Code::invalid_argument);
  EXPECT_EQ(list({.limit = limits::kPageMax + 1}), Code::invalid_argument);
}

}  // namespace
}  // namespace muster::engine
