#include "store/runs/rules.h"
#include "store/refusals.h"

#include <utility>

#include <fmt/format.h>

namespace muster::store::runs {
namespace {

Verdict refuse(Status status) {
  Verdict verdict;
  verdict.answer = std::move(status);
  return verdict;
}

Verdict finish(const Facts& facts, Verdict verdict) {
  StepAnswer& answer = *verdict.answer;
  if (!verdict.writes.empty()) answer.step = verdict.writes.back();
  answer.state = facts.state;
  answer.cancel_requested = facts.cancel_requested;
  if (verdict.park) {
    answer.parked = true;
    answer.state = JobState::scheduled;
    answer.run_at = verdict.park->until;
  }
  verdict.renews = facts.leased && !verdict.park;
  return verdict;
}

Verdict known(const Facts& facts, const Step& step, bool execute = false) {
  Verdict verdict;
  verdict.answer->step = step;
  verdict.answer->execute = execute;
  return finish(facts, std::move(verdict));
}

Verdict write(const Facts& facts, Step step, std::optional<Park> park = std::nullopt) {
  Verdict verdict;
  verdict.writes.push_back(std::move(step));
  verdict.park = park;
  return finish(facts, std::move(verdict));
}

Step fresh(const Facts& facts, const std::string& name, StepKind kind, Instant now) {
  Step step;
  step.run = facts.run;
  step.name = name;
  step.kind = kind;
  step.attempt = facts.latest != nullptr ? facts.latest->attempt + 1 : 1;
  step.begun_at = now;
  if (facts.leased) {
    step.worker = facts.worker;
    step.fence = facts.fence;
  }
  return step;
}

Step ended(Step step, StepState state, Instant now) {
  step.state = state;
  step.finished_at = now;
  return step;
}

// Nobody parks a run that nobody holds.
Status not_held(const Facts& facts) {
  return Status::conflict(fmt::format("run {} is {}, not running under a lease", facts.run.text(), to_string(facts.state)));
}

std::optional<Status> too_many(const Facts& facts) {
  if (facts.steps < limits::kStepsPerRunMax) return std::nullopt;
  return Status::exhausted(
      fmt::format("run {} has {} step attempts, which is the most a run may have", facts.run.text(), facts.steps));
}

Verdict judge_call(const step::Begin& call, const Facts& facts, Instant now, double) {
  const Step* latest = facts.latest;
  if (latest != nullptr && latest->state == StepState::completed) return known(facts, *latest);
  if (latest != nullptr && latest->state == StepState::waiting) {
    // A sleep that is over is completed by whoever comes by; one that is not is slept on.
    if (latest->kind == StepKind::sleep && latest->until && *latest->until <= now)
      return write(facts, ended(*latest, StepState::completed, now));
    return known(facts, *latest, true);
  }
  if (latest != nullptr && latest->state == StepState::failed && latest->until && *latest->until > now)
    return refuse(Status::conflict(
        fmt::format("step '{}' of run {} is tried again in {} ms", call.step, facts.run.text(), (*latest->until - now).count())));
  // Who names its lease may repeat itself. Without a name it may be another process that begins again behind one that died.
  const bool same_lease = latest != nullptr && latest->state == StepState::running && facts.leased && call.run.fence &&
                          !call.anew && latest->fence == facts.fence;
  if (same_lease) return known(facts, *latest, true);
  if (const auto full = too_many(facts)) return refuse(*full);

  Verdict verdict;
  if (latest != nullptr && latest->state == StepState::running) {
    Step lost = ended(*latest, StepState::failed, now);
    lost.error = JobError{kErrorWorkerLost, "its worker was lost before the step ended"};
    verdict.writes.push_back(std::move(lost));
  }
  Step step = fresh(facts, call.step, call.kind, now);
  step.input = call.input;
  step.policy = merged(call.policy, facts.spec->steps);
  verdict.writes.push_back(std::move(step));
  verdict.answer->execute = true;
  return finish(facts, std::move(verdict));
}

Verdict judge_call(const step::Complete& call, const Facts& facts, Instant now, double) {
  const Step* latest = facts.latest;
  if (latest == nullptr) {
    if (!call.unbegun_ok)
      return refuse(Status::not_found(fmt::format("run {} has not begun a step '{}'", facts.run.text(), call.step)));
    if (const auto full = too_many(facts)) return refuse(*full);
    Step step = ended(fresh(facts, call.step, StepKind::function, now), StepState::completed, now);
    step.output = call.output;
    return write(facts, std::move(step));
  }
  if (latest->state == StepState::completed) return known(facts, *latest);
  Step step = ended(*latest, StepState::completed, now);
  step.output = call.output;
  step.error.reset();
  return write(facts, std::move(step));
}

Verdict judge_call(const step::Fail& call, const Facts& facts, Instant now, double spread) {
  const Step* latest = facts.latest;
  if (latest == nullptr && !call.unbegun_ok)
    return refuse(Status::not_found(fmt::format("run {} has not begun a step '{}'", facts.run.text(), call.step)));
  if (latest == nullptr)
    if (const auto full = too_many(facts)) return refuse(*full);
  // Said before, or too late.
  if (latest != nullptr && (latest->state == StepState::completed || latest->state == StepState::failed))
    return known(facts, *latest);
  Step step = latest != nullptr ? *latest : fresh(facts, call.step, StepKind::function, now);
  if (latest == nullptr) step.policy = facts.spec->steps;
  step = ended(std::move(step), StepState::failed, now);
  step.error = call.error;
  if (!call.retryable || !step_may_retry(step.policy, step.attempt, call.error.message)) return write(facts, std::move(step));
  const Duration delay =
      call.retry_after.count() > 0 ? call.retry_after : step_delay(step.policy, facts.spec->backoff, step.attempt, spread);
  step.until = now + delay;
  std::optional<Park> park;
  if (call.requeue && facts.leased) park = Park{*step.until, JobEvent::failed};
  return write(facts, std::move(step), park);
}

Verdict judge_call(const step::Sleep& call, const Facts& facts, Instant now, double) {
  if (!facts.leased) return refuse(not_held(facts));
  const Instant wanted = call.length ? now + *call.length : call.until;
  if (call.step.empty()) {
    if (facts.latest == nullptr) {
      Verdict verdict;
      verdict.park = Park{wanted};
      return finish(facts, std::move(verdict));
    }
    Step step = ended(*facts.latest, StepState::completed, now);
    step.until = wanted;
    return write(facts, std::move(step), Park{wanted});
  }
  if (facts.latest != nullptr && facts.latest->state == StepState::completed) return known(facts, *facts.latest);
  const bool asleep = facts.latest != nullptr && facts.latest->state == StepState::waiting && facts.latest->until;
  // It woke because its time came, or somebody else's did.
  if (asleep && *facts.latest->until <= now) return write(facts, ended(*facts.latest, StepState::completed, now));
  const bool running = facts.latest != nullptr && facts.latest->state == StepState::running;
  if (!asleep && !running)
    if (const auto full = too_many(facts)) return refuse(*full);
  Step step = asleep || running ? *facts.latest : fresh(facts, call.step, StepKind::sleep, now);
  step.kind = StepKind::sleep;
  step.state = StepState::waiting;
  if (!asleep) step.until = wanted;
  const Instant until = *step.until;
  return write(facts, std::move(step), Park{until});
}

Verdict judge_call(const step::AwaitSignal& call, const Facts& facts, Instant now, double) {
  const Step* latest = facts.latest;
  if (latest != nullptr && latest->state == StepState::completed) return known(facts, *latest);
  if (!facts.leased) return refuse(not_held(facts));
  if (latest == nullptr)
    if (const auto full = too_many(facts)) return refuse(*full);
  Step step = latest != nullptr ? *latest : fresh(facts, call.step, StepKind::signal, now);
  step.kind = StepKind::signal;
  step.signal = call.signal;
  if (facts.signal != nullptr) {
    step = ended(std::move(step), StepState::completed, now);
    step.output = *facts.signal;
    Verdict verdict = write(facts, std::move(step));
    verdict.takes_signal = true;
    return verdict;
  }
  if (latest == nullptr || latest->state != StepState::waiting)
    step.until = call.wait ? std::optional(now + *call.wait) : std::nullopt;
  if (step.until && *step.until <= now) {
    step = ended(std::move(step), StepState::completed, now);
    step.error = JobError{kErrorTimeout, fmt::format("no signal '{}' came in time", call.signal)};
    return write(facts, std::move(step));
  }
  step.state = StepState::waiting;
  const Instant until = step.until.value_or(kForever);
  return write(facts, std::move(step), Park{until});
}

Verdict judge_call(const step::AwaitChild& call, const Facts& facts, Instant now, double) {
  const Step* latest = facts.latest;
  if (latest != nullptr && (latest->state == StepState::completed || latest->state == StepState::failed))
    return known(facts, *latest);
  if (!facts.leased) return refuse(not_held(facts));
  const JobId child = *child_of(call, latest);
  if (!facts.child) return refuse(refusal::no_job(child));
  if (latest == nullptr)
    if (const auto full = too_many(facts)) return refuse(*full);
  Step step = latest != nullptr ? *latest : fresh(facts, call.step, StepKind::child, now);
  step.kind = StepKind::child;
  step.child = child;
  if (*facts.child == JobState::completed) {
    step = ended(std::move(step), StepState::completed, now);
    if (facts.child_result != nullptr) step.output = *facts.child_result;
    return write(facts, std::move(step));
  }
  if (is_finished(*facts.child)) {
    step = ended(std::move(step), StepState::failed, now);
    step.error = facts.child_error != nullptr ? *facts.child_error
                                              : JobError{std::string(to_string(*facts.child)), "the child did not complete"};
    return write(facts, std::move(step));
  }
  step.state = StepState::waiting;
  return write(facts, std::move(step), Park{now + limits::kChildLookEvery});
}

}  // namespace

Verdict judge(const StepCall& call, const Facts& facts, Instant now, double spread) {
  const RunRef& ref = run_of(call);
  const bool lost = ref.fence && (!facts.leased || *ref.fence != facts.fence);
  // Who had the lease and lost it is told that, and not that it is another's now.
  if (ref.bounds != nullptr && (!lost || is_finished(facts.state))) {
    check(facts.ns != nullptr, "a bound call is judged by the run's namespace");
    if (Status allowed = within_bounds(ref.bounds.get(), facts.run, {facts.worker, *facts.ns}); !allowed.ok())
      return refuse(std::move(allowed));
  }
  if (facts.spec == nullptr) return refuse(refusal::not_a_run(facts.run));
  if (is_finished(facts.state)) return refuse(refusal::run_ended(facts.run, facts.state));
  if (lost)
    return refuse(Status::lease_lost(
        fmt::format("run {} is no longer leased under fence {}; stop working on it", facts.run.text(), to_number(*ref.fence))));
  return std::visit([&](const auto& one) { return judge_call(one, facts, now, spread); }, call);
}

std::optional<JobId> child_of(const StepCall& call, const Step* latest) {
  const auto* const await = std::get_if<step::AwaitChild>(&call);
  if (await == nullptr) return std::nullopt;
  return latest != nullptr && latest->child ? *latest->child : await->child;
}

std::optional<Step> take_signal(const std::vector<Step>& waiting, const Signal& signal, Instant now) {
  for (const Step& step : waiting) {
    if (step.kind != StepKind::signal || step.state != StepState::waiting || step.signal != signal.name) continue;
    if (step.until && *step.until <= now) continue;
    Step out = ended(step, StepState::completed, now);
    out.output = signal.data;
    return out;
  }
  return std::nullopt;
}

const RunRef& run_of(const StepCall& call) {
  return std::visit([](const auto& one) -> const RunRef& { return one.run; }, call);
}

const std::string& name_of(const StepCall& call) {
  return std::visit([](const auto& one) -> const std::string& { return one.step; }, call);
}

}  // namespace muster::store::runs
