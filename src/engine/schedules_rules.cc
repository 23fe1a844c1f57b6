#include "engine/schedules_rules.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/time_text.h"
#include "base/uuid.h"
#include "model/limits.h"
#include "model/validate.h"

namespace muster::engine {
namespace {

constexpr std::size_t kJitteredFiresMax = 100'000;  // looked at within one jitter; the rest follows in the next step

struct DueFires {
  std::vector<Instant> kept;     // in order
  std::uint64_t skipped = 0;     // older ones
  std::optional<Instant> until;  // the newest that is dealt with, kept or not
};

bool is_due(const ScheduleSpec& spec, Instant fire, Instant now) { return fire + cron::jitter_of(spec, fire) <= now; }

DueFires due_fires(const Schedule& schedule, const cron::Plan& plan, const ScheduleLook& look) {
  const ScheduleSpec& spec = schedule.spec;
  const Instant from = schedule.caught_up_to.value_or(schedule.created_at);
  // Whatever their jitter is, fires up to here are due.
  const Instant surely = look.now - spec.timing.jitter;
  const std::size_t keep = std::max<std::size_t>(1, spec.catchup_max);
  DueFires due;
  due.kept = plan.between(from, surely, keep, &due.skipped);
  auto next = plan.next(std::max(from, surely));
  for (std::size_t i = 0; i < kJitteredFiresMax && next && *next <= look.now && is_due(spec, *next, look.now); ++i) {
    due.kept.push_back(*next);
    next = plan.next(*next);
  }
  if (due.kept.size() > keep) {
    const std::size_t older = due.kept.size() - keep;
    due.kept.erase(due.kept.begin(), due.kept.begin() + static_cast<std::ptrdiff_t>(older));
    due.skipped += older;
  }
  if (due.kept.empty()) return due;
  due.until = due.kept.back();
  const Instant newest_due = due.kept.back() + cron::jitter_of(spec, due.kept.back());
  if (spec.catchup_max == 0 && newest_due < look.now - look.grace) {
    ++due.skipped;
    due.kept.clear();
  }
  return due;
}

// What the overlap rule makes of the fires that are due.
struct Choice {
  std::vector<Instant> made;
  std::uint64_t skipped = 0;
  std::optional<Instant> buffered;
  bool cancels_previous = false;
};

Choice choose(const Schedule& schedule, std::vector<Instant> fires, const ScheduleLook& look) {
  Choice choice;
  if (schedule.spec.overlap == Overlap::buffer_one && schedule.buffered) fires.insert(fires.begin(), *schedule.buffered);
  if (fires.empty()) return choice;
  const std::uint64_t others = fires.size() - 1;
  switch (schedule.spec.overlap) {
    case Overlap::allow:
      fires.resize(std::min(fires.size(), look.fires_max));
      choice.made = std::move(fires);
      break;
    case Overlap::skip:
      if (!look.previous_unfinished) choice.made = {fires.front()};
      choice.skipped = look.previous_unfinished ? fires.size() : others;
      break;
    case Overlap::buffer_one:
      if (look.previous_unfinished) {
        choice.buffered = fires.back();
        choice.skipped = others;
      } else {
        choice.made = {fires.front()};
        if (others > 0) choice.buffered = fires.back();
        choice.skipped = others > 0 ? others - 1 : 0;
      }
      break;
    case Overlap::cancel_previous:
      // Those in between would be cancelled by the next one before anybody saw them.
      choice.made = {fires.back()};
      choice.skipped = others;
      choice.cancels_previous = look.previous_unfinished;
      break;
  }
  return choice;
}

std::optional<Instant> earlier(std::optional<Instant> a, std::optional<Instant> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

}  // namespace

ScheduleStep next_step(const Schedule& schedule, const cron::Plan& plan, const ScheduleLook& look) {
  DueFires due = due_fires(schedule, plan, look);
  const bool cut = schedule.spec.overlap == Overlap::allow && due.kept.size() > look.fires_max;
  Choice choice = choose(schedule, std::move(due.kept), look);

  ScheduleStep step;
  step.after = schedule;
  Schedule& after = step.after;
  std::optional<Instant> until = cut ? std::optional(choice.made.back()) : due.until;
  if (until) after.caught_up_to = until;
  after.buffered = choice.buffered;
  after.fired += choice.made.size();
  after.skipped += due.skipped + choice.skipped;
  // A fire that waits is neither made nor skipped yet.
  if (until && until != choice.buffered) after.last_fired_at = until;
  if (!choice.made.empty()) after.last_fired_at = std::max(after.last_fired_at.value_or(choice.made.back()), choice.made.back());
  const Instant from = after.caught_up_to.value_or(after.created_at);
  after.next_fire_at = due_after(after.spec, plan, from);

  const bool look_was_wrong = schedule.next_fire_at && *schedule.next_fire_at <= look.now;
  step.writes = until.has_value() || !choice.made.empty() || after.buffered != schedule.buffered || look_was_wrong;
  step.fires = std::move(choice.made);
  step.cancels_previous = choice.cancels_previous;
  // What the row says is what the store goes by, also where nothing is written.
  step.look_at = step.writes ? after.next_fire_at : schedule.next_fire_at;
  if (after.buffered) step.look_at = earlier(step.look_at, look.now + look.grace);
  return step;
}

std::optional<Instant> due_after(const ScheduleSpec& spec, const cron::Plan& plan, Instant after) {
  const auto fire = plan.next(after);
  if (!fire) return std::nullopt;
  return *fire + cron::jitter_of(spec, *fire);
}

std::size_t jobs_per_step(const ScheduleSpec& spec) {
  return std::max<std::size_t>(1, kFireBytesMax / std::max<std::size_t>(1, spec.job.payload.data.size()));
}

JobSpec job_of(const ScheduleSpec& spec, std::string external_id) {
  JobSpec job = spec.job;
  job.ns = spec.ns;
  job.labels.insert_or_assign(kLabelSchedule, spec.id.text());
  if (job.run) {
    job.run->schedule = spec.id.text();
    job.run->external_id = std::move(external_id);
  }
  return job;
}

JobSpec job_of_fire(const ScheduleSpec& spec, Instant fire_at) {
  const std::string key = fire_key(spec.id, fire_at);
  JobSpec job = job_of(spec, key);
  job.idempotency_key = key;
  return job;
}

Status validate(const ScheduleSpec& spec) {
  if (!Uuid::parse(spec.id.text())) return Status::invalid_argument("the id of a schedule is not a UUID");
  if (spec.catchup_max > kCatchupMax)
    return Status::invalid_argument(fmt::format("catchup_max is {}; 0 to {} is accepted", spec.catchup_max, kCatchupMax));
  if (Status note = validate_text("note", spec.note, {.bytes_max = kScheduleNoteBytesMax, .one_line = false}); !note.ok())
    return note;
  // What belongs to one job cannot stand in a template of many.
  const JobSpec& job = spec.job;
  const char* of_one = job.run_at                               ? "run_at"
                       : job.deadline                           ? "deadline"
                       : !job.after.empty()                     ? "after"
                       : !job.idempotency_key.empty()           ? "idempotency_key"
                       : job.run && job.run->parent.has_value() ? "parent"
                                                                : nullptr;
  if (of_one != nullptr) return Status::invalid_argument(fmt::format("the job of a schedule has {}; none is accepted", of_one));
  return muster::validate(job_of_fire(spec, Instant()));
}

Result<cron::Plan> plan_from(const ScheduleSpec& spec, Instant now) {
  Result<cron::Plan> plan = cron::Plan::parse(spec.timing);
  if (!plan.ok()) return plan;
  if (!plan->next(now)) return Status::invalid_argument(fmt::format("the timing has no fire after {}", to_rfc3339(now)));
  return plan;
}

}  // namespace muster::engine
