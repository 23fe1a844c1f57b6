// Many callers on two nodes make steps of their runs at the same time: what share a transaction stay apart, and a child's end and
// its parent's wait never miss each other.
//
// Beside the contract suite, because it needs several stores on one schema.
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <future>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/postgres/nodes_testing.h"

namespace muster::store::postgres {
namespace {

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

}  // namespace
}  // namespace muster::store::postgres
