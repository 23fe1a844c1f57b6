// Contract: whom `explain` calls able is who gets the job. Random worlds of queues, needs and workers; whoever is named able and
// free takes the job with a claim, and nobody else does.
#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

constexpr std::size_t kWorlds = 6;
constexpr std::size_t kQueues = 3;
constexpr std::size_t kTools = 3;
constexpr std::size_t kWorkers = 4;
constexpr std::size_t kJobs = 10;
constexpr std::uint32_t kSlots = 2 * kJobs;  // enough for all that a claim may find

class ExplainWalk : public StoreContract {
 protected:
  std::size_t draw(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(dice_); }
  QueueName queue(std::size_t i) { return QueueName(fmt::format("{}-{}", world_, i)); }
  std::string worker(std::size_t i) { return fmt::format("w{}-{}", world_, i); }
  CapabilitySet tools(std::size_t most) {
    std::vector<std::string> names;
    for (std::size_t i = draw(most + 1); i > 0; --i) names.push_back(fmt::format("tool:{}", draw(kTools)));
    return CapabilitySet(std::move(names));
  }

  std::vector<JobId> make_world(std::size_t number) {
    world_ = number;
    for (std::size_t i = 0; i < kWorkers; ++i) {
      join(a_worker(worker(i), [&](WorkerSpec& w) {
        w.slots = kSlots;
        w.capabilities = tools(2 * kTools);
        for (std::size_t q = 0; q < kQueues; ++q)
          if (draw(2) == 0) w.queues.push_back(queue(q));
        std::sort(w.queues.begin(), w.queues.end());
      }));
      if (draw(4) == 0) must(drain(worker(i), 1h));
    }
    std::vector<JobId> jobs;
    for (std::size_t i = 0; i < kJobs; ++i)
      jobs.push_back(add([&](JobSpec& j) {
        j.queue = queue(draw(kQueues));
        j.needs = tools(2);
      }));
    return jobs;
  }

  bool takes(const std::string& name, JobId job) {
    bool taken = false;
    for (const Grant& grant : take(name, kSlots)) {
      taken = taken || grant.id == job;
      must(release(grant));
    }
    return taken;
  }

 private:
  std::mt19937 dice_{20'261'116};
  std::size_t world_ = 0;
};

TEST_P(ExplainWalk, WhoeverIsNamedAbleAndFreeTakesTheJobAndNobodyElseDoes) {
  if (harness().faulty()) GTEST_SKIP() << "a claim whose answer is lost keeps its jobs for a while";
  for (std::size_t number = 0; number < kWorlds; ++number) {
    const std::vector<JobId> jobs = make_world(number);
    for (const JobId& id : jobs) {
      const WaitFacts facts = must(client().explain(id));
      std::size_t free = 0;
      for (std::size_t i = 0; i < kWorkers; ++i) {
        const std::string name = worker(i);
        const auto able =
            std::find_if(facts.able.begin(), facts.able.end(), [&](const auto& each) { return each.id.text() == name; });
        const bool is_free = able != facts.able.end() && able->state == WorkerState::online && able->running < able->slots;
        free += is_free ? 1 : 0;
        EXPECT_EQ(takes(name, id), is_free) << name << " in world " << number;
      }
      EXPECT_EQ(facts.able_free, free) << "in world " << number;
    }
    for (const JobId& id : jobs) must(cancel(id));
    for (std::size_t i = 0; i < kWorkers; ++i) must(unregister(worker(i)));
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, ExplainWalk, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
