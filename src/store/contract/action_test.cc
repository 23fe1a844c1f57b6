// Contract: actions, whose jobs are ordinary jobs, and whose counts move with them and outlive them.
#include <set>

#include "store/contract/contract.h"
#include "store/contract/recorder.h"

namespace muster {

void PrintTo(const ActionCounts& c, std::ostream* out);
void PrintTo(const ActionCounts& c, std::ostream* out) {
  *out << fmt::format("waiting {} running {} completed {} failed {} dead {} cancelled {}", c.waiting, c.running, c.completed,
                      c.failed, c.dead, c.cancelled);
}

}  // namespace muster

namespace muster::store::contract {
namespace {

class ActionContract : public StoreContract {
 protected:
  void SetUp() override {
    StoreContract::SetUp();
    put_plan("p1");
  }
  void put_plan(const char* id, const NamespaceName& ns = kDefault) {
    PlanSpec spec;
    spec.ns = ns;
    spec.id = PlanId(id);
    spec.text = R"({"tasks":[]})";
    must(client().put_plan({spec, false}));
  }
  static ActionSpec an_action(std::string id, std::size_t jobs, const char* plan = "p1") {
    ActionSpec spec;
    spec.id = ActionId(std::move(id));
    spec.plan = PlanId(plan);
    for (std::size_t i = 0; i < jobs; ++i) {
      ActionJob job;
      job.spec = a_job();
      job.spec.payload = {fmt::format(R"({{"n":{}}})", i), Encoding::json};
      job.spec.labels[kLabelInput] = std::to_string(i);
      spec.jobs.push_back(std::move(job));
    }
    return spec;
  }
  std::vector<JobId> submit(std::string id, std::size_t jobs, const char* plan = "p1") {
    return must(client().submit_action(an_action(std::move(id), jobs, plan))).jobs;
  }
  ActionView view(const char* id, ActionQuery query = {}) {
    query.ns = kDefault;
    query.id = ActionId(id);
    return must(client().get_action(query));
  }
  ActionCounts counts(const char* id) { return view(id).action.counts; }
  Plan plan(const char* id = "p1") { return must(client().get_plan(kDefault, PlanId(id))); }
  std::vector<std::string> listed(ActionListQuery query) {
    query.ns = kDefault;
    std::vector<std::string> names;
    for (const Action& action : must(client().list_actions(query)).actions) names.push_back(action.id.text());
    return names;
  }
  void settle(Retention retention = {}) {
    constexpr int kPassesMax = 100;
    for (int i = 0; i < kPassesMax; ++i)
      if (!must(client().settle_actions(retention, kSweepLimit)).more) return;
    FAIL() << "settling without an end";
  }
  void prune(Retention retention = {}) {
    constexpr int kPassesMax = 100;
    for (int i = 0; i < kPassesMax; ++i)
      if (!must(client().prune_finished(retention, kSweepLimit)).more) return;
    FAIL() << "pruning without an end";
  }
  Code exists(const char* id) { return client().get_action({.ns = kDefault, .id = ActionId(id)}).code(); }
};

using Names = std::vector<std::string>;

TEST_P(ActionContract, AnActionMakesOneJobForEachInput) {
  advance(5s);
  const ActionSubmitted made = must(client().submit_action(an_action("a1", 3)));
  EXPECT_EQ(made.action.id.text(), "a1");
  EXPECT_EQ(made.action.plan.text(), "p1");
  EXPECT_EQ(made.action.created_at, now());
  EXPECT_EQ(made.action.jobs, 3u);
  EXPECT_EQ(made.action.counts, (ActionCounts{.waiting = 3}));
  ASSERT_EQ(made.jobs.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const Job one = job(made.jobs[i]);
    EXPECT_EQ(one.state, JobState::ready);
    EXPECT_EQ(one.spec.payload.data, fmt::format(R"({{"n":{}}})", i));
    EXPECT_EQ(one.spec.labels.at(kLabelInput), std::to_string(i));
    EXPECT_EQ(one.spec.labels.at(kLabelAction), "a1");
    EXPECT_EQ(one.spec.labels.at(kLabelPlan), "p1");
  }
}

TEST_P(ActionContract, ItsJobsAreClaimedLikeAnyOthers) {
  ActionSpec spec = an_action("a1", 2);
  for (ActionJob& job : spec.jobs) {
    job.spec.queue = QueueName("ready");
    job.spec.needs = CapabilitySet({"tool:sort"});
  }
  const std::vector<JobId> jobs = must(client().submit_action(spec)).jobs;
  join("unable");
  EXPECT_TRUE(idle("unable"));
  join(a_worker("able", [](WorkerSpec& w) {
    w.capabilities = CapabilitySet({"tool:sort"});
    w.queues = {QueueName("ready")};
  }));
  EXPECT_EQ(ids_of(take("able", 10)), jobs);
}

TEST_P(ActionContract, ItsJobsAreToldAndWakeWhoWaits) {
  Recorder told;
  harness().listen(&told);
  const std::vector<JobId> jobs = submit("a1", 2);
  told.catch_up(client());
  for (const JobId& id : jobs) {
    ASSERT_EQ(told.of(id).size(), 1u);
    EXPECT_EQ(told.of(id).at(0).event, JobEvent::enqueued);
  }
  EXPECT_GE(told.wakes().size(), 2u);
  harness().listen(nullptr);
}

TEST_P(ActionContract, CountsMoveWithTheJobs) {
  join();
  const std::vector<JobId> jobs = submit("a1", 7);
  const std::vector<Grant> grants = take("w1", 6);
  ASSERT_EQ(grants.size(), 6u);
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = 1, .running = 6}));
  must(complete(grants[0]));
  must(fail_for_good(grants[1]));                    // a worker said so
  must(fail_for_good(grants[2], kErrorWorkerLost));  // the engine said so
  must(fail(grants[3]));                             // will run again
  must(release(grants[4]));
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = 3, .running = 1, .completed = 1, .failed = 1, .dead = 1}));
  must(cancel(jobs[6]));
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = 2, .running = 1, .completed = 1, .failed = 1, .dead = 1, .cancelled = 1}));
  must(client().redrive(grants[1].id));
  must(client().redrive(jobs[6]));
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = 4, .running = 1, .completed = 1, .dead = 1}));
  EXPECT_EQ(counts("a1").total(), 7u);
}

TEST_P(ActionContract, EveryEndOfTheEnginesOwnCountsAsDead) {
  join();
  for (const char* kind :
       {kErrorTimeout, kErrorWorkerLost, kErrorRescueFailed, kErrorExpired, kErrorDependency, kErrorCancelled}) {
    const std::string id = fmt::format("a-{}", kind);
    submit(id, 1);
    must(fail_for_good(take_one(), kind));
    EXPECT_EQ(counts(id.c_str()), (ActionCounts{.dead = 1})) << kind;
  }
}

TEST_P(ActionContract, AScheduledJobThatIsDueStillWaits) {
  ActionSpec spec = an_action("a1", 2);
  spec.jobs[1].spec.delay = 10s;
  must(client().submit_action(spec));
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = 2}));
  advance(10s);
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = 2}));
}

TEST_P(ActionContract, ThePlansCountersMoveAlong) {
  advance(5s);
  submit("a1", 3);
  const Instant first = now();
  EXPECT_EQ(plan().last_used_at, first);
  advance(5s);
  submit("a2", 4);
  EXPECT_EQ(plan().actions, 2u);
  EXPECT_EQ(plan().jobs, 7u);
  EXPECT_EQ(plan().last_used_at, now());
  EXPECT_NE(plan().created_at, now());
}

TEST_P(ActionContract, AnUnknownPlanIsNotFoundAndNothingIsMade) {
  EXPECT_EQ(client().submit_action(an_action("a1", 3, "nope")).code(), Code::not_found);
  EXPECT_EQ(exists("a1"), Code::not_found);
  EXPECT_TRUE(list_all({}).empty());
}

TEST_P(ActionContract, ATakenNameIsRefusedAndNothingIsMade) {
  const std::vector<JobId> jobs = submit("a1", 2);
  put_plan("p2");
  EXPECT_EQ(client().submit_action(an_action("a1", 5, "p2")).code(), Code::already_exists);
  EXPECT_EQ(view("a1").action.jobs, 2u);
  EXPECT_EQ(list_all({}).size(), 2u);
  EXPECT_EQ(plan("p2").actions, 0u);
  EXPECT_EQ(plan("p2").jobs, 0u);
  EXPECT_FALSE(plan("p2").last_used_at.has_value());
}

TEST_P(ActionContract, AnActionWithoutJobsIsRefused) {
  EXPECT_EQ(client().submit_action(an_action("a1", 0)).code(), Code::invalid_argument);
  EXPECT_EQ(exists("a1"), Code::not_found);
}

TEST_P(ActionContract, AJobWithAKeyOfItsOwnIsRefused) {
  ActionSpec keyed = an_action("a1", 2);
  keyed.jobs[1].spec.idempotency_key = "k";
  EXPECT_EQ(client().submit_action(keyed).code(), Code::invalid_argument);
  ActionSpec unique = an_action("a1", 2);
  unique.jobs[0].spec.unique = UniqueKey{"k", UniqueWhile::unfinished};
  EXPECT_EQ(client().submit_action(unique).code(), Code::invalid_argument);
  EXPECT_EQ(exists("a1"), Code::not_found);
  EXPECT_TRUE(list_all({}).empty());
}

TEST_P(ActionContract, AnUnknownDependencyLeavesNothingBehind) {
  ActionSpec spec = an_action("a1", 3);
  spec.jobs[2].spec.after = {JobId()};
  EXPECT_EQ(client().submit_action(spec).code(), Code::not_found);
  EXPECT_EQ(exists("a1"), Code::not_found);
  EXPECT_TRUE(list_all({}).empty());
  EXPECT_EQ(plan().actions, 0u);
}

TEST_P(ActionContract, JobsRunAfterThoseTheyWaitFor) {
  join();
  ActionSpec spec = an_action("a1", 4);
  spec.jobs[1].after = {0};
  spec.jobs[2].after = {1};
  spec.jobs[3].after = {0, 2};
  const std::vector<JobId> jobs = must(client().submit_action(spec)).jobs;
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = 4}));
  for (std::size_t i = 0; i < 4; ++i) {
    const std::vector<Grant> grants = take("w1", 10);
    ASSERT_EQ(ids_of(grants), std::vector<JobId>{jobs[i]}) << i;
    EXPECT_TRUE(idle());
    must(complete(grants[0]));
  }
  EXPECT_EQ(counts("a1"), (ActionCounts{.completed = 4}));
}

TEST_P(ActionContract, WhatWaitsForAFailedJobIsCancelled) {
  join();
  ActionSpec spec = an_action("a1", 3);
  spec.jobs[1].after = {0};
  spec.jobs[2].after = {1};
  must(client().submit_action(spec));
  must(fail_for_good(take_one()));
  EXPECT_EQ(counts("a1"), (ActionCounts{.failed = 1, .cancelled = 2}));
}

TEST_P(ActionContract, LinksSurviveARestart) {
  join();
  ActionSpec spec = an_action("a1", 2);
  spec.jobs[1].after = {0};
  const std::vector<JobId> jobs = must(client().submit_action(spec)).jobs;
  restart();
  const Grant first = take_one();
  EXPECT_EQ(first.id, jobs[0]);
  EXPECT_TRUE(idle());
  must(complete(first));
  EXPECT_EQ(take_one().id, jobs[1]);
}

TEST_P(ActionContract, ItsJobsAreListedInPagesBothWays) {
  const std::vector<JobId> jobs = submit("a1", 5);
  submit("a2", 2);
  using Ids = std::vector<JobId>;
  EXPECT_TRUE(view("a1").jobs.empty());
  EXPECT_EQ(view("a1", {.job_limit = 10}).jobs, jobs);
  EXPECT_EQ(view("a1", {.job_offset = 1, .job_limit = 2}).jobs, (Ids{jobs[1], jobs[2]}));
  EXPECT_EQ(view("a1", {.job_offset = 4, .job_limit = 2}).jobs, Ids{jobs[4]});
  EXPECT_TRUE(view("a1", {.job_offset = 5, .job_limit = 2}).jobs.empty());
  EXPECT_EQ(view("a1", {.job_limit = 2, .newest_first = true}).jobs, (Ids{jobs[4], jobs[3]}));
  EXPECT_EQ(view("a1", {.job_offset = 3, .job_limit = 5, .newest_first = true}).jobs, (Ids{jobs[1], jobs[0]}));
}

TEST_P(ActionContract, ActionsAreListedOldestFirstInPagesWithTheirTotal) {
  put_plan("p2");
  for (const char* id : {"c", "a", "b"}) submit(id, 1);
  submit("z", 1, "p2");
  EXPECT_EQ(listed({}), (Names{"c", "a", "b", "z"}));
  EXPECT_EQ(listed({.newest_first = true}), (Names{"z", "b", "a", "c"}));
  EXPECT_EQ(listed({.offset = 1, .limit = 2}), (Names{"a", "b"}));
  EXPECT_EQ(listed({.offset = 1, .limit = 2, .newest_first = true}), (Names{"b", "a"}));
  EXPECT_EQ(listed({.plan = PlanId("p1")}), (Names{"c", "a", "b"}));
  EXPECT_EQ(listed({.plan = PlanId("p2")}), Names{"z"});
  EXPECT_TRUE(listed({.plan = PlanId("p3")}).empty());
  EXPECT_EQ(must(client().list_actions({.ns = kDefault, .offset = 3, .limit = 1})).total, 4u);
  EXPECT_EQ(must(client().list_actions({.ns = kDefault, .plan = PlanId("p1"), .limit = 1})).total, 3u);
}

TEST_P(ActionContract, AListCountsEachActionsOwnJobs) {
  join();
  submit("a1", 2);
  must(complete(take_one()));
  submit("a2", 3);
  const ActionPage page = must(client().list_actions({.ns = kDefault}));
  ASSERT_EQ(page.actions.size(), 2u);
  EXPECT_EQ(page.actions[0].counts, (ActionCounts{.waiting = 1, .completed = 1}));
  EXPECT_EQ(page.actions[1].counts, (ActionCounts{.waiting = 3}));
  EXPECT_EQ(page.actions[1].jobs, 3u);
}

TEST_P(ActionContract, JobsOfOthersInBetweenAreNotCounted) {
  join();
  add();
  const std::vector<JobId> first = submit("a1", 2);
  add();
  submit("a2", 2);
  // A label is no proof: only what the action made counts.
  add([](JobSpec& j) { j.labels[kLabelAction] = "a1"; });
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = 2}));
  EXPECT_EQ(counts("a2"), (ActionCounts{.waiting = 2}));
  EXPECT_EQ(view("a1", {.job_limit = 10}).jobs, first);
}

TEST_P(ActionContract, APlanIsKeptWhileAJobNeedsIt) {
  join();
  const std::vector<JobId> jobs = submit("a1", 2);
  EXPECT_EQ(client().delete_plan(kDefault, PlanId("p1")).code(), Code::conflict);
  must(complete(take_one()));
  const Grant running = take_one();
  EXPECT_EQ(client().delete_plan(kDefault, PlanId("p1")).code(), Code::conflict);
  EXPECT_TRUE(client().get_plan(kDefault, PlanId("p1")).ok());
  must(complete(running));
  must(client().delete_plan(kDefault, PlanId("p1")));
  EXPECT_EQ(counts("a1"), (ActionCounts{.completed = 2}));  // what was made of it stays
  EXPECT_EQ(state(jobs[0]), JobState::completed);
}

TEST_P(ActionContract, AReplacedPlanLeavesItsActionsAlone) {
  const std::vector<JobId> jobs = submit("a1", 1);
  PlanSpec other;
  other.id = PlanId("p1");
  other.text = R"({"other":1})";
  must(client().put_plan({other, true}));
  EXPECT_EQ(plan().actions, 1u);
  EXPECT_EQ(plan().jobs, 1u);
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = 1}));
  EXPECT_EQ(state(jobs[0]), JobState::ready);
}

TEST_P(ActionContract, CountsOutliveTheJobs) {
  join();
  const std::vector<JobId> jobs = submit("a1", 4);
  const std::vector<Grant> grants = take("w1", 3);
  must(complete(grants[0]));
  must(complete(grants[1]));
  must(fail_for_good(grants[2]));
  must(cancel(jobs[3]));
  const ActionCounts ended{.completed = 2, .failed = 1, .cancelled = 1};
  settle();
  EXPECT_EQ(counts("a1"), ended);
  advance(1s);
  prune({.completed_kept = 0ms, .dead_kept = 0ms, .finished_count_max = 0});
  EXPECT_EQ(client().get_job(jobs[0]).code(), Code::not_found);
  EXPECT_EQ(counts("a1"), ended);
  EXPECT_EQ(view("a1", {.job_limit = 10}).jobs, jobs);
  EXPECT_EQ(must(client().list_actions({.ns = kDefault})).actions.at(0).counts, ended);
  restart();
  EXPECT_EQ(counts("a1"), ended);
}

TEST_P(ActionContract, JobsForgottenBeforeTheActionEndsStillCount) {
  join();
  submit("a1", 4);
  const std::vector<Grant> grants = take("w1", 3);
  must(complete(grants[0]));
  must(fail_for_good(grants[1]));
  must(fail_for_good(grants[2], kErrorTimeout));
  advance(1s);
  prune({.completed_kept = 0ms, .dead_kept = 0ms, .finished_count_max = 0});
  EXPECT_EQ(client().get_job(grants[0].id).code(), Code::not_found);
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = 1, .completed = 1, .failed = 1, .dead = 1}));
  settle();
  must(complete(take_one()));
  settle();
  EXPECT_EQ(counts("a1"), (ActionCounts{.completed = 2, .failed = 1, .dead = 1}));
  prune({.completed_kept = 0ms, .dead_kept = 0ms, .finished_count_max = 0});
  EXPECT_EQ(counts("a1"), (ActionCounts{.completed = 2, .failed = 1, .dead = 1}));
}

TEST_P(ActionContract, ManyDaysOfForgottenJobsStillCount) {
  join(a_worker("w1", [](WorkerSpec& w) { w.policy = HeartbeatPolicy{24h, 24h * 30}; }));
  submit("a1", 5);
  for (int i = 0; i < 4; ++i) {
    must(complete(take_one()));
    advance(24h * 3);
    must(beat());
    prune();
    settle();
  }
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = 1, .completed = 4}));
  EXPECT_LT(list_all({}).size(), 5u);
}

TEST_P(ActionContract, AnActionWithALiveJobIsNotSettled) {
  join();
  submit("a1", 2);
  must(complete(take_one()));
  settle();
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = 1, .completed = 1}));
  const Grant second = take_one();
  settle();
  EXPECT_EQ(counts("a1"), (ActionCounts{.running = 1, .completed = 1}));
  must(complete(second));
  EXPECT_EQ(counts("a1"), (ActionCounts{.completed = 2}));
}

TEST_P(ActionContract, SettlingMovesNoMoreThanItsLimitAndSaysMore) {
  join();
  for (const char* id : {"a1", "a2", "a3"}) {
    submit(id, 1);
    must(complete(take_one()));
  }
  const SweepReport report = must(client().settle_actions({}, 2));
  if (client().in_doubt()) GTEST_SKIP() << "a lost answer hides how many rows one pass moved";
  EXPECT_EQ(report.moved, 2u);
  EXPECT_TRUE(report.more);
  EXPECT_EQ(must(client().settle_actions({}, 2)).moved, 1u);
}

TEST_P(ActionContract, ARedrivenJobOpensItsActionAgain) {
  join();
  submit("a1", 2);
  const std::vector<Grant> grants = take("w1", 2);
  must(complete(grants[0]));
  must(fail_for_good(grants[1]));
  settle();
  must(client().redrive(grants[1].id));
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = 1, .completed = 1}));
  settle();
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = 1, .completed = 1}));
  const Grant again = take_one();
  EXPECT_EQ(counts("a1"), (ActionCounts{.running = 1, .completed = 1}));
  must(complete(again));
  settle();
  EXPECT_EQ(counts("a1"), (ActionCounts{.completed = 2}));
}

TEST_P(ActionContract, ARedriveAfterOthersAreForgottenKeepsTheirCounts) {
  join(a_worker("w1", [](WorkerSpec& w) { w.policy = HeartbeatPolicy{24h, 24h * 30}; }));
  submit("a1", 3);
  const std::vector<Grant> grants = take("w1", 3);
  must(complete(grants[0]));
  must(complete(grants[1]));
  must(fail_for_good(grants[2]));
  settle();
  advance(1s);
  prune({.completed_kept = 0ms, .dead_kept = 24h, .finished_count_max = 1'000});
  must(client().redrive(grants[2].id));
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = 1, .completed = 2}));
  must(complete(take_one()));
  settle();
  EXPECT_EQ(counts("a1"), (ActionCounts{.completed = 3}));
}

TEST_P(ActionContract, ManyJobsRedrivenAtOnceOpenTheirAction) {
  join();
  submit("a1", 2);
  for (const Grant& grant : take("w1", 2)) must(fail_for_good(grant));
  settle();
  must(client().redrive_matching({.filter = {.ns = kDefault}}));
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = 2}));
}

TEST_P(ActionContract, AnActionIsForgottenSomeTimeAfterItsEnd) {
  join(a_worker("w1", [](WorkerSpec& w) { w.policy = HeartbeatPolicy{24h, 24h * 30}; }));
  submit("old", 1);
  must(complete(take_one()));
  advance(24h);
  settle();  // it ended a day ago, whenever that is found out
  submit("open", 1);
  advance(limits::kFinishedKeptDefault - 24h - 1ms);
  settle();
  EXPECT_EQ(exists("old"), Code::ok);
  advance(1ms);
  settle();
  EXPECT_EQ(exists("old"), Code::not_found);
  EXPECT_EQ(exists("open"), Code::ok);
  EXPECT_EQ(listed({}), Names{"open"});
  EXPECT_EQ(plan().actions, 2u);
  EXPECT_EQ(client().submit_action(an_action("old", 1)).code(), Code::ok);
}

TEST_P(ActionContract, AJobOfAForgottenActionCanStillStartOver) {
  join();
  submit("a1", 1);
  const Grant grant = take_one();
  must(fail_for_good(grant));
  settle();
  settle({.completed_kept = 0ms});
  EXPECT_EQ(exists("a1"), Code::not_found);
  must(client().redrive(grant.id));
  EXPECT_EQ(state(grant.id), JobState::ready);
}

TEST_P(ActionContract, AnUnknownNamespaceOrActionIsNotFound) {
  const NamespaceName nowhere("nowhere");
  ActionSpec spec = an_action("a1", 1);
  spec.ns = nowhere;
  EXPECT_EQ(client().submit_action(spec).code(), Code::not_found);
  EXPECT_EQ(client().get_action({.ns = nowhere, .id = ActionId("a1")}).code(), Code::not_found);
  EXPECT_EQ(client().list_actions({.ns = nowhere}).code(), Code::not_found);
  EXPECT_EQ(exists("a1"), Code::not_found);
}

TEST_P(ActionContract, NamespacesHaveTheirOwnActions) {
  const NamespaceName other("other");
  must(client().create_namespace({.name = other}));
  put_plan("p1", other);
  ActionSpec spec = an_action("a1", 2);
  spec.ns = other;
  const std::vector<JobId> jobs = must(client().submit_action(spec)).jobs;
  submit("a1", 3);
  EXPECT_EQ(job(jobs[0]).spec.ns, other);
  EXPECT_EQ(must(client().get_action({.ns = other, .id = ActionId("a1")})).action.jobs, 2u);
  EXPECT_EQ(view("a1").action.jobs, 3u);
  EXPECT_EQ(must(client().list_actions({.ns = other})).total, 1u);
  EXPECT_EQ(plan().jobs, 3u);
}

TEST_P(ActionContract, SettledActionsGoWithTheirNamespaceAndOpenOnesKeepIt) {
  const NamespaceName other("other");
  must(client().create_namespace({.name = other}));
  put_plan("p1", other);
  ActionSpec spec = an_action("a1", 1);
  spec.ns = other;
  const JobId id = must(client().submit_action(spec)).jobs.at(0);
  EXPECT_EQ(client().delete_namespace(other).code(), Code::conflict);
  must(cancel(id));
  settle();
  advance(1s);
  prune({.completed_kept = 0ms, .dead_kept = 0ms, .finished_count_max = 0});
  must(client().delete_namespace(other));
  must(client().create_namespace({.name = other}));
  EXPECT_EQ(must(client().list_actions({.ns = other})).total, 0u);
}

TEST_P(ActionContract, ActionsSurviveACrash) {
  join();
  const std::vector<JobId> jobs = submit("a1", 3);
  must(complete(take_one()));
  crash();
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = 2, .completed = 1}));
  EXPECT_EQ(view("a1", {.job_limit = 10}).jobs, jobs);
  EXPECT_EQ(plan().jobs, 3u);
}

TEST_P(ActionContract, ALargeActionIsOneCall) {
  constexpr std::size_t kJobs = 3'000;
  const std::vector<JobId> jobs = submit("a1", kJobs);
  EXPECT_EQ(std::set<JobId>(jobs.begin(), jobs.end()).size(), kJobs);
  EXPECT_EQ(counts("a1"), (ActionCounts{.waiting = kJobs}));
}

INSTANTIATE_TEST_SUITE_P(Stores, ActionContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
