// Contract: schedules are rows with a revision; a fire enqueues its jobs and moves the row, or neither.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class ScheduleContract : public StoreContract {
 protected:
  static Schedule a_schedule(std::string id) {
    Schedule out;
    out.spec.id = ScheduleId(std::move(id));
    out.spec.timing.text = "0 2 * * *";
    out.spec.job = a_job();
    out.spec.job.run = RunSpec{.version = "7"};
    return out;
  }
  Schedule make(Schedule schedule, int line = __builtin_LINE()) {
    return must(client().create_schedule(std::move(schedule)), line);
  }
  Schedule make_due(std::string id, Instant at, int line = __builtin_LINE()) {
    Schedule schedule = a_schedule(std::move(id));
    schedule.next_fire_at = at;
    return make(std::move(schedule), line);
  }
  Schedule get(const char* id, int line = __builtin_LINE()) {
    return must(client().get_schedule(kDefault, ScheduleId(id)), line);
  }
  static JobSpec job_of(const Schedule& schedule, Instant fire_at) {
    JobSpec job = schedule.spec.job;
    job.idempotency_key = fire_key(schedule.spec.id, fire_at);
    return job;
  }
  static ScheduleFire fire_at(const Schedule& schedule, Instant at, Instant next) {
    ScheduleFire fire{schedule, {job_of(schedule, at)}};
    fire.after.last_fired_at = fire.after.caught_up_to = at;
    fire.after.next_fire_at = next;
    ++fire.after.fired;
    return fire;
  }
  std::vector<std::string> due(std::size_t limit = 100) { return names(must(client().due_schedules(limit)).schedules); }
  static std::vector<std::string> names(const std::vector<Schedule>& schedules) {
    std::vector<std::string> out;
    for (const Schedule& one : schedules) out.push_back(one.spec.id.text());
    return out;
  }
};

using Names = std::vector<std::string>;

bool same(const Schedule& a, const Schedule& b) {
  return a.spec == b.spec && a.created_at == b.created_at && a.updated_at == b.updated_at && a.next_fire_at == b.next_fire_at &&
         a.last_fired_at == b.last_fired_at && a.caught_up_to == b.caught_up_to && a.buffered == b.buffered &&
         a.last_job == b.last_job && a.fired == b.fired && a.skipped == b.skipped && a.revision == b.revision;
}

TEST_P(ScheduleContract, ANewOneIsThereAsItWasGiven) {
  Schedule given = a_schedule("s1");
  given.spec.timing = {.text = "every 90s",
                       .form = CronForm::kagzi,
                       .zone = "Europe/Berlin",
                       .gap = GapRule::skip,
                       .fold = FoldRule::twice,
                       .jitter = 3s};
  given.spec.job.queue = QueueName("reports");
  given.spec.job.payload = {std::string("\0\xff", 2), Encoding::bytes};
  given.spec.job.priority = 5;
  given.spec.job.labels = {{"a", "b"}};
  given.spec.overlap = Overlap::buffer_one;
  given.spec.catchup_max = 0;
  given.spec.note = "by night";
  given.next_fire_at = now() + 1h;
  given.caught_up_to = now() - 1h;
  const Schedule made = make(given);
  EXPECT_EQ(made.spec, given.spec);
  EXPECT_EQ(made.created_at, now());
  EXPECT_EQ(made.updated_at, now());
  EXPECT_EQ(made.next_fire_at, given.next_fire_at);
  EXPECT_EQ(made.caught_up_to, given.caught_up_to);
  EXPECT_GT(made.revision, 0u);
  restart();
  crash();
  EXPECT_TRUE(same(get("s1"), made));
}

TEST_P(ScheduleContract, ATakenIdIsRefusedInItsNamespaceOnly) {
  const Schedule made = make(a_schedule("s1"));
  Schedule other = a_schedule("s1");
  other.spec.note = "another";
  EXPECT_EQ(client().create_schedule(other).code(), Code::already_exists);
  EXPECT_TRUE(same(get("s1"), made));
  must(client().create_namespace({.name = NamespaceName("team")}));
  other.spec.ns = other.spec.job.ns = NamespaceName("team");
  must(client().create_schedule(other));
  EXPECT_EQ(must(client().get_schedule(NamespaceName("team"), ScheduleId("s1"))).spec.note, "another");
  EXPECT_EQ(get("s1").spec.note, "");
}

TEST_P(ScheduleContract, WhatIsNotThereIsNotFound) {
  EXPECT_EQ(client().get_schedule(kDefault, ScheduleId("none")).code(), Code::not_found);
  EXPECT_EQ(client().delete_schedule(kDefault, ScheduleId("none")).code(), Code::not_found);
  EXPECT_EQ(client().update_schedule(a_schedule("none")).code(), Code::not_found);
  EXPECT_EQ(client().fire_schedule({a_schedule("none"), {a_job()}}).code(), Code::not_found);
  EXPECT_TRUE(list_all({}).empty());
  Schedule lost = a_schedule("s1");
  lost.spec.ns = lost.spec.job.ns = NamespaceName("nowhere");
  EXPECT_EQ(client().create_schedule(lost).code(), Code::not_found);
  EXPECT_EQ(client().list_schedules({.ns = NamespaceName("nowhere")}).code(), Code::not_found);
}

TEST_P(ScheduleContract, AnUpdateReplacesWhatWasReadAndNothingNewer) {
  const Schedule made = make(a_schedule("s1"));
  advance(1s);
  Schedule changed = made;
  changed.spec.enabled = false;
  changed.spec.job.type = JobType("other");
  changed.next_fire_at.reset();
  changed.created_at = now();
  const Schedule after = must(client().update_schedule(changed));
  EXPECT_GT(after.revision, made.revision);
  EXPECT_EQ(after.created_at, made.created_at);
  EXPECT_EQ(after.updated_at, now());
  EXPECT_FALSE(after.spec.enabled);
  EXPECT_TRUE(same(get("s1"), after));
  changed.spec.note = "too late";
  EXPECT_EQ(client().update_schedule(changed).code(), Code::conflict);
  EXPECT_TRUE(same(get("s1"), after));
}

TEST_P(ScheduleContract, ADeletedOneIsGone) {
  const Schedule made = make_due("s1", now());
  EXPECT_TRUE(same(must(client().delete_schedule(kDefault, ScheduleId("s1"))), made));
  EXPECT_EQ(client().get_schedule(kDefault, ScheduleId("s1")).code(), Code::not_found);
  EXPECT_TRUE(due().empty());
  EXPECT_EQ(client().fire_schedule(fire_at(made, now(), now() + 1h)).code(), Code::not_found);
  EXPECT_TRUE(list_all({}).empty());
}

TEST_P(ScheduleContract, AreListedNewestFirstInPages) {
  for (int i = 0; i < 5; ++i) {
    Schedule one = a_schedule(fmt::format("s{}", i));
    one.spec.job.queue = QueueName(i % 2 == 0 ? "even" : "odd");
    one.spec.job.type = JobType(i < 3 ? "low" : "high");
    one.spec.enabled = i != 4;
    make(one);
    advance(1s);
  }
  Names seen;
  ScheduleQuery query{.ns = kDefault, .limit = 2};
  for (int page = 0; page < 3; ++page) {
    const SchedulePage found = must(client().list_schedules(query));
    EXPECT_EQ(found.total, 5u);
    for (const std::string& name : names(found.schedules)) seen.push_back(name);
    EXPECT_EQ(found.next.empty(), page == 2);
    query.cursor = found.next;
  }
  EXPECT_EQ(seen, (Names{"s4", "s3", "s2", "s1", "s0"}));
  const auto listed = [&](ScheduleQuery q) {
    const SchedulePage page = must(client().list_schedules(q));
    EXPECT_EQ(page.total, page.schedules.size());
    return names(page.schedules);
  };
  EXPECT_EQ(listed({.queue = QueueName("even")}), (Names{"s4", "s2", "s0"}));
  EXPECT_EQ(listed({.type = JobType("low")}), (Names{"s2", "s1", "s0"}));
  EXPECT_EQ(listed({.enabled = false}), Names{"s4"});
  EXPECT_EQ(listed({.ns = kDefault, .queue = QueueName("even"), .type = JobType("high"), .enabled = true}), Names{});
  EXPECT_EQ(client().list_schedules({.cursor = "nonsense"}).code(), Code::invalid_argument);
}

TEST_P(ScheduleContract, OnlyEnabledOnesWhoseTimeHasComeAreDueEarliestFirst) {
  make_due("later", now() + 2h);
  make_due("second", now() + 1h);
  make_due("first", now() + 30min);
  make(a_schedule("never"));
  Schedule off = a_schedule("off");
  off.spec.enabled = false;
  off.next_fire_at = now() + 1min;
  make(off);
  const DueSchedules none = must(client().due_schedules(10));
  EXPECT_TRUE(none.schedules.empty());
  EXPECT_EQ(none.next_due, now() + 30min);
  EXPECT_FALSE(none.more);
  advance(1h);
  EXPECT_EQ(due(), (Names{"first", "second"}));
  const DueSchedules one = must(client().due_schedules(1));
  EXPECT_EQ(names(one.schedules), Names{"first"});
  EXPECT_TRUE(one.more);
  const DueSchedules both = must(client().due_schedules(10));
  EXPECT_FALSE(both.more);
  EXPECT_EQ(both.next_due, now() + 1h);
}

TEST_P(ScheduleContract, ABufferedFireIsDueOnceTheJobBeforeItIsFinished) {
  join();
  Schedule schedule = make_due("s1", now());
  const ScheduleFired fired = must(client().fire_schedule(fire_at(schedule, now(), now() + 24h)));
  schedule = fired.schedule;
  schedule.buffered = now();
  must(client().update_schedule(schedule));
  must(complete(take_one()));
  EXPECT_EQ(due(), Names{"s1"});
}

TEST_P(ScheduleContract, AFireEnqueuesItsJobAndMovesTheRow) {
  const Schedule made = make_due("s1", now());
  advance(5s);
  const ScheduleFired fired = must(client().fire_schedule(fire_at(made, now(), now() + 1h)));
  ASSERT_EQ(fired.jobs.size(), 1u);
  EXPECT_FALSE(fired.jobs[0].existed);
  EXPECT_EQ(fired.schedule.last_job, fired.jobs[0].id) << "the newest of its jobs";
  EXPECT_EQ(fired.schedule.fired, 1u);
  EXPECT_EQ(fired.schedule.next_fire_at, now() + 1h);
  EXPECT_EQ(fired.schedule.last_fired_at, now());
  EXPECT_GT(fired.schedule.revision, made.revision);
  EXPECT_EQ(fired.schedule.created_at, made.created_at);
  EXPECT_EQ(fired.schedule.updated_at, made.updated_at) << "nobody changed it";
  EXPECT_TRUE(same(get("s1"), fired.schedule));
  EXPECT_EQ(state(fired.jobs[0].id), JobState::ready);
  EXPECT_EQ(job(fired.jobs[0].id).spec.run->version, "7");
  EXPECT_TRUE(due().empty());
  crash();
  EXPECT_TRUE(same(get("s1"), fired.schedule));
  EXPECT_EQ(state(fired.jobs[0].id), JobState::ready);
}

TEST_P(ScheduleContract, OfTwoFiresAtOneRevisionOneIsMade) {
  const Schedule made = make_due("s1", now());
  must(client().fire_schedule(fire_at(made, now(), now() + 1h)));
  ScheduleFire second = fire_at(made, now() + 1s, now() + 2h);
  EXPECT_EQ(client().fire_schedule(second).code(), Code::conflict);
  EXPECT_EQ(list_all({}).size(), 1u);
  EXPECT_EQ(get("s1").fired, 1u);
}

TEST_P(ScheduleContract, AFireThatWasMadeBeforeIsNotMadeAgain) {
  const Schedule made = make_due("s1", now());
  const ScheduleFired first = must(client().fire_schedule(fire_at(made, now(), now() + 1h)));
  const ScheduleFired again = must(client().fire_schedule(fire_at(first.schedule, now(), now() + 1h)));
  ASSERT_EQ(again.jobs.size(), 1u);
  EXPECT_TRUE(again.jobs[0].existed);
  EXPECT_EQ(again.jobs[0].id, first.jobs[0].id);
  EXPECT_EQ(list_all({}).size(), 1u);
}

TEST_P(ScheduleContract, AFireMayMakeManyJobsOrNone) {
  const Schedule made = make_due("s1", now());
  ScheduleFire many = fire_at(made, now(), now() + 1h);
  for (int i = 1; i < 4; ++i) many.jobs.push_back(job_of(made, now() + Duration(i)));
  const ScheduleFired fired = must(client().fire_schedule(many));
  ASSERT_EQ(fired.jobs.size(), 4u);
  EXPECT_EQ(fired.schedule.last_job, fired.jobs[3].id);
  ScheduleFire none{fired.schedule, {}};
  none.after.skipped = 2;
  const ScheduleFired skipped = must(client().fire_schedule(none));
  EXPECT_TRUE(skipped.jobs.empty());
  EXPECT_EQ(skipped.schedule.skipped, 2u);
  EXPECT_EQ(skipped.schedule.last_job, fired.schedule.last_job);
  EXPECT_EQ(list_all({}).size(), 4u);
}

TEST_P(ScheduleContract, AFireWhoseJobIsRefusedMovesNothing) {
  const Schedule made = make_due("s1", now());
  ScheduleFire fire = fire_at(made, now(), now() + 1h);
  fire.jobs[0].after = {JobId{{1, 2}}};
  EXPECT_EQ(client().fire_schedule(fire).code(), Code::not_found);
  EXPECT_TRUE(same(get("s1"), made));
  must(client().update_namespace({.name = kDefault, .enabled = false}));
  EXPECT_EQ(client().fire_schedule(fire_at(made, now(), now() + 1h)).code(), Code::conflict);
  EXPECT_TRUE(same(get("s1"), made));
  EXPECT_TRUE(list_all({}).empty());
}

TEST_P(ScheduleContract, GoWithTheirNamespace) {
  must(client().create_namespace({.name = NamespaceName("team")}));
  Schedule schedule = a_schedule("s1");
  schedule.spec.ns = schedule.spec.job.ns = NamespaceName("team");
  schedule.next_fire_at = now();
  must(client().create_schedule(schedule));
  EXPECT_EQ(due(), Names{"s1"});
  must(client().delete_namespace(NamespaceName("team")));
  EXPECT_TRUE(due().empty());
  must(client().create_namespace({.name = NamespaceName("team")}));
  EXPECT_EQ(must(client().list_schedules({.ns = NamespaceName("team")})).total, 0u);
}

INSTANTIATE_TEST_SUITE_P(Stores, ScheduleContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
