#include "engine/schedules_passes.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "engine/pass_pauses.h"

namespace muster::engine {
namespace {

constexpr Duration kEmptyPause{20};                           // the same when the pass before found nothing to do
constexpr Ticks kFailPause = std::chrono::milliseconds(100);  // doubled with each failure in a row
constexpr Ticks kFailPauseMax = std::chrono::seconds(60);
constexpr Ticks kStoreFailPause = std::chrono::milliseconds(500);
constexpr std::size_t kChainMax = 16;  // passes that follow each other without a tick in between

std::string key_of(const Schedule& schedule) { return schedule.spec.ns.text() + '\n' + schedule.spec.id.text(); }

Ticks fail_pause(std::uint32_t failures) {
  Ticks pause = kFailPause;
  for (std::uint32_t i = 1; i < failures && pause < kFailPauseMax; ++i) pause *= 2;
  return std::min(pause, kFailPauseMax);
}

}  // namespace

struct SchedulePasses::Item {
  Schedule schedule;
  bool previous_unfinished = false;
  std::optional<Status> trouble;  // its previous job could not be asked about
  ScheduleStep step{};
};

struct SchedulePasses::Pass {
  Ticks started{};
  Instant now{};
  std::vector<Item> items;
  std::optional<Instant> look_at;
  bool more = false;
  std::size_t pending = 0;  // steps under way, and one while they are being begun
};

SchedulePasses::SchedulePasses(store::Store& store, Runs& runs, const Clock& clock, Metrics& metrics, const Options& options)
    : store_(store),
      runs_(runs),
      clock_(clock),
      every_(std::max(options.scheduler_every, Duration(1))),
      batch_(std::max<std::size_t>(1, options.scheduler_batch)),
      fires_max_(std::max<std::size_t>(1, options.scheduler_fires_max)),
      fires_(metrics.counter("muster_schedule_fires_total", "Fires of schedules that became jobs.")),
      skipped_(metrics.counter("muster_schedule_skipped_total", "Fires of schedules that were left out by their rules.")),
      failures_(metrics.counter("muster_schedule_failures_total", "Steps of schedules that failed and are tried again.")),
      lateness_(metrics.histogram("muster_schedule_lateness_seconds", "From the instant a fire was due until its job was stored.",
                                  latency_bounds())) {}

Duration SchedulePasses::tick() {
  const Instant now = clock_.now();
  const Ticks elapsed = clock_.elapsed();
  {
    const std::lock_guard lock(mutex_);
    if (stopped_ || is_out_ || (now < look_at_ && elapsed < look_by_)) return sleep_from(now, elapsed);
    is_out_ = true;
    chained_ = 0;
  }
  begin(batch_);
  const std::lock_guard lock(mutex_);
  return sleep_from(clock_.now(), clock_.elapsed());
}

Duration SchedulePasses::sleep_from(Instant now, Ticks elapsed) const {
  if (stopped_) return kIdleSleep;
  if (is_out_) return kBusyPause;
  Duration sleep = kIdleSleep;
  // Compared as instants: a difference to the ends of time would overflow.
  if (look_at_ < now + sleep) sleep = std::max(Duration(0), std::max(look_at_, now) - now);
  if (look_by_ < elapsed + sleep) sleep = std::chrono::ceil<Duration>(std::max(look_by_, elapsed) - elapsed);
  return sleep;
}

void SchedulePasses::changed(const Schedule& schedule) {
  const std::lock_guard lock(mutex_);
  held_.erase(key_of(schedule));
  std::optional<Instant> at = schedule.next_fire_at;
  if (schedule.buffered) at = clock_.now();
  if (!at || !schedule.spec.enabled) return;
  hinted_ = std::min(hinted_.value_or(*at), *at);
  if (!is_out_) look_at_ = std::min(look_at_, *at);
}

void SchedulePasses::committed(const store::Committed& commit) {
  if (waiting_.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(mutex_);
  for (const JobChange& change : commit.jobs) {
    if (!is_finished(change.to)) continue;
    const auto waits = waits_.find(change.id);
    if (waits == waits_.end()) continue;
    held_.erase(waits->second);
    waits_.erase(waits);
    waiting_.store(waits_.size(), std::memory_order_relaxed);
    hinted_ = clock_.now();
    if (!is_out_) look_at_ = std::min(look_at_, *hinted_);
  }
}

void SchedulePasses::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
}

void SchedulePasses::begin(std::size_t batch) {
  std::size_t limit = 0;
  {
    const std::lock_guard lock(mutex_);
    hinted_.reset();
    limit = batch + std::min(held_.size(), kHeldMax);
  }
  store_.due_schedules(limit, [self = shared_from_this(), started = clock_.elapsed(), batch](Result<store::DueSchedules> due) {
    self->found(started, batch, std::move(due));
  });
}

// Many schedules are due at the same instant: taken one batch after the other, the last would wait for the commits of all before
// it. So the pass takes as many as it may make fires, unless their payloads are large.
std::size_t SchedulePasses::widened(const std::vector<Schedule>& first) const {
  std::size_t bytes = first.size();
  for (const Schedule& schedule : first) bytes += schedule.spec.job.payload.data.size();
  return std::max(batch_, std::min(fires_max_, kFireBytesMax * first.size() / bytes));
}

void SchedulePasses::found(Ticks started, std::size_t batch, Result<store::DueSchedules> due) {
  if (due.ok() && due->more && batch == batch_ && !due->schedules.empty())
    if (const std::size_t wide = widened(due->schedules); wide > batch) return begin(wide);
  auto pass = std::make_shared<Pass>();
  pass->started = started;
  pass->now = clock_.now();
  std::unique_lock lock(mutex_);
  const bool turned = failing_ == due.ok();
  failing_ = !due.ok();
  if (!due.ok()) {
    finish(std::move(lock), std::min(started + kStoreFailPause, started + every_), std::nullopt, false);
    if (turned)
      log::warn("due schedules cannot be read; they are asked for again",
                {{"code", std::string(to_string(due.code()))}, {"error", due.status().message()}});
    return;
  }
  const Ticks elapsed = clock_.elapsed();
  pass->look_at = due->next_due;
  pass->more = due->more;
  std::set<std::string> seen;
  for (Schedule& schedule : due->schedules) {
    std::string key = key_of(schedule);
    const auto held = held_.find(key);
    seen.insert(std::move(key));
    if (held != held_.end() && held->second.revision == schedule.revision && held->second.until > elapsed) continue;
    if (pass->items.size() == batch) {
      pass->more = true;
      break;
    }
    pass->items.push_back({.schedule = std::move(schedule)});
  }
  // What is held but not due any more was changed or removed by somebody else.
  if (!pass->more) std::erase_if(held_, [&](const auto& held) { return !seen.contains(held.first); });
  const bool idle = pass->items.empty() || stopped_;
  if (idle)
    finish(std::move(lock), started + every_, pass->look_at, false);
  else
    lock.unlock();
  if (turned) log::info("due schedules can be read again");
  if (!idle) ask_about_previous(std::move(pass));
}

void SchedulePasses::ask_about_previous(std::shared_ptr<Pass> pass) {
  std::vector<std::size_t> places;
  std::vector<JobId> jobs;
  for (std::size_t i = 0; i < pass->items.size(); ++i) {
    const Schedule& schedule = pass->items[i].schedule;
    if (schedule.spec.overlap == Overlap::allow || !schedule.last_job) continue;
    places.push_back(i);
    jobs.push_back(*schedule.last_job);
  }
  if (jobs.empty()) return judge(std::move(pass));
  store_.get_jobs(std::move(jobs), [self = shared_from_this(), pass = std::move(pass),
                                    places = std::move(places)](const Result<store::Each<Job>>& answer) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      Item& item = pass->items[places[i]];
      if (!answer.ok())
        item.trouble = answer.status();
      else if (const Result<Job>& job = (*answer)[i]; job.ok())
        item.previous_unfinished = !is_finished(job->state);
      else if (job.code() != Code::not_found)  // forgotten: it finished long ago
        item.trouble = job.status();
    }
    self->judge(pass);
  });
}

void SchedulePasses::judge(std::shared_ptr<Pass> pass) {
  if (std::unique_lock lock(mutex_); stopped_) return finish(std::move(lock), pass->started + every_, pass->look_at, false);
  pass->pending = 1;
  std::size_t budget = fires_max_;
  for (std::size_t i = 0; i < pass->items.size(); ++i) {
    Item& item = pass->items[i];
    const Result<cron::Plan> plan = cron::Plan::parse(item.schedule.spec.timing);
    if (!plan.ok() || item.trouble) {
      failed(item.schedule, item.trouble ? *item.trouble : plan.status());
      continue;
    }
    if (budget == 0) {
      pass->more = true;
      break;
    }
    item.step = next_step(item.schedule, *plan,
                          {.now = pass->now,
                           .grace = every_,
                           .fires_max = std::min(budget, jobs_per_step(item.schedule.spec)),
                           .previous_unfinished = item.previous_unfinished});
    budget -= item.step.fires.size();
    if (item.step.writes) {
      ++pass->pending;
      continue;
    }
    // Due for the store, but not by our clock or not before its job finished.
    const Instant until = item.step.look_at.value_or(pass->now + every_);
    const std::lock_guard lock(mutex_);
    hold(item.schedule, {.until = clock_.elapsed() + std::clamp(until - pass->now, kPassPause, every_),
                         .revision = item.schedule.revision,
                         .failures = 0});
    if (item.schedule.buffered && item.previous_unfinished) wait_for(item.schedule);
  }
  // Begun after all are judged, since an answer may come before the call returns.
  for (std::size_t i = 0; i < pass->items.size(); ++i)
    if (pass->items[i].step.writes) act(pass, i);
  done(pass);
}

void SchedulePasses::act(const std::shared_ptr<Pass>& pass, std::size_t index) {
  const Item& item = pass->items[index];
  if (!item.step.cancels_previous) return fire(pass, index);
  runs_.cancel(*item.schedule.last_job, fmt::format("schedule {} fired again", item.schedule.spec.id.text()),
               [self = shared_from_this(), pass, index](const Result<store::Cancelled>& ended) {
                 const bool over = ended.ok() || ended.code() == Code::conflict || ended.code() == Code::not_found;
                 if (over) return self->fire(pass, index);
                 self->failed(pass->items[index].schedule, ended.status());
                 self->done(pass);
               });
}

void SchedulePasses::fire(const std::shared_ptr<Pass>& pass, std::size_t index) {
  const ScheduleStep& step = pass->items[index].step;
  store::ScheduleFire request{.after = step.after, .jobs = {}};
  request.jobs.reserve(step.fires.size());
  for (const Instant at : step.fires) request.jobs.push_back(job_of_fire(step.after.spec, at));
  store_.fire_schedule(std::move(request), [self = shared_from_this(), pass, index](Result<store::ScheduleFired> result) {
    self->fired(pass, index, std::move(result));
  });
}

void SchedulePasses::fired(const std::shared_ptr<Pass>& pass, std::size_t index, Result<store::ScheduleFired> result) {
  const Item& item = pass->items[index];
  if (!result.ok()) {
    failed(item.schedule, result.status());
    return done(pass);
  }
  const Instant now = clock_.now();
  for (std::size_t i = 0; i < result->jobs.size(); ++i) {
    if (result->jobs[i].existed) continue;
    const Instant due = item.step.fires[i] + cron::jitter_of(item.schedule.spec, item.step.fires[i]);
    fires_.add();
    lateness_.observe(std::chrono::duration<double>(now - due).count());
  }
  skipped_.add(item.step.after.skipped - item.schedule.skipped);
  const Schedule& written = result->schedule;
  bool recovered = false;
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = held_.find(key_of(written)); it != held_.end()) {
      recovered = it->second.failures > 0;
      held_.erase(it);
    }
    if (item.step.look_at && (!pass->look_at || *item.step.look_at < *pass->look_at)) pass->look_at = item.step.look_at;
    if (written.buffered && written.last_job) wait_for(written);
  }
  if (recovered) log::info("schedule fires again", {{"schedule", written.spec.id.text()}, {"tenant", written.spec.ns.text()}});
  done(pass);
}

void SchedulePasses::failed(const Schedule& schedule, const Status& status) {
  failures_.add();
  std::uint32_t failures = 1;
  // The ordinary conflict is somebody who changed the schedule between our read and our write: look again at once.
  const bool raced = status.code() == Code::conflict;
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = held_.find(key_of(schedule)); it != held_.end() && it->second.revision == schedule.revision)
      failures = it->second.failures + 1;
    const Ticks pause = raced && failures == 1 ? Ticks(kPassPause) : fail_pause(failures);
    hold(schedule, {.until = clock_.elapsed() + pause, .revision = schedule.revision, .failures = failures});
  }
  if (failures == (raced ? 2u : 1u))
    log::warn("schedule could not fire; it is tried again", {{"schedule", schedule.spec.id.text()},
                                                             {"tenant", schedule.spec.ns.text()},
                                                             {"code", std::string(to_string(status.code()))},
                                                             {"error", status.message()}});
}

void SchedulePasses::done(const std::shared_ptr<Pass>& pass) {
  std::unique_lock lock(mutex_);
  if (--pass->pending > 0) return;
  const bool backlog = pass->more || (pass->look_at && *pass->look_at <= pass->now);
  finish(std::move(lock), pass->started + every_, pass->look_at, backlog);
}

void SchedulePasses::finish(std::unique_lock<std::mutex> lock, Ticks look_by, std::optional<Instant> look_at, bool again) {
  const Instant now = clock_.now();
  if (again && !stopped_ && chained_ < kChainMax) {
    ++chained_;
    lock.unlock();
    return begin(batch_);
  }
  is_out_ = false;
  look_at_ = look_at.value_or(Instant::max());
  // What is still there although it is due cannot be moved now: asking without a pause would only spin.
  if (look_at_ <= now) look_at_ = now + (again ? kPassPause : kEmptyPause);
  look_by_ = look_by;
  for (const auto& [key, held] : held_) look_by_ = std::min(look_by_, held.until);
  if (hinted_) look_at_ = std::min(look_at_, *hinted_);
}

void SchedulePasses::hold(const Schedule& schedule, Held held) { held_.insert_or_assign(key_of(schedule), held); }

// Its end is told by committed(), unless another node ends it: what is forgotten here is found by looking.
void SchedulePasses::wait_for(const Schedule& schedule) {
  if (waits_.size() >= kHeldMax) waits_.clear();
  waits_.insert_or_assign(*schedule.last_job, key_of(schedule));
  waiting_.store(waits_.size(), std::memory_order_relaxed);
}

}  // namespace muster::engine
