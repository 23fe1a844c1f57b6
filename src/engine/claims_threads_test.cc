// Goal: under many threads every caller is answered exactly once, every job is in one place, and no job is left lying while a
// claim that could take it sleeps, without any poll.
//
// Method: a store that answers on the calling thread, so that looks, wake-ups, cancels and answers overlap in every way; tick()
// is never called, so a lost wake-up shows as a job that is still there at the end beside a parked claim.
#include <array>
#include <atomic>
#include <barrier>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "engine/claims_testing.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;

constexpr int kClaimers = 2;
constexpr int kProducers = 2;
constexpr int kRounds = 3'000;

class Pool {
 public:
  void put(std::uint64_t job) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(job);
  }
  std::optional<std::uint64_t> take() {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) return std::nullopt;
    const std::uint64_t job = waiting_.front();
    waiting_.pop_front();
    return job;
  }
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }

 private:
  std::mutex mutex_;
  std::deque<std::uint64_t> waiting_;
};

TEST(ClaimsThreads, AnswerEverybodyOnceAndLoseNoWake) {
  store::ScriptedStore store;
  RealClock clock;
  Metrics metrics;
  Pool pool;
  const LaneRef lane = make_lane({});
  const std::shared_ptr<const Offer> offer = make_offer("w", {});
  std::vector<std::atomic<int>> answers(kClaimers * kRounds);
  std::array<std::atomic<std::uint64_t>, kClaimers> tickets{};
  std::atomic<std::uint64_t> delivered{0};
  Claims claims(store, clock, metrics, Options{});

  const auto wake = [&] { claims.committed({.jobs = {}, .workers = {}, .queues = {}, .wakes = std::span(&lane, 1)}); };
  store.on(store::Verb::claim, [&](const store::ClaimRequest&) {
    store::ClaimReply reply{.offer = offer};
    if (const auto job = pool.take()) reply.grants.push_back(make_grant(*job, *lane));
    std::this_thread::yield();  // lets others commit between a look and its answer
    return Result<store::ClaimReply>(std::move(reply));
  });
  store.on(store::Verb::release, [&](const std::vector<store::Release>& batch) {
    for (const store::Release& release : batch) pool.put(to_number(release.lease.fence));
    wake();
    return Result<store::Each<store::Settled>>(store::Each<store::Settled>(batch.size(), store::Settled()));
  });

  // Each round everybody does one thing at the same time; then all stand still and the outcome is looked at.
  std::barrier round_begins(kClaimers + kProducers + 2);
  std::barrier round_ends(kClaimers + kProducers + 2);
  const auto each_round = [&](auto act) {
    return std::thread([&, act] {
      for (int round = 0; round < kRounds; ++round) {
        round_begins.arrive_and_wait();
        act(round);
        round_ends.arrive_and_wait();
      }
    });
  };
  std::vector<std::thread> threads;
  for (int c = 0; c < kClaimers; ++c)
    threads.push_back(each_round([&, c](int round) {
      store::ClaimRequest request;
      request.ns = NamespaceName(kDefaultNamespace);
      request.worker = WorkerId("w" + std::to_string(c));
      std::atomic<int>& answer = answers[static_cast<std::size_t>(c * kRounds + round)];
      const ClaimTicket ticket = claims.claim(std::move(request), 60s, [&](Result<store::ClaimReply> result) {
        ++answer;
        if (result.ok()) delivered += result->grants.size();
      });
      tickets[static_cast<std::size_t>(c)] = static_cast<std::uint64_t>(ticket);
    }));
  for (int p = 0; p < kProducers; ++p)
    threads.push_back(each_round([&, p](int round) {
      pool.put(static_cast<std::uint64_t>(p * kRounds + round + 1));
      wake();
    }));
  threads.push_back(each_round([&](int round) {
    // Now and then somebody goes away; the ticket may be of this round, of one before it, or answered already.
    if (round % 3 == 0) claims.cancel(ClaimTicket{tickets[0].load() + 1});
  }));

  int left_lying = 0;
  for (int round = 0; round < kRounds; ++round) {
    round_begins.arrive_and_wait();
    round_ends.arrive_and_wait();
    if (pool.size() > 0 && claims.parked() > 0) ++left_lying;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(left_lying, 0) << "rounds that ended with a job beside a parked claim";
  claims.stop();
  for (const std::atomic<int>& answer : answers) EXPECT_EQ(answer.load(), 1);
  EXPECT_EQ(delivered + pool.size(), static_cast<std::uint64_t>(kProducers * kRounds));
}

}  // namespace
}  // namespace muster::engine
