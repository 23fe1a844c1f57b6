#include "engine/sweeper.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/incident.h"
#include "base/log.h"
#include "engine/job_moves.h"
#include "engine/pass_pauses.h"
#include "engine/sweeps/catalogue.h"

namespace muster::engine {
namespace {

constexpr Ticks kHintPause = std::chrono::milliseconds(20);  // between passes that are only caused by hints

}  // namespace

// When each pass is due, behind a mutex.
class Sweeper::Shared : public std::enable_shared_from_this<Sweeper::Shared> {
 public:
  Shared(store::SweepStore& store, const Clock& clock, Metrics& metrics, const Options& options,
         std::span<const Sweep* const> sweeps)
      : store_(store), clock_(clock), incidents_(metrics, "engine"), options_(options) {
    for (const Sweep* sweep : sweeps) {
      const MetricLabels labels{{"sweep", std::string(sweep->name)}};
      passes_.push_back({.sweep = *sweep,
                         .duration = metrics.histogram("muster_sweep_duration_seconds", "How long a background pass took.",
                                                       latency_bounds(), labels),
                         .moved = metrics.counter("muster_sweep_moved_total", "Rows that background passes moved.", labels),
                         .failures = metrics.counter("muster_sweep_failures_total", "Background passes that failed.", labels),
                         .job_moves = sweep->counted_as ? &job_moves(metrics, *sweep->counted_as) : nullptr});
    }
  }

  Duration tick() {
    const Ticks now = clock_.elapsed();
    const Instant wall = clock_.now();
    std::vector<std::size_t> due;
    {
      const std::lock_guard lock(mutex_);
      for (std::size_t i = 0; i < passes_.size(); ++i) {
        Pass& pass = passes_[i];
        if (pass.is_out || pass.next_at > now) continue;
        pass.is_out = true;
        pass.hinted = false;
        pass.started_at = now;
        pass.started_wall = wall;
        due.push_back(i);
      }
    }
    for (const std::size_t i : due) start(i);
    return sleep_from(now);
  }

  void hint() {
    const Ticks now = clock_.elapsed();
    const std::lock_guard lock(mutex_);
    for (Pass& pass : passes_) {
      if (!pass.sweep.watches_schedule) continue;
      pass.hinted = true;
      if (!pass.is_out) pass.next_at = std::min(pass.next_at, std::max(now, pass.started_at + kHintPause));
    }
  }

 private:
  struct Pass {
    const Sweep& sweep;
    Histogram& duration;
    Counter& moved;
    Counter& failures;
    Counter* job_moves = nullptr;  // null: the store tells each
    Ticks next_at = Ticks::min();  // at once
    Ticks started_at{};            // of the last pass
    Instant started_wall{};
    bool is_out = false;   // the store has not answered yet
    bool hinted = false;   // since the last pass began
    bool failing = false;  // so that a lasting trouble is logged once
  };

  void start(std::size_t index) {
    const Sweep& sweep = passes_[index].sweep;
    try {
      sweep.run(store_, options_, sweep.budget,
                [self = shared_from_this(), index](Result<store::SweepReport> report) { self->ended(index, report); });
    } catch (...) {
      const Incident incident(incidents_, sweep.name);
      ended(index, incident.status());
    }
  }

  void ended(std::size_t index, const Result<store::SweepReport>& report) {
    const Ticks now = clock_.elapsed();
    const Instant wall = clock_.now();
    Pass& pass = passes_[index];
    bool changed = false;
    {
      const std::lock_guard lock(mutex_);
      pass.is_out = false;
      pass.next_at = pass.started_at + pass.sweep.period;
      if (report.ok()) pass.next_at = std::min(pass.next_at, next_pass(pass, *report, now, wall));
      if (pass.hinted) pass.next_at = std::min(pass.next_at, std::max(now, pass.started_at + kHintPause));
      changed = pass.failing == report.ok();
      pass.failing = !report.ok();
      pass.duration.observe(std::chrono::duration<double>(now - pass.started_at).count());
    }
    if (report.ok()) pass.moved.add(report->moved);
    if (report.ok() && pass.job_moves != nullptr) pass.job_moves->add(report->moved);
    if (!report.ok()) pass.failures.add();
    if (!changed) return;
    if (report.ok())
      log::info("background pass works again", {{"sweep", std::string(pass.sweep.name)}});
    else
      log::warn("background pass failed and is repeated at its period", {{"sweep", std::string(pass.sweep.name)},
                                                                         {"code", std::string(to_string(report.code()))},
                                                                         {"error", report.status().message()}});
  }

  static Ticks next_pass(const Pass& pass, const store::SweepReport& report, Ticks now, Instant wall) {
    if (report.more) return now;
    if (!report.next_due) return Ticks::max();
    // What was due before the pass began and is still there cannot be moved: asking again at once would only spin.
    if (*report.next_due <= pass.started_wall && report.moved == 0) return Ticks::max();
    // Compared as instants: the difference to a far future could overflow.
    if (*report.next_due >= wall + pass.sweep.period) return Ticks::max();
    return std::max<Ticks>(now + (*report.next_due - wall), pass.started_at + kPassPause);
  }

  Duration sleep_from(Ticks now) const {
    const std::lock_guard lock(mutex_);
    Ticks sleep = kIdleSleep;
    for (const Pass& pass : passes_)
      sleep = std::min(sleep, pass.is_out ? Ticks(kBusyPause) : std::max(Ticks(0), pass.next_at - now));
    return std::chrono::ceil<Duration>(sleep);
  }

  store::SweepStore& store_;
  const Clock& clock_;
  const Incidents incidents_;
  const Options options_;
  mutable std::mutex mutex_;  // leaf; guards the moving parts of each pass
  std::vector<Pass> passes_;  // as many as at the start, for ever
};

Sweeper::Sweeper(store::SweepStore& store, const Clock& clock, Metrics& metrics, const Options& options,
                 std::span<const Sweep* const> sweeps)
    : shared_(std::make_shared<Shared>(store, clock, metrics, options, sweeps)) {}

Sweeper::~Sweeper() = default;

Duration Sweeper::tick() { return shared_->tick(); }

void Sweeper::hint() { shared_->hint(); }

}  // namespace muster::engine
