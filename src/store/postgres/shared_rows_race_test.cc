// Several nodes on one schema at the same keys, plans and actions: nothing is lost, nothing is made twice, counts stay right.
//
// Beside the contract suite, because it needs several stores on one schema.
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <future>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/postgres/nodes_testing.h"
#include "store/postgres/statements.h"
#include "store/postgres/wire/connection.h"

namespace muster::store::postgres {
namespace {

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

}  // namespace
}  // namespace muster::store::postgres
