// The passes that fire schedules: when to look, what is held back, what comes of a look.
//
// One pass is out at a time. It asks the store for due schedules, for the state of the jobs before them where the overlap rule
// wants it, and writes each schedule's step by itself: an error of one leaves the others alone. Passes follow each other at once
// while there is more.
//
// A schedule is due for the store until its row says otherwise. Those with which nothing can be done before some time (a
// buffered fire whose job before is unfinished; one that failed) are held here, in memory only, and asked for besides a full
// batch, so that they never keep others from being seen.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "engine/options.h"
#include "engine/runs.h"
#include "engine/schedules_rules.h"
#include "store/store.h"

namespace muster::engine {

class SchedulePasses : public std::enable_shared_from_this<SchedulePasses> {
 public:
  // Asked for besides a batch. Beyond that, and when they wait for more jobs than this, some are seen later than they could be.
  static constexpr std::size_t kHeldMax = 10'000;

  SchedulePasses(store::Store& store, Runs& runs, const Clock& clock, Metrics& metrics, const Options& options);

  Duration tick();
  // This node wrote the schedule: what was known about it is not true any more.
  void changed(const Schedule& schedule);
  void committed(const store::Committed& commit);
  void stop();

 private:
  struct Pass;
  struct Item;
  struct Held {
    Ticks until{};
    std::uint64_t revision = 0;
    std::uint32_t failures = 0;
  };
  using HeldMap = std::map<std::string, Held>;

  void begin(std::size_t batch);
  void found(Ticks started, std::size_t batch, Result<store::DueSchedules> due);
  std::size_t widened(const std::vector<Schedule>& first) const;
  void ask_about_previous(std::shared_ptr<Pass> pass);
  void judge(std::shared_ptr<Pass> pass);
  void act(const std::shared_ptr<Pass>& pass, std::size_t index);
  void fire(const std::shared_ptr<Pass>& pass, std::size_t index);
  void fired(const std::shared_ptr<Pass>& pass, std::size_t index, Result<store::ScheduleFired> result);
  void failed(const Schedule& schedule, const Status& status);
  void done(const std::shared_ptr<Pass>& pass);
  void finish(std::unique_lock<std::mutex> lock, Ticks look_by, std::optional<Instant> look_at, bool again);

  void hold(const Schedule& schedule, Held held);
  void wait_for(const Schedule& schedule);
  Duration sleep_from(Instant now, Ticks elapsed) const;

  store::Store& store_;
  Runs& runs_;
  const Clock& clock_;
  const Duration every_;
  const std::size_t batch_;
  const std::size_t fires_max_;
  Counter& fires_;
  Counter& skipped_;
  Counter& failures_;
  Histogram& lateness_;

  std::mutex mutex_;  // leaf; guards what follows
  Instant look_at_ = Instant::min();
  Ticks look_by_ = Ticks::min();
  std::optional<Instant> hinted_;  // since the pass that is out began
  bool is_out_ = false;
  bool stopped_ = false;
  bool failing_ = false;  // the store does not say what is due; logged once
  std::size_t chained_ = 0;
  HeldMap held_;
  std::map<JobId, std::string> waits_;    // unfinished jobs that buffered fires wait for, and whose
  std::atomic<std::size_t> waiting_ = 0;  // their number, for commits to see without the lock
};

}  // namespace muster::engine
