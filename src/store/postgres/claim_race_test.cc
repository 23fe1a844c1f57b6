// Many nodes and many claimers on one queue: together they get every job, nobody gets more than was asked for, and no job goes
// twice.
//
// A case of its own beside the contract suite, because it needs several stores on one schema. MUSTER_RACE_JOBS makes it longer.
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <future>
#include <mutex>
#include <thread>
#include <unordered_set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/postgres/nodes_testing.h"

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

}  // namespace
}  // namespace muster::store::postgres
