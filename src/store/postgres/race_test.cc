// Many nodes and many claimers on one queue: together they get every job, nobody gets more than was asked for, and no job goes
// twice.
//
// A case of its own beside the contract suite, because it needs several stores on one schema. MUSTER_RACE_JOBS makes it longer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <array>
#include <atomic>
#include <cstdlib>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_set>

#include "store/postgres/nodes_testing.h"
#include "store/postgres/statements.h"
#include "store/postgres/wire/connection.h"

namespace muster::store::postgres {
namespace {

constexpr std::size_t kClaimNodes = 8;
constexpr std::size_t kClaimers = 100;
constexpr std::size_t kJobsDefault = 10'000;
constexpr std::size_t kLimitMax = 7;
constexpr std::size_t kEnqueueBatch = 5'000;

std::size_t jobs_wanted() {
  const char* const text = std::getenv("MUSTER_RACE_JOBS");
  return text == nullptr ? kJobsDefault : std::strtoull(text, nullptr, 10);
}

class ClaimRace : public NodesTest {
 protected:
  ClaimRace() : NodesTest("race", kClaimNodes) {}
  void enqueue(std::size_t jobs) {
    for (std::size_t done = 0; done < jobs; done += kEnqueueBatch) {
      std::vector<JobSpec> specs(std::min(kEnqueueBatch, jobs - done));
      for (std::size_t i = 0; i < specs.size(); ++i) specs[i].type = JobType(fmt::format("t{}", i % 3));
      const auto made = ask<std::vector<Enqueued>>(
          [&](auto reply) { nodes_[(done / kEnqueueBatch) % kClaimNodes]->enqueue(specs, std::move(reply)); });
      ASSERT_TRUE(made.ok()) << made.status().text();
    }
  }

  static bool complete(Store& node, const std::vector<Grant>& grants) {
    std::vector<Completion> batch;
    for (const Grant& grant : grants) batch.push_back({{grant.id, grant.fence}, std::nullopt});
    const auto settled = ask<Each<Settled>>([&](auto reply) { node.complete(batch, std::move(reply)); });
    return settled.ok() && std::all_of(settled->begin(), settled->end(), [](const auto& one) { return one.ok(); });
  }
};

TEST_F(ClaimRace, EveryJobGoesOutOnceAndNobodyGetsMoreThanAskedFor) {
  const std::size_t jobs = jobs_wanted();
  enqueue(jobs);
  std::mutex mutex;
  std::unordered_set<JobId> seen;
  std::atomic<std::size_t> granted{0}, twice{0}, too_many{0}, failed{0};
  std::vector<std::thread> claimers;
  for (std::size_t i = 0; i < kClaimers; ++i) {
    claimers.emplace_back([&, i] {
      Store& node = *nodes_[i % kClaimNodes];
      WorkerSpec spec;
      spec.id = WorkerId(fmt::format("w{}", i));
      spec.slots = limits::kSlotsMax;
      if (!ask<Each<Registered>>([&](auto reply) { node.register_workers({spec}, std::move(reply)); }).ok()) ++failed;
      for (std::size_t round = 0; granted.load() < jobs && failed.load() == 0; ++round) {
        ClaimRequest request;
        request.ns = NamespaceName(kDefaultNamespace);
        request.worker = spec.id;
        request.limit = 1 + (i + round) % kLimitMax;
        const auto reply = ask<ClaimReply>([&](auto answer) { node.claim(request, std::move(answer)); });
        if (!reply.ok()) {
          ++failed;
          break;
        }
        if (reply->grants.size() > request.limit) ++too_many;
        {
          const std::lock_guard lock(mutex);
          for (const Grant& grant : reply->grants) twice += seen.insert(grant.id).second ? 0 : 1;
        }
        granted += reply->grants.size();
        if (!complete(node, reply->grants)) ++failed;
      }
    });
  }
  for (std::thread& claimer : claimers) claimer.join();
  EXPECT_EQ(granted.load(), jobs);
  EXPECT_EQ(seen.size(), jobs);
  EXPECT_EQ(twice.load(), 0u);
  EXPECT_EQ(too_many.load(), 0u);
  EXPECT_EQ(failed.load(), 0u);
}

// Several nodes on one schema at the same keys, plans and actions: nothing is lost, nothing is made twice, counts stay right.
//
// Beside the contract suite, because it needs several stores on one schema.

constexpr std::size_t kRowNodes = 3;

class SharedRowsRace : public NodesTest {
 protected:
  SharedRowsRace() : NodesTest("shared_race", kRowNodes) {}
  static std::vector<KeyAnswer> keys(Store& node, std::vector<KeyCommand> commands) {
    KeyBatch batch;
    batch.commands = std::move(commands);
    const std::size_t asked = batch.commands.size();
    auto answers = ask<std::vector<KeyAnswer>>([&](auto reply) { node.keyspace(batch, std::move(reply)); });
    EXPECT_TRUE(answers.ok()) << answers.status().text();
    return answers.ok() ? *answers : std::vector<KeyAnswer>(asked);
  }
  void put_plan(const char* id) {
    PlanPut put;
    put.plan.id = PlanId(id);
    put.plan.text = "{}";
    const auto stored = ask<PlanStored>([&](auto reply) { nodes_[0]->put_plan(put, std::move(reply)); });
    ASSERT_TRUE(stored.ok()) << stored.status().text();
  }
  static ActionSpec an_action(const std::string& id, std::size_t jobs) {
    ActionSpec action;
    action.id = ActionId(id);
    action.plan = PlanId("p1");
    action.jobs.resize(jobs);
    for (ActionJob& job : action.jobs) job.spec.type = JobType("plan");
    return action;
  }
  static Result<ActionSubmitted> submit(Store& node, const ActionSpec& action) {
    return ask<ActionSubmitted>([&](auto reply) { node.submit_action(action, std::move(reply)); });
  }
  static ActionCounts counts(Store& node, const std::string& id) {
    const auto view =
        ask<ActionView>([&](auto reply) { node.get_action({.ns = kDefault, .id = ActionId(id)}, std::move(reply)); });
    EXPECT_TRUE(view.ok()) << view.status().text();
    return view.ok() ? view->action.counts : ActionCounts();
  }
  // On every node, at once.
  template <class Body>
  void everywhere(Body body) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kRowNodes; ++i)
      for (std::size_t twin = 0; twin < 2; ++twin)
        threads.emplace_back([this, &body, i, twin] { body(*nodes_[i], 2 * i + twin); });
    for (std::thread& thread : threads) thread.join();
  }
};

TEST_F(SharedRowsRace, IncrementsAndPushesLoseNothing) {
  constexpr int kRounds = 40;
  everywhere([](Store& node, std::size_t who) {
    for (int i = 0; i < kRounds; ++i) {
      // In either order of keys, so that whoever locked as he came would deadlock.
      const char* first = who % 2 == 0 ? "a" : "b";
      const char* second = who % 2 == 0 ? "b" : "a";
      keys(node,
           {key::Increment{.key = first}, key::Increment{.key = second},
            key::Push{.key = "list", .values = {fmt::format("{} {}", who, i)}}, key::SetAdd{.key = "set", .members = {"m"}}});
    }
  });
  const auto answers = keys(*nodes_[0], {key::Get{.key = "a"}, key::Get{.key = "b"}, key::ListLength{.key = "list"},
                                         key::ListRange{.key = "list"}, key::SetCount{.key = "set"}});
  const std::int64_t all = 2 * kRowNodes * kRounds;
  EXPECT_EQ(answers[0].text, std::to_string(all));
  EXPECT_EQ(answers[1].text, std::to_string(all));
  EXPECT_EQ(answers[2].number, all);
  std::set<std::string> different;
  for (const KeyAnswer& item : answers[3].list) different.insert(item.text);
  EXPECT_EQ(different.size(), static_cast<std::size_t>(all));
  EXPECT_EQ(answers[4].number, 1);
}

TEST_F(SharedRowsRace, EveryElementIsPoppedOnce) {
  constexpr int kElements = 120;
  std::vector<std::string> values;
  for (int i = 0; i < kElements; ++i) values.push_back(std::to_string(i));
  keys(*nodes_[0], {key::Push{.key = "list", .values = values}});
  std::atomic<int> taken{0};
  everywhere([&](Store& node, std::size_t) {
    while (keys(node, {key::Pop{.keys = {"list"}}})[0].kind == KeyAnswer::Kind::text) ++taken;
  });
  EXPECT_EQ(taken.load(), kElements);
  EXPECT_EQ(keys(*nodes_[0], {key::Exists{.keys = {"list"}}})[0].number, 0);
}

// Clears, sweeps and writers of the same keys at once: whatever is left, nothing hangs in the air.
TEST_F(SharedRowsRace, ClearsAndExpiryLeaveNoOrphans) {
  constexpr int kRounds = 25;
  everywhere([](Store& node, std::size_t who) {
    for (int i = 0; i < kRounds; ++i) {
      if (who == 0 && i % 5 == 0) keys(node, {key::Clear{}});
      keys(node, {key::Push{.key = "list", .values = {"x"}}, key::HashSet{.key = "hash", .fields = {{std::to_string(i), "v"}}},
                  key::ScoresAdd{.key = "scores", .members = {{std::to_string(i), 1.0}}},
                  key::Expire{.key = "list", .at = Instant(Duration(1)), .relative = true}});
      const auto swept = ask<SweepReport>([&](auto reply) { node.expire_keys(100, std::move(reply)); });
      EXPECT_TRUE(swept.ok()) << swept.status().text();
    }
  });
  auto connection = Connection::open({.url = url_, .application = "muster-race", .schema = schema_});
  ASSERT_TRUE(connection.ok());
  for (const char* table : {"key_items", "key_fields", "key_scores"}) {
    const auto rows =
        (*connection)
            ->query(with_schema(
                fmt::format("SELECT count(*) FROM {{schema}}.{} WHERE key NOT IN (SELECT id FROM {{schema}}.keys)", table),
                schema_));
    ASSERT_TRUE(rows.ok());
    EXPECT_EQ(rows->integer(0, 0), 0) << table;
  }
}

TEST_F(SharedRowsRace, OneOfManyActionsOfOneNameIsMade) {
  put_plan("p1");
  std::atomic<int> made{0}, refused{0};
  everywhere([&](Store& node, std::size_t who) {
    for (int i = 0; i < 10; ++i) {
      const auto answer = submit(node, an_action(fmt::format("a{}", i), 1 + who));
      answer.ok() ? ++made : ++refused;
      if (!answer.ok()) {
        EXPECT_EQ(answer.code(), Code::already_exists) << answer.status().text();
      }
    }
  });
  EXPECT_EQ(made.load(), 10);
  EXPECT_EQ(refused.load(), static_cast<int>(2 * kRowNodes * 10 - 10));
  std::uint64_t jobs = 0;
  for (int i = 0; i < 10; ++i) jobs += counts(*nodes_[1], fmt::format("a{}", i)).waiting;
  const auto plans = ask<Each<Plan>>([&](auto reply) { nodes_[0]->get_plans(kDefault, {PlanId("p1")}, std::move(reply)); });
  ASSERT_TRUE(plans.ok() && plans->front().ok());
  EXPECT_EQ(plans->front()->actions, 10u);
  EXPECT_EQ(plans->front()->jobs, jobs) << "what was refused left nothing behind";
  const auto page = ask<JobPage>([&](auto reply) { nodes_[0]->list_jobs({.limit = limits::kPageMax}, std::move(reply)); });
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->jobs.size(), jobs);
}

TEST_F(SharedRowsRace, APlanIsDeletedOrUsedAndNeverBoth) {
  for (int round = 0; round < 10; ++round) {
    put_plan("p1");
    std::atomic<int> made{0}, deleted{0};
    everywhere([&](Store& node, std::size_t who) {
      if (who % 2 == 0) {
        const auto answer = submit(node, an_action(fmt::format("r{}-{}", round, who), 2));
        if (answer.ok()) ++made;
        if (!answer.ok()) {
          EXPECT_EQ(answer.code(), Code::not_found) << answer.status().text();
        }
      } else {
        const auto answer = ask<Plan>([&](auto reply) { node.delete_plan(kDefault, PlanId("p1"), std::move(reply)); });
        if (answer.ok()) ++deleted;
      }
    });
    EXPECT_EQ(deleted.load(), made.load() == 0 ? 1 : 0) << round;
    if (made.load() == 0) continue;
    // The next round begins with a plan that nobody needs.
    const auto page = ask<JobPage>([&](auto reply) { nodes_[0]->list_jobs({.limit = limits::kPageMax}, std::move(reply)); });
    std::vector<Cancel> all;
    for (const Job& job : page->jobs)
      if (!is_finished(job.state)) all.push_back({job.id, "next round"});
    ASSERT_TRUE(ask<Each<Cancelled>>([&](auto reply) { nodes_[0]->cancel(all, std::move(reply)); }).ok());
    ASSERT_TRUE(ask<Plan>([&](auto reply) { nodes_[0]->delete_plan(kDefault, PlanId("p1"), std::move(reply)); }).ok());
  }
}

// Jobs that end, start over and are counted at the same time; a pass that settles runs all the while.
TEST_F(SharedRowsRace, CountsStayRightWhileJobsStartOver) {
  constexpr std::size_t kJobs = 6;
  put_plan("p1");
  const auto made = submit(*nodes_[0], an_action("a1", kJobs));
  ASSERT_TRUE(made.ok()) << made.status().text();
  // Two stay as they are; the others are all over from time to time, which is when the pass has something to write.
  std::vector<Cancel> over{{made->jobs[0], "for good"}, {made->jobs[1], "for good"}};
  ASSERT_TRUE(ask<Each<Cancelled>>([&](auto reply) { nodes_[0]->cancel(over, std::move(reply)); }).ok());
  std::atomic<std::uint64_t> wrong{0};
  everywhere([&](Store& node, std::size_t who) {
    for (int i = 0; i < 20; ++i) {
      if (who < 2) {
        const auto swept = ask<SweepReport>([&](auto reply) { node.settle_actions({}, 100, std::move(reply)); });
        EXPECT_TRUE(swept.ok());
        wrong += counts(node, "a1").total() == kJobs ? 0 : 1;
        continue;
      }
      const JobId job = made->jobs[who];
      EXPECT_TRUE(ask<Each<Cancelled>>([&](auto reply) { node.cancel({{job, "race"}}, std::move(reply)); })->front().ok());
      EXPECT_TRUE(ask<Each<Settled>>([&](auto reply) { node.redrive({job}, std::move(reply)); })->front().ok());
    }
  });
  EXPECT_EQ(wrong.load(), 0u);
  EXPECT_EQ(counts(*nodes_[0], "a1"), (ActionCounts{.waiting = kJobs - 2, .cancelled = 2}));
}

TEST_F(SharedRowsRace, AChangedNamespaceIsAnsweredAsItWasChanged) {
  Store& node = *nodes_[0];  // one node's memory of names, which every transaction renews that finds it old
  // Many names take a while to renew: the next one that does so already waits.
  for (int i = 0; i < 500; ++i)
    ASSERT_TRUE(ask<NamespaceInfo>([&](auto reply) {
                  node.create_namespace({.name = NamespaceName(fmt::format("n{}", i))}, std::move(reply));
                }).ok());
  std::atomic<bool> changing{true};
  std::atomic<int> wrong{0};
  everywhere([&](Store&, std::size_t who) {
    if (who > 0) {
      while (changing)
        EXPECT_TRUE(ask<std::vector<NamespaceInfo>>([&](auto reply) { node.list_namespaces(std::move(reply)); }).ok());
      return;
    }
    for (int i = 0; i < 500; ++i) {
      const std::string name = fmt::format("name {}", i);
      const auto changed = ask<NamespaceInfo>([&](auto reply) {
        node.update_namespace({.name = kDefault, .display_name = name, .description = {}, .enabled = {}}, std::move(reply));
      });
      wrong += changed.ok() && changed->display_name == name ? 0 : 1;
    }
    changing = false;
  });
  EXPECT_EQ(wrong.load(), 0);
}

// Many callers on two nodes make steps of their runs at the same time: what share a transaction stay apart, and a child's end and
// its parent's wait never miss each other.
//
// Beside the contract suite, because it needs several stores on one schema.

constexpr std::size_t kStepNodes = 2;
constexpr std::size_t kRuns = 64;
constexpr int kStepsEach = 5;

class StepsRace : public NodesTest {
 protected:
  StepsRace() : NodesTest("steps_race", kStepNodes) {}
  void SetUp() override {
    NodesTest::SetUp();
    if (HasFatalFailure()) return;
    WorkerSpec worker;
    worker.id = WorkerId("w1");
    worker.slots = 2 * kRuns;
    const auto joined = ask<Each<Registered>>([&](auto reply) { nodes_[0]->register_workers({worker}, std::move(reply)); });
    ASSERT_TRUE(joined.ok() && joined->front().ok());
  }
  std::vector<JobId> add(std::vector<JobSpec> specs) {
    const auto made = ask<std::vector<Enqueued>>([&](auto reply) { nodes_[0]->enqueue(specs, std::move(reply)); });
    EXPECT_TRUE(made.ok()) << made.status().text();
    std::vector<JobId> out;
    if (made.ok())
      for (const Enqueued& one : *made) out.push_back(one.id);
    return out;
  }
  static JobSpec a_run(const char* type) {
    JobSpec spec;
    spec.type = JobType(type);
    spec.run = RunSpec();
    return spec;
  }
  std::vector<Grant> take(std::size_t count) {
    std::vector<Grant> out;
    while (out.size() < count) {
      ClaimRequest request;
      request.ns = kDefault;
      request.worker = WorkerId("w1");
      request.limit = count - out.size();
      auto claimed = ask<ClaimReply>([&](auto reply) { nodes_[0]->claim(request, std::move(reply)); });
      EXPECT_TRUE(claimed.ok()) << claimed.status().text();
      if (!claimed.ok() || claimed->grants.empty()) break;
      out.insert(out.end(), claimed->grants.begin(), claimed->grants.end());
    }
    EXPECT_EQ(out.size(), count);
    return out;
  }
  Result<StepAnswer> step(std::size_t node, StepCall one) {
    auto answers =
        ask<Each<StepAnswer>>([&](auto reply) { nodes_[node % kStepNodes]->run_steps({std::move(one)}, std::move(reply)); });
    if (!answers.ok()) return answers.status();
    return std::move(answers->front());
  }
};

TEST_F(StepsRace, CallersThatShareATransactionEachGetTheirOwn) {
  add(std::vector<JobSpec>(kRuns, a_run("flow")));
  const std::vector<Grant> runs = take(kRuns);
  const std::uint64_t commits = metrics_[0].counter("muster_store_commits_total", "").value() +
                                metrics_[1].counter("muster_store_commits_total", "").value();
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < runs.size(); ++i)
    callers.emplace_back([&, i] {
      const RunRef run{runs[i].id, runs[i].fence};
      for (int n = 0; n < kStepsEach; ++n) {
        const std::string name = fmt::format("s{}", n);
        const auto begun = step(i, step::Begin{.run = run, .step = name});
        ASSERT_TRUE(begun.ok()) << begun.status().text();
        EXPECT_TRUE(begun->execute);
        EXPECT_EQ(begun->step->run, runs[i].id);
        const Content output{fmt::format("\"{}/{}\"", i, n), Encoding::json};
        const auto done = step(i + 1, step::Complete{.run = run, .step = name, .output = output});
        ASSERT_TRUE(done.ok()) << done.status().text();
        EXPECT_EQ(done->step->id, begun->step->id);
      }
    });
  for (std::thread& caller : callers) caller.join();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto page =
        ask<StepPage>([&](auto reply) { nodes_[i % kStepNodes]->list_steps({.run = runs[i].id}, std::move(reply)); });
    ASSERT_TRUE(page.ok()) << page.status().text();
    ASSERT_EQ(page->steps.size(), static_cast<std::size_t>(kStepsEach));
    for (int n = 0; n < kStepsEach; ++n) {
      EXPECT_EQ(page->steps[static_cast<std::size_t>(n)].name, fmt::format("s{}", n));
      EXPECT_EQ(page->steps[static_cast<std::size_t>(n)].output->data, fmt::format("\"{}/{}\"", i, n));
    }
  }
  const std::uint64_t spent = metrics_[0].counter("muster_store_commits_total", "").value() +
                              metrics_[1].counter("muster_store_commits_total", "").value() - commits;
  EXPECT_LT(spent, 2 * kRuns * kStepsEach) << "each call was a transaction of its own";
}

// Each parent waits for its child while the child ends: it hears the result at once, or is parked and then woken. The wake-up is
// what the engine does when it is told of the end.
TEST_F(StepsRace, AChildsEndAndItsParentsWaitDoNotMissEachOther) {
  add(std::vector<JobSpec>(kRuns, a_run("parent")));
  const std::vector<Grant> parents = take(kRuns);
  std::vector<JobSpec> specs;
  for (const Grant& parent : parents) {
    specs.push_back(a_run("child"));
    specs.back().run->parent = RunParent{parent.id, "spawn"};
  }
  const std::vector<JobId> children = add(specs);
  const std::vector<Grant> taken = take(kRuns);
  std::map<JobId, Fence> fences;
  for (const Grant& grant : taken) fences[grant.id] = grant.fence;
  std::atomic<std::size_t> parked{0};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kRuns; ++i) {
    threads.emplace_back([&, i] {
      const RunRef run{parents[i].id, parents[i].fence};
      const auto waited = step(i, step::AwaitChild{.run = run, .step = "spawn", .child = children[i]});
      ASSERT_TRUE(waited.ok()) << waited.status().text();
      if (waited->parked) {
        ++parked;
      } else {
        EXPECT_EQ(waited->step->output->data, std::to_string(i));
      }
    });
    threads.emplace_back([&, i] {
      const Completion done{{children[i], fences[children[i]]}, Content{std::to_string(i), Encoding::json}};
      const auto settled =
          ask<Each<Settled>>([&](auto reply) { nodes_[(i + 1) % kStepNodes]->complete({done}, std::move(reply)); });
      ASSERT_TRUE(settled.ok() && settled->front().ok());
      const auto woken =
          ask<Each<Settled>>([&](auto reply) { nodes_[i % kStepNodes]->wake_runs({parents[i].id}, std::move(reply)); });
      ASSERT_TRUE(woken.ok() && woken->front().ok());
    });
  }
  for (std::thread& one : threads) one.join();
  std::size_t asleep = 0;
  for (const Grant& parent : parents) {
    const auto job = ask<Each<Job>>([&](auto reply) { nodes_[0]->get_jobs({parent.id}, std::move(reply)); });
    ASSERT_TRUE(job.ok() && job->front().ok());
    asleep += (*job->front()).state == JobState::scheduled ? 1 : 0;
  }
  EXPECT_EQ(asleep, 0u) << parked << " of them were parked";
}

// What one node changes, and another one works with at this very moment: a node's memory of names is behind then.

constexpr std::size_t kNameNodes = 2;
constexpr std::size_t kTypes = 6;  // more lanes than are looked at one by one

class NamesRace : public NodesTest {
 protected:
  NamesRace() : NodesTest("names_race", kNameNodes) {}
  void SetUp() override {
    NodesTest::SetUp();
    if (HasFatalFailure()) return;
    WorkerSpec worker;
    worker.id = WorkerId("w1");
    worker.slots = 100;
    const auto joined = ask<Each<Registered>>([&](auto reply) { nodes_[0]->register_workers({worker}, std::move(reply)); });
    ASSERT_TRUE(joined.ok() && joined->front().ok());
  }
  static std::vector<JobSpec> one_of_each_type() {
    std::vector<JobSpec> specs(kTypes);
    for (std::size_t i = 0; i < kTypes; ++i) specs[i].type = JobType(fmt::format("t{}", i));
    return specs;
  }
  void add(std::vector<JobSpec> specs) {
    const std::size_t count = specs.size();
    const auto made = ask<std::vector<Enqueued>>([&](auto reply) { nodes_[0]->enqueue(specs, std::move(reply)); });
    ASSERT_TRUE(made.ok()) << made.status().text();
    EXPECT_EQ(made->size(), count);
  }
  std::size_t claimed(std::size_t limit) {
    ClaimRequest request;
    request.ns = kDefault;
    request.worker = WorkerId("w1");
    request.limit = limit;
    const auto reply = ask<ClaimReply>([&](auto answer) { nodes_[0]->claim(request, std::move(answer)); });
    EXPECT_TRUE(reply.ok()) << reply.status().text();
    return reply.ok() ? reply->grants.size() : 0;
  }
  void pause(bool paused) {
    QueueChange change;
    change.ns = kDefault;
    change.queue = QueueName(kDefaultQueue);
    change.paused = paused;
    const auto changed = ask<QueueStats>([&](auto reply) { nodes_[1]->change_queue(change, std::move(reply)); });
    ASSERT_TRUE(changed.ok()) << changed.status().text();
  }
  // As if another node had made a lane that does not matter here.
  void names_changed() {
    auto connection = Connection::open({.url = url_, .application = "muster-race", .schema = schema_});
    ASSERT_TRUE(connection.ok()) << connection.status().text();
    ASSERT_TRUE((*connection)
                    ->script(with_schema("UPDATE {schema}.meta SET value = (value::bigint + 1)::text "
                                         "WHERE name = 'directory_version'",
                                         schema_))
                    .ok());
  }
};

TEST_F(NamesRace, AChangeOfNamesKeepsNoJobOutAndNoneIn) {
  add(one_of_each_type());
  for (int round = 0; round < 10; ++round) {
    names_changed();
    add(one_of_each_type());
    names_changed();
    EXPECT_EQ(claimed(kTypes), kTypes);
  }
  EXPECT_EQ(claimed(2 * kTypes), kTypes);
  EXPECT_EQ(claimed(1), 0u);
}

// A worker that is full asks for a place in a statement that other workers share.
TEST_F(NamesRace, AClaimOfAFullWorkerFindsNoPlaceAndUpsetsNobody) {
  add(one_of_each_type());
  WorkerSpec full;
  full.id = WorkerId("full");
  full.slots = 1;
  ASSERT_TRUE(ask<Each<Registered>>([&](auto reply) { nodes_[0]->register_workers({full}, std::move(reply)); }).ok());
  ClaimRequest request;
  request.ns = kDefault;
  request.worker = full.id;
  const auto claim = [&] { return ask<ClaimReply>([&](auto reply) { nodes_[0]->claim(request, std::move(reply)); }); };
  const auto first = claim();
  ASSERT_TRUE(first.ok()) << first.status().text();
  EXPECT_EQ(first->grants.size(), 1u);
  for (int round = 0; round < 3; ++round) {
    const auto next = claim();
    ASSERT_TRUE(next.ok()) << next.status().text();
    EXPECT_TRUE(next->grants.empty());
    EXPECT_EQ(next->block, ClaimBlock::no_slots);
  }
  EXPECT_EQ(claimed(kTypes), kTypes - 1);
  EXPECT_EQ(metrics_[0].counter("muster_store_commits_failed_total", "").value(), 0u);
}

TEST_F(NamesRace, NothingIsGivenOfAQueueThatAnotherNodePaused) {
  add(one_of_each_type());
  for (int round = 0; round < 10; ++round) {
    pause(true);
    EXPECT_EQ(claimed(kTypes), 0u);
    pause(false);
    EXPECT_EQ(claimed(1), 1u);
    add({one_of_each_type().front()});
  }
}

}  // namespace

}  // namespace muster::store::postgres
