// What a store should hold after any sequence of verbs, for the random walk: one rule per move and no index, slow and
// obviously right.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/job.h"
#include "model/rank.h"

namespace muster::store::contract {

struct ModelJob {
  static constexpr std::uint32_t kAttemptsMax = 3;
  static constexpr std::uint32_t kRescuesMax = 2;
  static constexpr Duration kBackoff{5'000};  // doubles each time

  JobId id;
  CapabilitySet needs;
  std::string key;  // concurrency; empty for none
  std::int32_t priority = 0;
  JobState state = JobState::ready;
  Instant due{};
  std::uint32_t failures = 0;
  std::uint32_t rescues = 0;
  bool cancel_requested = false;
  bool given_up = false;  // dead because it was lost too often
  std::string worker;
  Fence fence{};
  Instant lease_expires_at{};

  Rank rank() const { return rank_of(due, priority); }

  // How a run ends.
  void complete() { state = JobState::completed; }
  void hand_back() { state = cancel_requested ? JobState::cancelled : JobState::ready; }
  void put_off(Instant until) {
    state = cancel_requested ? JobState::cancelled : JobState::scheduled;
    due = cancel_requested ? due : until;
  }
  void fail(Instant now, bool retryable) {
    if (cancel_requested) return hand_back();
    ++failures;
    if (retryable && failures < kAttemptsMax)
      put_off(now + kBackoff * (1 << (failures - 1)));
    else
      state = JobState::dead;
  }
  void lose() {
    if (cancel_requested) return hand_back();
    given_up = rescues >= kRescuesMax;
    state = given_up ? JobState::dead : JobState::ready;
    if (!given_up) ++rescues;
  }
  void start_over(Instant now) {
    state = JobState::ready;
    due = now;
    failures = rescues = 0;
    given_up = cancel_requested = false;
  }
};

struct ModelWorker {
  std::string id;
  CapabilitySet offers;
  std::uint32_t slots = 0;
};

struct Model {
  std::map<JobId, ModelJob> jobs;
  std::vector<JobId> order;  // of arrival
  bool paused = false;
  std::uint32_t running_max = 0;  // 0: none

  static std::uint32_t limit_of(const std::string& key) { return key == "k0" ? 1 : 2; }

  bool lease_is_good(const ModelJob& job, Fence fence, Instant now) const {
    return job.state == JobState::running && job.fence == fence && now < job.lease_expires_at;
  }
  std::size_t running_on(const std::string& worker) const {
    std::size_t count = 0;
    for (const auto& [id, job] : jobs) count += job.state == JobState::running && job.worker == worker;
    return count;
  }
  bool eligible(const ModelJob& job, const ModelWorker& worker) const {
    if (job.state != JobState::ready || !worker.offers.covers(job.needs) || paused) return false;
    std::size_t running = 0, holders = 0;
    for (const auto& [id, other] : jobs) {
      if (other.state != JobState::running) continue;
      ++running;
      holders += other.key == job.key;
    }
    return (running_max == 0 || running < running_max) && (job.key.empty() || holders < limit_of(job.key));
  }
  // The rank of the next job for this worker, slots aside.
  std::optional<Rank> best(const ModelWorker& worker) const {
    std::optional<Rank> lowest;
    for (const auto& [id, job] : jobs)
      if (eligible(job, worker) && (!lowest || job.rank() < *lowest)) lowest = job.rank();
    return lowest;
  }
};

}  // namespace muster::store::contract
