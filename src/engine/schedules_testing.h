// The stage for tests of schedules: a store in memory that keeps schedules and their jobs by the contract's rules, a clock that
// the test moves, and the ticker's loop without its thread.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "engine/jobs.h"
#include "engine/runs.h"
#include "engine/schedules.h"
#include "store/scripted_testing.h"

namespace muster::engine {

class SchedulesInMemory : public store::ScriptedStore {
 public:
  struct Stored {
    JobId id;
    JobSpec spec;
    JobState state = JobState::ready;
    Instant at{};  // when it was enqueued
  };

  explicit SchedulesInMemory(const Clock& clock) : clock_(clock) {}

  std::map<std::string, Schedule> schedules;  // by id
  std::vector<Stored> jobs;                   // in order
  std::map<std::string, std::size_t> by_key;
  std::map<std::string, Status> refuse_fire;  // by schedule id
  std::optional<Status> refuse_due;
  std::function<void()> before_fire;    // runs once, before the next fire is judged
  std::function<void()> before_write;   // the same, before the next update
  bool unknown_outcome = false;         // the next fire is written and reported as unknown
  bool hides_waiting = false;           // due_schedules leaves out buffered fires whose job before is unfinished
  Duration behind{0};                   // how far this store's clock is behind the node's
  std::vector<std::size_t> due_limits;  // asked for by due_schedules
  std::vector<JobId> cancelled;

  std::size_t index_of(JobId id) const { return static_cast<std::size_t>(id.value.low) - 1; }
  void finish(JobId id, JobState state = JobState::completed) { jobs[index_of(id)].state = state; }

  void enqueue(std::vector<JobSpec> specs, Reply<std::vector<store::Enqueued>> reply) override;
  void get_jobs(std::vector<JobId> ids, Reply<store::Each<Job>> reply) override;
  void cancel(std::vector<store::Cancel> batch, Reply<store::Each<store::Cancelled>> reply) override;
  void create_schedule(Schedule schedule, Reply<Schedule> reply) override;
  void update_schedule(Schedule schedule, Reply<Schedule> reply) override;
  void get_schedules(NamespaceName ns, std::vector<ScheduleId> ids, Reply<store::Each<Schedule>> reply) override;
  void delete_schedule(NamespaceName ns, ScheduleId id, Reply<Schedule> reply) override;
  void due_schedules(std::size_t limit, Reply<store::DueSchedules> reply) override;
  void fire_schedule(store::ScheduleFire fire, Reply<store::ScheduleFired> reply) override;

 private:
  Result<Schedule> write(Schedule schedule);
  std::optional<Instant> due_of(const Schedule& schedule) const;
  std::vector<store::Enqueued> put(std::vector<JobSpec> specs);

  const Clock& clock_;
};

class SchedulesTest : public testing::Test {
 protected:
  SchedulesTest() { start(); }

  // A new process on the same store.
  void start() {
    schedules_.reset();
    schedules_ = std::make_unique<Schedules>(store_, runs_, clock_, metrics_, options_);
  }

  static Instant at(std::string_view text);
  ScheduleSpec spec(std::string timing, Overlap overlap = Overlap::allow);
  Schedule create(ScheduleSpec spec);
  Schedule create(std::string timing, Overlap overlap = Overlap::allow) { return create(spec(std::move(timing), overlap)); }
  Result<Schedule> update(ScheduleChange change);
  const Schedule& row(const Schedule& schedule) { return store_.schedules.at(schedule.spec.id.text()); }

  // As the ticker does: sleeps for as long as tick() says, at most the engine's longest sleep.
  void run_for(Duration time);
  // Passes until nothing more is asked for at this instant.
  void settle();

  // The fires that became jobs, in order of their jobs, as `HH:MM:SS` (with the date in front when `dated`).
  std::vector<std::string> fires(const Schedule& schedule, bool dated = false);
  // The longest time from a fire's instant to its job.
  Duration latest(const Schedule& schedule);
  // Ends a job and tells of it, as a commit would.
  void finish(JobId job, JobState state = JobState::completed);

  ManualClock clock_{at("2026-03-02T10:00:00Z")};  // a Monday
  Metrics metrics_;
  Options options_;
  SchedulesInMemory store_{clock_};
  Jobs jobs_{store_};
  Runs runs_{store_, jobs_, clock_, options_};
  std::unique_ptr<Schedules> schedules_;
};

using Texts = std::vector<std::string>;

}  // namespace muster::engine
