#include "engine/schedules.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/time_text.h"
#include "base/uuid.h"
#include "engine/schedules_passes.h"
#include "engine/schedules_rules.h"
#include "model/limits.h"
#include "model/validate.h"

namespace muster::engine {
namespace {

constexpr int kChangeTriesMax = 20;            // a change is made anew when the schedule fired meanwhile
constexpr std::size_t kBackfillBatch = 1'000;  // jobs of one enqueue

Status validate_ref(const NamespaceName& ns, const ScheduleId& id) {
  if (Status status = validate_name("namespace", ns.text()); !status.ok()) return status;
  return validate_name("schedule", id.text());
}

Status validate_query(const store::ScheduleQuery& query) {
  const auto optional_name = [](std::string_view what, const std::string& text) {
    return text.empty() ? Status() : validate_name(what, text);
  };
  if (Status status = optional_name("namespace", query.ns.text()); !status.ok()) return status;
  if (Status status = optional_name("queue", query.queue.text()); !status.ok()) return status;
  if (Status status = optional_name("type", query.type.text()); !status.ok()) return status;
  return validate_count("limit", query.limit, {.least = 1, .most = limits::kPageMax});
}

Status validate_instant(std::string_view what, Instant at) {
  if (at >= Instant() && at <= limits::kRunAtMax) return {};
  return Status::invalid_argument(
      fmt::format("{} is {} ms after 1970; 0 to {} is accepted", what, to_ms(at), to_ms(limits::kRunAtMax)));
}

// The schedule as the change wants it. REQUIRES: what the change brings is valid by itself.
Result<Schedule> changed(Schedule schedule, const ScheduleChange& change, Instant now) {
  const bool was_enabled = schedule.spec.enabled;
  ScheduleSpec& spec = schedule.spec;
  const bool new_timing = change.timing && *change.timing != spec.timing;
  if (change.timing) spec.timing = *change.timing;
  if (change.job) spec.job = *change.job;
  if (change.overlap) spec.overlap = *change.overlap;
  if (change.catchup_max) spec.catchup_max = *change.catchup_max;
  if (change.enabled) spec.enabled = *change.enabled;
  if (change.note) spec.note = *change.note;
  spec.job.ns = spec.ns;
  if (Status status = validate(spec); !status.ok()) return status;
  if (schedule.buffered && spec.overlap != Overlap::buffer_one) {
    schedule.buffered.reset();
    ++schedule.skipped;
  }

  Result<cron::Plan> plan = new_timing ? plan_from(spec, now) : cron::Plan::parse(spec.timing);
  if (!plan.ok()) return plan.status();
  const bool resumes = spec.enabled && !was_enabled;
  if (new_timing) {
    schedule.caught_up_to = now;
  } else if (change.next_fire_at) {
    schedule.caught_up_to = *change.next_fire_at - Duration(1);
  } else if (resumes && !change.catch_up) {
    schedule.caught_up_to = now;
  }
  if (!spec.enabled)
    schedule.next_fire_at.reset();
  else if (change.next_fire_at && !new_timing)
    schedule.next_fire_at = change.next_fire_at;  // looked at then, also when no fire falls on it
  else if (new_timing || resumes)
    schedule.next_fire_at = due_after(spec, *plan, schedule.caught_up_to.value_or(schedule.created_at));
  return schedule;
}

}  // namespace

// What people ask for. Shared with the replies under way.
class Schedules::Shared : public std::enable_shared_from_this<Schedules::Shared> {
 public:
  Shared(store::Store& store, Runs& runs, const Clock& clock, Metrics& metrics, const Options& options)
      : store_(store),
        clock_(clock),
        ids_(clock, random_seed()),
        passes_(std::make_shared<SchedulePasses>(store, runs, clock, metrics, options)) {}

  void create(ScheduleSpec spec, Reply<Schedule> reply) {
    const Instant now = clock_.now();
    if (spec.id.empty()) spec.id = ScheduleId(ids_.next().text());
    if (const auto id = Uuid::parse(spec.id.text())) spec.id = ScheduleId(id->text());  // one spelling, whatever was given
    spec.job.ns = spec.ns;
    if (Status status = validate(spec); !status.ok()) return reply(std::move(status));
    const Result<cron::Plan> plan = plan_from(spec, now);
    if (!plan.ok()) return reply(plan.status());
    Schedule schedule;
    schedule.caught_up_to = now;
    if (spec.enabled) schedule.next_fire_at = due_after(spec, *plan, now);
    schedule.spec = std::move(spec);
    store_.create_schedule(std::move(schedule), telling(std::move(reply)));
  }

  void update(std::shared_ptr<const ScheduleChange> change, int tries, Reply<Schedule> reply) {
    get(change->ns, change->id,
        [self = shared_from_this(), change, tries, reply = std::move(reply)](Result<Schedule> found) mutable {
          if (!found.ok()) return reply(found.status());
          Result<Schedule> after = changed(std::move(*found), *change, self->clock_.now());
          if (!after.ok()) return reply(after.status());
          self->store_.update_schedule(std::move(*after),
                                       [self, change, tries, reply = std::move(reply)](Result<Schedule> written) mutable {
                                         if (written.code() == Code::conflict && tries > 1)
                                           return self->update(change, tries - 1, std::move(reply));
                                         if (written.ok()) self->passes_->changed(*written);
                                         reply(std::move(written));
                                       });
        });
  }

  void get(const NamespaceName& ns, const ScheduleId& id, Reply<Schedule> reply) {
    if (Status status = validate_ref(ns, id); !status.ok()) return reply(std::move(status));
    store_.get_schedules(ns, {id}, [reply = std::move(reply)](Result<store::Each<Schedule>> found) mutable {
      if (!found.ok()) return reply(found.status());
      reply(std::move(found->front()));
    });
  }

  void list(store::ScheduleQuery query, Reply<store::SchedulePage> reply) {
    if (Status status = validate_query(query); !status.ok()) return reply(std::move(status));
    store_.list_schedules(std::move(query), std::move(reply));
  }

  void remove(const NamespaceName& ns, const ScheduleId& id, Reply<Schedule> reply) {
    if (Status status = validate_ref(ns, id); !status.ok()) return reply(std::move(status));
    store_.delete_schedule(ns, id, std::move(reply));
  }

  void trigger(const NamespaceName& ns, const ScheduleId& id, Reply<store::Enqueued> reply) {
    get(ns, id, [self = shared_from_this(), reply = std::move(reply)](Result<Schedule> found) mutable {
      if (!found.ok()) return reply(found.status());
      const std::string name = fmt::format("schedule:{}:{}", found->spec.id.text(), self->ids_.next().text());
      std::vector<JobSpec> jobs;
      jobs.push_back(job_of(found->spec, name));
      self->store_.enqueue(std::move(jobs), [reply = std::move(reply)](Result<std::vector<store::Enqueued>> enqueued) mutable {
        if (!enqueued.ok()) return reply(enqueued.status());
        reply(enqueued->front());
      });
    });
  }

  void preview(const NamespaceName& ns, const ScheduleId& id, std::size_t count, std::optional<Instant> after,
               Reply<std::vector<Instant>> reply) {
    if (Status status = validate_count("count", count, {.least = 1, .most = limits::kPreviewMax}); !status.ok())
      return reply(std::move(status));
    get(ns, id, [from = after.value_or(clock_.now()), count, reply = std::move(reply)](Result<Schedule> found) mutable {
      if (!found.ok()) return reply(found.status());
      const Result<cron::Plan> plan = cron::Plan::parse(found->spec.timing);
      if (!plan.ok()) return reply(plan.status());
      std::vector<Instant> fires;
      Instant due = from;
      for (auto fire = plan->next(from); fire && fires.size() < count; fire = plan->next(*fire)) {
        due = std::max(due, *fire + cron::jitter_of(found->spec, *fire));  // none overtakes the one before
        fires.push_back(due);
      }
      reply(std::move(fires));
    });
  }

  void backfill(ScheduleRange range, Reply<std::vector<store::Enqueued>> reply) {
    for (const auto& [what, at] : {std::pair{"from", range.from}, std::pair{"to", range.to}})
      if (Status status = validate_instant(what, at); !status.ok()) return reply(std::move(status));
    if (range.from >= range.to)
      return reply(
          Status::invalid_argument(fmt::format("from {} is not before to {}", to_rfc3339(range.from), to_rfc3339(range.to))));
    get(range.ns, range.id, [self = shared_from_this(), range, reply = std::move(reply)](Result<Schedule> found) mutable {
      if (!found.ok()) return reply(found.status());
      const Result<cron::Plan> plan = cron::Plan::parse(found->spec.timing);
      if (!plan.ok()) return reply(plan.status());
      auto work = std::make_shared<Backfill>();
      work->fires = plan->between(range.from, range.to, limits::kBackfillMax + 1);
      if (work->fires.size() > limits::kBackfillMax)
        return reply(
            Status::exhausted(fmt::format("the range holds more than {} fires; backfill it in parts", limits::kBackfillMax)));
      const Instant now = self->clock_.now();
      if (!work->fires.empty() && work->fires.back() > now)
        return reply(Status::invalid_argument(
            fmt::format("the range holds a fire at {}, which is still to come", to_rfc3339(work->fires.back()))));
      work->spec = std::move(found->spec);
      work->reply = std::move(reply);
      self->backfill_more(std::move(work));
    });
  }

  SchedulePasses& passes() { return *passes_; }

 private:
  struct Backfill {
    ScheduleSpec spec;
    std::vector<Instant> fires;
    std::vector<store::Enqueued> made;
    Reply<std::vector<store::Enqueued>> reply;
  };

  // Batch by batch, since the jobs of one template may be large. What is made stays when a later batch fails; the same call
  // again makes the rest.
  void backfill_more(std::shared_ptr<Backfill> work) {
    const std::size_t begin = work->made.size();
    if (begin == work->fires.size()) return work->reply(std::move(work->made));
    const std::size_t count = std::min({kBackfillBatch, jobs_per_step(work->spec), work->fires.size() - begin});
    std::vector<JobSpec> jobs;
    jobs.reserve(count);
    for (std::size_t i = 0; i < count; ++i) jobs.push_back(job_of_fire(work->spec, work->fires[begin + i]));
    store_.enqueue(std::move(jobs),
                   [self = shared_from_this(), work = std::move(work)](Result<std::vector<store::Enqueued>> enqueued) mutable {
                     if (!enqueued.ok()) return work->reply(enqueued.status());
                     work->made.insert(work->made.end(), enqueued->begin(), enqueued->end());
                     self->backfill_more(std::move(work));
                   });
  }

  Reply<Schedule> telling(Reply<Schedule> reply) {
    return [self = shared_from_this(), reply = std::move(reply)](Result<Schedule> written) mutable {
      if (written.ok()) self->passes_->changed(*written);
      reply(std::move(written));
    };
  }

  store::Store& store_;
  const Clock& clock_;
  UuidSource ids_;
  std::shared_ptr<SchedulePasses> passes_;
};

Schedules::Schedules(store::Store& store, Runs& runs, const Clock& clock, Metrics& metrics, const Options& options)
    : shared_(std::make_shared<Shared>(store, runs, clock, metrics, options)) {}
Schedules::~Schedules() { stop(); }

void Schedules::create(ScheduleSpec spec, Reply<Schedule> reply) { shared_->create(std::move(spec), std::move(reply)); }
void Schedules::update(ScheduleChange change, Reply<Schedule> reply) {
  if (change.next_fire_at)
    if (Status status = validate_instant("next_fire_at", *change.next_fire_at); !status.ok()) return reply(std::move(status));
  shared_->update(std::make_shared<const ScheduleChange>(std::move(change)), kChangeTriesMax, std::move(reply));
}
void Schedules::get(NamespaceName ns, ScheduleId id, Reply<Schedule> reply) { shared_->get(ns, id, std::move(reply)); }
void Schedules::list(store::ScheduleQuery query, Reply<store::SchedulePage> reply) {
  shared_->list(std::move(query), std::move(reply));
}
void Schedules::remove(NamespaceName ns, ScheduleId id, Reply<Schedule> reply) { shared_->remove(ns, id, std::move(reply)); }
void Schedules::trigger(NamespaceName ns, ScheduleId id, Reply<store::Enqueued> reply) {
  shared_->trigger(ns, id, std::move(reply));
}
void Schedules::preview(NamespaceName ns, ScheduleId id, std::size_t count, std::optional<Instant> after,
                        Reply<std::vector<Instant>> reply) {
  shared_->preview(ns, id, count, after, std::move(reply));
}
void Schedules::backfill(ScheduleRange range, Reply<std::vector<store::Enqueued>> reply) {
  shared_->backfill(std::move(range), std::move(reply));
}

void Schedules::committed(const store::Committed& commit) { shared_->passes().committed(commit); }
Duration Schedules::tick() { return shared_->passes().tick(); }
void Schedules::stop() { shared_->passes().stop(); }

}  // namespace muster::engine
