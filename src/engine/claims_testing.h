// The stage for tests of parked claims: a store that answers claims only when the test says so, a clock that the test moves, and
// commits made by hand.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/claims.h"
#include "store/scripted_testing.h"

namespace muster::engine {

inline LaneRef make_lane(std::vector<std::string> needs, std::string queue = "default", std::string type = "work") {
  return std::make_shared<const Lane>(Lane{NamespaceName(kDefaultNamespace), QueueName(std::move(queue)),
                                           JobType(std::move(type)), CapabilitySet(std::move(needs))});
}

inline Grant make_grant(std::uint64_t number, const Lane& lane) {
  Grant grant;
  grant.id = JobId{{0, number}};
  grant.ns = lane.ns;
  grant.queue = lane.queue;
  grant.type = lane.type;
  grant.fence = Fence{number};
  return grant;
}

// What worker `id` offers: the capabilities named, its own name, and every queue.
inline std::shared_ptr<const Offer> make_offer(const std::string& worker, std::vector<std::string> capabilities) {
  capabilities.push_back(worker_capability(worker));
  return std::make_shared<const Offer>(Offer{NamespaceName(kDefaultNamespace), {}, CapabilitySet(std::move(capabilities))});
}

class ClaimsTest : public testing::Test {
 protected:
  ClaimsTest() {
    store_.on(store::Verb::claim, [this](store::ClaimRequest request, Reply<ClaimReply> reply) {
      waiting_.emplace_back(std::move(request), std::move(reply));
    });
  }

  static constexpr Duration kWait = std::chrono::seconds(30);
  using ClaimBlock = store::ClaimBlock;
  using ClaimReply = store::ClaimReply;
  struct Seen {
    int calls = 0;
    Code code = Code::ok;
    std::vector<JobId> jobs;
    ClaimBlock block = ClaimBlock::none;
    std::optional<Instant> retry_at;
  };

  ClaimTicket claim(const std::string& worker, Duration wait = kWait) {
    store::ClaimRequest request;
    request.ns = NamespaceName(kDefaultNamespace);
    request.worker = WorkerId(worker);
    return claim(std::move(request), wait);
  }
  ClaimTicket claim(store::ClaimRequest request, Duration wait) {
    Seen& seen = seen_[request.worker.text()];
    return claims_.claim(std::move(request), wait, [&seen](Result<ClaimReply> result) {
      ++seen.calls;
      seen.code = result.code();
      if (!result.ok()) return;
      for (const Grant& grant : result->grants) seen.jobs.push_back(grant.id);
      seen.block = result->block;
      seen.retry_at = result->retry_at;
    });
  }
  // Answers the oldest claim that waits at the store, whose worker must be the one named.
  void answer(const std::string& worker, Result<ClaimReply> result) {
    ASSERT_FALSE(waiting_.empty());
    ASSERT_EQ(waiting_.front().first.worker.text(), worker);
    Reply<ClaimReply> reply = std::move(waiting_.front().second);
    waiting_.pop_front();
    reply(std::move(result));
  }
  // Claims and parks: the store saw nothing.
  ClaimTicket park(const std::string& worker, Duration wait = kWait) {
    const ClaimTicket ticket = claim(worker, wait);
    answer(worker, nothing(worker));
    return ticket;
  }

  ClaimReply nothing(const std::string& worker, ClaimBlock block = ClaimBlock::none) {
    ClaimReply reply;
    if (!offers_.contains(worker)) offers_[worker] = make_offer(worker, capabilities_[worker]);
    reply.offer = offers_[worker];
    reply.block = block;
    return reply;
  }
  ClaimReply job(const std::string& worker, std::uint64_t number, const LaneRef& lane) {
    ClaimReply reply = nothing(worker);
    reply.grants.push_back(make_grant(number, *lane));
    return reply;
  }

  std::vector<store::Release> releases() const { return store_.elements<store::Release>(store::Verb::release); }

  void wake(std::vector<LaneRef> lanes) { claims_.committed({.jobs = {}, .workers = {}, .queues = {}, .wakes = lanes}); }
  void job_ends(const std::string& worker) {
    JobChange change;
    change.lane = lane_;
    change.from = JobState::running;
    change.to = JobState::completed;
    change.event = JobEvent::completed;
    change.worker = WorkerId(worker);
    claims_.committed({.jobs = std::span(&change, 1), .workers = {}, .queues = {}, .wakes = {}});
  }
  void worker_becomes(const std::string& worker, WorkerState state, SessionId session = SessionId{}) {
    WorkerChange change;
    change.ns = NamespaceName(kDefaultNamespace);
    change.id = WorkerId(worker);
    change.session = session;
    change.to = state;
    claims_.committed({.jobs = {}, .workers = std::span(&change, 1), .queues = {}, .wakes = {}});
  }

  // The workers whose claims wait at the store, oldest first.
  std::vector<std::string> asked() const {
    std::vector<std::string> out;
    for (const auto& [request, reply] : waiting_) out.push_back(request.worker.text());
    return out;
  }
  using Names = std::vector<std::string>;

  store::ScriptedStore store_;
  std::deque<std::pair<store::ClaimRequest, Reply<ClaimReply>>> waiting_;  // at the store, oldest first
  ManualClock clock_;
  Metrics metrics_;
  Options options_;
  std::map<std::string, Seen> seen_;  // before claims_, whose end answers those still parked
  Claims claims_{store_, clock_, metrics_, options_};
  std::map<std::string, std::vector<std::string>> capabilities_;
  std::map<std::string, std::shared_ptr<const Offer>> offers_;
  const LaneRef lane_ = make_lane({});
};

}  // namespace muster::engine
