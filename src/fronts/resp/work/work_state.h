// What this folder remembers between two commands, and what follows when a connection ends.
//
//   Roster         as whom connections act; the node's anonymous worker (roster.h)
//   HeldJobs       which jobs were handed out and not settled (held_jobs.h)
//   ActionTimes    when the jobs of an action were made (action_times.h)
//   Lengths        about how many jobs wait in which queue (lengths.h)
//   Verifications  tools that workers are asked to prove (verify.h)
//
//   a connection ends    bond pinged      its job is given up at once (the attempt counts) and the worker is unregistered
//                        bond registered  nothing: its silence is judged by the registry
//                        no bond          what it took is given up HeldJobs::kGraceOfGone later, unless it was settled by then
//   a reply was not sent                  the job is handed back at once, at no cost
//
// Core owns it; it lives on the loop's thread. Its clock is the engine's, looked at every kTickEvery of real time.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/unique_function.h"
#include "fronts/resp/client.h"
#include "model/ids.h"
#include "net/io_loop.h"

namespace muster::resp {
struct Core;
}

namespace muster::resp::work {

class ActionTimes;
class HeldJobs;
class Lengths;
class Roster;
class Verifications;

class WorkState {
 public:
  static constexpr Duration kTickEvery{500};

  explicit WorkState(Core& core);
  ~WorkState();

  // For the session: the connection is gone. Replies of it that were not sent are told so before or after.
  void closed(const std::shared_ptr<Client>& client);
  // What time brings: beats of the anonymous worker, jobs of connections that are gone, pops of workers that drain, verifications
  // nobody answered. Called by a timer of its own; tests call it after moving the clock.
  void tick();
  // Runs `work` at the next tick.
  void later(UniqueFunction<void()> work);

  // For INFO.
  struct Facts {
    std::size_t held = 0;           // jobs handed out through connections that are open
    std::size_t left = 0;           // jobs of connections that are gone, waiting to be given up
    std::size_t verifications = 0;  // asked and not answered
    std::size_t flagged = 0;        // workers flagged for a job that timed out, since the start
  };
  Facts facts() const;

  Roster& roster() { return *roster_; }
  HeldJobs& held_jobs() { return *held_jobs_; }
  ActionTimes& action_times() { return *action_times_; }
  Lengths& lengths() { return *lengths_; }
  Verifications& verifications() { return *verifications_; }

 private:
  void arm();

  Core& core_;
  std::unique_ptr<HeldJobs> held_jobs_;
  std::unique_ptr<Roster> roster_;
  std::unique_ptr<ActionTimes> action_times_;
  std::unique_ptr<Lengths> lengths_;
  std::unique_ptr<Verifications> verifications_;
  std::vector<UniqueFunction<void()>> later_;
  bool armed_ = false;
  std::unique_ptr<net::Timer> timer_;  // null until it is first needed: timers are made on the loop

  friend class Roster;
  friend class Verifications;
  friend class HeldJobs;
};

}  // namespace muster::resp::work
