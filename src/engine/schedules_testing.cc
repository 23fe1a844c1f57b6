#include "engine/schedules_testing.h"

#include <algorithm>

#include "base/time_text.h"
#include "engine/claims_testing.h"

namespace muster::engine {
namespace {

// The instant in the key of a fire.
std::optional<Instant> fire_of(const JobSpec& job, const Schedule& schedule) {
  const std::string prefix = "schedule:" + schedule.spec.id.text() + ":";
  if (!job.idempotency_key.starts_with(prefix)) return std::nullopt;
  return parse_rfc3339(job.idempotency_key.substr(prefix.size()));
}

}  // namespace

std::optional<Instant> SchedulesInMemory::due_of(const Schedule& schedule) const {
  if (!schedule.spec.enabled) return std::nullopt;
  const auto last = schedule.last_job ? index_of(*schedule.last_job) : jobs.size();
  const bool waits = last < jobs.size() && !is_finished(jobs[last].state);
  if (!schedule.buffered || (hides_waiting && waits)) return schedule.next_fire_at;
  return std::min(*schedule.buffered, schedule.next_fire_at.value_or(*schedule.buffered));
}

std::vector<store::Enqueued> SchedulesInMemory::put(std::vector<JobSpec> specs) {
  std::vector<store::Enqueued> out;
  for (JobSpec& spec : specs) {
    const std::string key = spec.idempotency_key;
    if (const auto it = by_key.find(key); !key.empty() && it != by_key.end()) {
      out.push_back({.id = jobs[it->second].id, .state = jobs[it->second].state, .existed = true});
      continue;
    }
    if (!key.empty()) by_key.emplace(key, jobs.size());
    const JobId id{Uuid{.high = 1, .low = jobs.size() + 1}};
    jobs.push_back({.id = id, .spec = std::move(spec), .state = JobState::ready, .at = clock_.now()});
    out.push_back({.id = id});
  }
  return out;
}

void SchedulesInMemory::enqueue(std::vector<JobSpec> specs, Reply<std::vector<store::Enqueued>> reply) {
  reply(put(std::move(specs)));
}

void SchedulesInMemory::get_jobs(std::vector<JobId> ids, Reply<store::Each<Job>> reply) {
  store::Each<Job> out;
  for (const JobId id : ids) {
    if (index_of(id) >= jobs.size()) {
      out.emplace_back(Status::not_found("no such job"));
      continue;
    }
    Job job;
    job.id = id;
    job.spec = jobs[index_of(id)].spec;
    job.state = jobs[index_of(id)].state;
    out.emplace_back(std::move(job));
  }
  reply(std::move(out));
}

void SchedulesInMemory::cancel(std::vector<store::Cancel> batch, Reply<store::Each<store::Cancelled>> reply) {
  store::Each<store::Cancelled> out;
  for (const store::Cancel& one : batch) {
    Stored& job = jobs.at(index_of(one.job));
    if (is_finished(job.state)) {
      out.emplace_back(Status::conflict("already finished"));
      continue;
    }
    EXPECT_TRUE(one.at_once);
    job.state = JobState::cancelled;
    cancelled.push_back(one.job);
    out.emplace_back(store::Cancelled{.id = one.job, .state = JobState::cancelled});
  }
  reply(std::move(out));
}

void SchedulesInMemory::create_schedule(Schedule schedule, Reply<Schedule> reply) {
  const std::string id = schedule.spec.id.text();
  if (schedules.contains(id)) return reply(Status::already_exists("the id is taken"));
  schedule.created_at = schedule.updated_at = clock_.now();
  schedule.revision = 1;
  reply(schedules.emplace(id, std::move(schedule)).first->second);
}

Result<Schedule> SchedulesInMemory::write(Schedule schedule) {
  const auto it = schedules.find(schedule.spec.id.text());
  if (it == schedules.end()) return Status::not_found("no such schedule");
  if (it->second.revision != schedule.revision) return Status::conflict("the schedule changed meanwhile");
  schedule.created_at = it->second.created_at;
  schedule.updated_at = clock_.now();
  ++schedule.revision;
  it->second = std::move(schedule);
  return it->second;
}

void SchedulesInMemory::update_schedule(Schedule schedule, Reply<Schedule> reply) {
  if (before_write) std::exchange(before_write, {})();
  reply(write(std::move(schedule)));
}

void SchedulesInMemory::get_schedules(NamespaceName ns, std::vector<ScheduleId> ids, Reply<store::Each<Schedule>> reply) {
  store::Each<Schedule> out;
  for (const ScheduleId& id : ids) {
    const auto it = schedules.find(id.text());
    if (it == schedules.end() || it->second.spec.ns != ns)
      out.emplace_back(Status::not_found("no such schedule"));
    else
      out.emplace_back(it->second);
  }
  reply(std::move(out));
}

void SchedulesInMemory::delete_schedule(NamespaceName, ScheduleId id, Reply<Schedule> reply) {
  const auto it = schedules.find(id.text());
  if (it == schedules.end()) return reply(Status::not_found("no such schedule"));
  Schedule gone = std::move(it->second);
  schedules.erase(it);
  reply(std::move(gone));
}

void SchedulesInMemory::due_schedules(std::size_t limit, Reply<store::DueSchedules> reply) {
  due_limits.push_back(limit);
  if (refuse_due) return reply(*refuse_due);
  const Instant now = clock_.now() - behind;
  std::multimap<Instant, const Schedule*> order;
  store::DueSchedules out;
  for (const auto& [id, schedule] : schedules) {
    const auto due = due_of(schedule);
    if (!due) continue;
    if (*due <= now)
      order.emplace(*due, &schedule);
    else
      out.next_due = std::min(out.next_due.value_or(*due), *due);
  }
  for (const auto& [due, schedule] : order) {
    if (out.schedules.size() == limit) {
      out.more = true;
      break;
    }
    out.schedules.push_back(*schedule);
  }
  reply(std::move(out));
}

void SchedulesInMemory::fire_schedule(store::ScheduleFire fire, Reply<store::ScheduleFired> reply) {
  if (before_fire) std::exchange(before_fire, {})();
  if (const auto it = refuse_fire.find(fire.after.spec.id.text()); it != refuse_fire.end()) return reply(it->second);
  Result<Schedule> written = write(std::move(fire.after));
  if (!written.ok()) return reply(written.status());
  store::ScheduleFired out{.schedule = std::move(*written), .jobs = put(std::move(fire.jobs))};
  if (!out.jobs.empty()) out.schedule.last_job = out.jobs.back().id;
  schedules.at(out.schedule.spec.id.text()) = out.schedule;
  if (std::exchange(unknown_outcome, false)) return reply(Status::outcome_unknown("the connection broke"));
  reply(std::move(out));
}

Instant SchedulesTest::at(std::string_view text) {
  const auto instant = parse_rfc3339(text);
  EXPECT_TRUE(instant.has_value()) << text;
  return instant.value_or(Instant());
}

ScheduleSpec SchedulesTest::spec(std::string timing, Overlap overlap) {
  ScheduleSpec spec;
  spec.timing.text = std::move(timing);
  spec.job.type = JobType("report");
  spec.overlap = overlap;
  return spec;
}

Schedule SchedulesTest::create(ScheduleSpec spec) {
  std::optional<Result<Schedule>> made;
  schedules_->create(std::move(spec), [&](Result<Schedule> result) { made = std::move(result); });
  EXPECT_TRUE(made && made->ok()) << (made ? made->status().message() : "no answer");
  return **made;
}

Result<Schedule> SchedulesTest::update(ScheduleChange change) {
  std::optional<Result<Schedule>> made;
  change.ns = NamespaceName(kDefaultNamespace);
  schedules_->update(std::move(change), [&](Result<Schedule> result) { made = std::move(result); });
  EXPECT_TRUE(made.has_value());
  return *made;
}

void SchedulesTest::run_for(Duration time) {
  const Instant end = clock_.now() + time;
  while (true) {
    const Duration sleep = std::min(schedules_->tick(), Duration(50));
    if (clock_.now() >= end) return;
    clock_.advance(std::min(std::max(sleep, Duration(1)), end - clock_.now()));
  }
}

void SchedulesTest::settle() {
  for (int i = 0; i < 1'000; ++i)
    if (schedules_->tick() > Duration(5))
      return;
    else if (i % 10 == 9)
      clock_.advance(Duration(1));
  ADD_FAILURE() << "the passes do not come to rest";
}

std::vector<std::string> SchedulesTest::fires(const Schedule& schedule, bool dated) {
  std::vector<std::string> out;
  for (const SchedulesInMemory::Stored& job : store_.jobs)
    if (const auto fire = fire_of(job.spec, schedule)) out.push_back(to_rfc3339(*fire).substr(dated ? 0 : 11, dated ? 19 : 8));
  return out;
}

Duration SchedulesTest::latest(const Schedule& schedule) {
  Duration late{0};
  for (const SchedulesInMemory::Stored& job : store_.jobs)
    if (const auto fire = fire_of(job.spec, schedule)) late = std::max(late, job.at - *fire);
  return late;
}

void SchedulesTest::finish(JobId job, JobState state) {
  store_.finish(job, state);
  const JobChange change{.id = job, .lane = make_lane({}), .from = JobState::running, .to = state};
  schedules_->committed({.jobs = std::span(&change, 1), .workers = {}, .queues = {}, .wakes = {}});
}

}  // namespace muster::engine
