// A worker of the crowd: registers, beats, claims by long poll, runs, settles; and misbehaves: vanishes, stalls and comes back
// with old leases, forgets what it was given, drains, leaves without a word.
#pragma once

#include <map>
#include <optional>

#include "tests/sim/world.h"

namespace muster::sim {

class SimWorker {
 public:
  // A reliable one never misbehaves and always completes.
  SimWorker(World& world, WorkerSpec spec, bool reliable)
      : world_(world), spec_(std::move(spec)), random_(world.random().fork()), reliable_(reliable) {}
  void start();
  // Leaves for good, as a process that is stopped does: it says goodbye and is not heard again.
  void retire();

 private:
  struct Run {
    Grant grant;
    bool settling = false;
  };

  void enroll();
  void beat();
  void claim();
  void took(const std::vector<Grant>& grants);
  void work(JobId job, Fence fence);
  void settle(JobId job, Fence fence);
  void send_outcome(LeaseRef lease, std::uint64_t dice, int tries);
  void settled(LeaseRef lease, std::uint64_t dice, int tries, const Result<store::Each<store::Settled>>& result);
  void report(JobId job, Fence fence);
  void beaten(const Result<store::Each<store::BeatReply>>& result);
  void leave();
  void misbehave();
  void forget();  // everything this process knew
  // Runs later, unless the process has restarted meanwhile; a stalled process runs it when it wakes.
  void after(Duration delay, std::function<void()> what);

  World& world_;
  WorkerSpec spec_;
  Random random_;
  bool reliable_;
  std::uint64_t incarnation_ = 1;
  std::optional<SessionId> session_;
  Duration interval_{10'000};
  Duration stalled_until_{0};
  std::map<JobId, Run> running_;
  bool claiming_ = false;
  bool draining_ = false;
  bool leaving_ = false;
  bool gone_ = false;
  int strangers_ = 0;  // beats in a row that told of more leases than it knows
};

}  // namespace muster::sim
