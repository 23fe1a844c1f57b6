// The reasons, in the order in which they are asked for: what the job itself waits for, then what its queue forbids, then whether
// anybody can do it, then what holds it back although somebody could. The first that applies is the answer, because lifting
// a later one would change nothing.
#include "engine/why.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/check.h"
#include "base/time_text.h"

namespace muster::engine {
namespace {

using store::WaitFacts;

constexpr std::size_t kNamedMax = 5;  // names in one sentence; the lists beside it hold all that are known

template <class Range, class Text>
std::string names(const Range& range, Text text) {
  std::string out;
  std::size_t count = 0;
  for (const auto& element : range) {
    if (count++ == kNamedMax) return out + ", ...";
    if (!out.empty()) out += ", ";
    out += text(element);
  }
  return out;
}

std::string job_names(const std::vector<JobId>& jobs) {
  return names(jobs, [](const JobId& id) { return id.text(); });
}

std::string quoted_names(const std::vector<std::string>& texts) {
  return names(texts, [](const std::string& text) { return fmt::format("'{}'", text); });
}

std::vector<std::string> able_names(const WaitFacts& facts) {
  std::vector<std::string> out;
  for (const WaitFacts::AbleWorker& worker : facts.able) out.push_back(worker.id.text());
  return out;
}

// " (memory 93 %)"
std::string drain_suffix(const WaitFacts::AbleWorker& worker) {
  return worker.drain_reason.empty() ? std::string() : fmt::format(" ({})", worker.drain_reason);
}

// Each rule answers whether it applies, and fills in the reason when it does.
using Rule = bool (*)(const WaitFacts&, Why&);

bool finished(const WaitFacts& facts, Why& why) {
  if (!is_finished(facts.job.state)) return false;
  why.code = WhyCode::finished;
  const std::string when = facts.job.finished_at ? fmt::format(" at {}", to_rfc3339(*facts.job.finished_at)) : std::string();
  why.text = fmt::format("the job is {}{}", to_string(facts.job.state), when);
  if (facts.job.error && facts.job.state != JobState::completed)
    why.text += fmt::format(": {}: {}", facts.job.error->kind, facts.job.error->message);
  return true;
}

bool running(const WaitFacts& facts, Why& why) {
  if (facts.job.state != JobState::running) return false;
  why.code = WhyCode::running;
  why.workers = {facts.job.worker.text()};
  why.until = facts.job.lease_expires_at;
  why.text = fmt::format("worker '{}' is running attempt {}", facts.job.worker.text(), facts.job.attempt);
  if (why.until) why.text += fmt::format(" under a lease until {}", to_rfc3339(*why.until));
  return true;
}

bool waiting_for_jobs(const WaitFacts& facts, Why& why) {
  if (facts.job.state != JobState::scheduled) return false;
  const std::size_t count = std::max(facts.waiting_for.size(), facts.job.dependencies_pending);
  if (count == 0) return false;
  why.code = WhyCode::waiting_for_jobs;
  why.jobs = facts.waiting_for;
  why.text = fmt::format("it waits for {} {} to finish", count, count == 1 ? "job" : "jobs");
  if (!why.jobs.empty()) why.text += fmt::format(": {}", job_names(why.jobs));
  return true;
}

std::string waits_for(const Step& step) {
  if (step.state == StepState::failed)
    return fmt::format("attempt {} of step '{}' failed, and it is tried again at {}", step.attempt, step.name,
                       step.until ? to_rfc3339(*step.until) : "once");
  if (step.kind == StepKind::child && step.child)
    return fmt::format("it waits for child {} in step '{}'", step.child->text(), step.name);
  if (step.kind == StepKind::signal) {
    const std::string limit = step.until ? fmt::format(" until {}", to_rfc3339(*step.until)) : std::string();
    return fmt::format("it waits for signal '{}' in step '{}'{}", step.signal, step.name, limit);
  }
  return fmt::format("it sleeps until {} in step '{}'", step.until ? to_rfc3339(*step.until) : "further notice", step.name);
}

// A run that gave up its lease says which of its steps it waits in.
bool parked(const WaitFacts& facts, Why& why) {
  if (facts.job.state != JobState::scheduled || facts.parked_on.empty()) return false;
  const Instant at = facts.job.run_at.value_or(facts.now);
  if (at <= facts.now) return false;  // it is due: that is all there is to say
  why.code = WhyCode::waiting_until;
  why.text = names(facts.parked_on, waits_for);
  for (const Step& step : facts.parked_on) {
    if (step.child) why.jobs.push_back(*step.child);
    if (step.until) why.until = std::min(why.until.value_or(*step.until), *step.until);
  }
  return true;
}

bool waiting_until(const WaitFacts& facts, Why& why) {
  if (facts.job.state != JobState::scheduled) return false;
  why.code = WhyCode::waiting_until;
  why.until = facts.job.run_at;
  const Instant at = facts.job.run_at.value_or(facts.now);
  const bool retry = facts.job.error && facts.job.attempt > 0;
  const std::string before =
      retry ? fmt::format("attempt {} failed with '{}' and ", facts.job.attempt, facts.job.error->kind) : std::string();
  if (at <= facts.now)
    why.text = fmt::format("{}it is due since {} and becomes ready with the next pass", before, to_rfc3339(at));
  else
    why.text = fmt::format("{}it is not due until {}", before, to_rfc3339(at));
  return true;
}

bool paused(const WaitFacts& facts, Why& why) {
  if (!facts.queue.paused) return false;
  why.code = WhyCode::paused;
  why.text = fmt::format("queue '{}' is paused", facts.job.spec.queue.text());
  if (!facts.queue.pause_reason.empty()) why.text += fmt::format(": {}", facts.queue.pause_reason);
  return true;
}

// A job that needs one worker, since what it refers to is there and nowhere else.
constexpr std::string_view kPinKind = "worker:";
bool is_pin(const std::string& need) { return need.starts_with(kPinKind); }
std::string away(const std::string& pin) {
  return fmt::format("it must run on worker '{}', which is not there", pin.substr(kPinKind.size()));
}

bool no_worker(const WaitFacts& facts, Why& why) {
  if (facts.live_workers != 0) return false;
  why.code = WhyCode::no_worker;
  why.text =
      fmt::format("no live worker of namespace '{}' serves queue '{}'", facts.job.spec.ns.text(), facts.job.spec.queue.text());
  const auto needs = facts.job.spec.needs.names();
  if (const auto pin = std::find_if(needs.begin(), needs.end(), is_pin); pin != needs.end()) why.text += "; " + away(*pin);
  return true;
}

bool asked_elsewhere(const WaitFacts& facts, Why& why) {
  if (facts.able_count != 0 || facts.elsewhere.empty()) return false;
  why.code = WhyCode::no_worker;
  for (const WaitFacts::Elsewhere& worker : facts.elsewhere) why.workers.push_back(worker.id.text());
  why.text = fmt::format(
      "the workers that could do it ask for other queues: {}", names(facts.elsewhere, [](const WaitFacts::Elsewhere& worker) {
        return fmt::format("'{}' for {}", worker.id.text(),
                           names(worker.queues, [](const QueueName& queue) { return fmt::format("'{}'", queue.text()); }));
      }));
  return true;
}

// A preference that nobody can satisfy ends by itself, so what it asks for is not missing.
std::vector<std::string> without_preference(const WaitFacts& facts, std::vector<std::string> missing) {
  if (!facts.bound_until) return missing;
  std::erase_if(missing,
                [&](const std::string& name) { return name == facts.bound_to || name == worker_capability(facts.bound_to); });
  return missing;
}

bool no_capable_worker(const WaitFacts& facts, Why& why) {
  if (facts.able_count != 0) return false;
  const bool each_is_offered = facts.missing.empty();
  why.missing = without_preference(facts, each_is_offered ? facts.missing_nearest : facts.missing);
  if (why.missing.empty() && facts.bound_until) return false;
  why.code = WhyCode::no_capable_worker;
  const auto pin = std::find_if(why.missing.begin(), why.missing.end(), is_pin);
  if (!each_is_offered && pin != why.missing.end())
    why.text = away(*pin);
  else if (!each_is_offered)
    why.text = fmt::format("no live worker offers {}", quoted_names(why.missing));
  else if (!why.missing.empty())
    why.text = fmt::format("no live worker offers all it needs at once; the nearest lacks {}", quoted_names(why.missing));
  else
    why.text = fmt::format("no live worker offers {}",
                           quoted_names(std::vector<std::string>(facts.needs.names().begin(), facts.needs.names().end())));
  return true;
}

bool concurrency_key(const WaitFacts& facts, Why& why) {
  if (facts.concurrency_holders.empty() || !facts.job.spec.concurrency) return false;
  why.code = WhyCode::concurrency_key;
  why.jobs = facts.concurrency_holders;
  why.text = fmt::format("concurrency key '{}' (limit {}) is held by {}", facts.job.spec.concurrency->key,
                         facts.job.spec.concurrency->limit, job_names(why.jobs));
  return true;
}

bool queue_full(const WaitFacts& facts, Why& why) {
  if (!facts.queue.running_max || facts.queue_running < *facts.queue.running_max) return false;
  why.code = WhyCode::queue_full;
  why.text = fmt::format("queue '{}' runs {} jobs and its limit is {}", facts.job.spec.queue.text(), facts.queue_running,
                         *facts.queue.running_max);
  return true;
}

bool type_full(const WaitFacts& facts, Why& why) {
  const auto cap = facts.queue.running_max_by_type.find(facts.job.spec.type.text());
  if (cap == facts.queue.running_max_by_type.end() || facts.type_running < cap->second) return false;
  why.code = WhyCode::type_full;
  why.text = fmt::format("queue '{}' runs {} jobs of type '{}' and the limit for the type is {}", facts.job.spec.queue.text(),
                         facts.type_running, facts.job.spec.type.text(), cap->second);
  return true;
}

bool rate_limited(const WaitFacts& facts, Why& why) {
  if (!facts.rate_token_at || *facts.rate_token_at <= facts.now) return false;
  why.code = WhyCode::rate_limited;
  why.until = facts.rate_token_at;
  why.text =
      fmt::format("the rate limit of queue '{}' frees the next claim at {}", facts.job.spec.queue.text(), to_rfc3339(*why.until));
  return true;
}

bool held_for_worker(const WaitFacts& facts, Why& why) {
  if (facts.bound_to.empty() || facts.able_free != 0) return false;
  why.code = WhyCode::held_for_worker;
  why.workers = {facts.bound_to};
  why.until = facts.bound_until;
  std::string state = "which is not there";
  if (!facts.able.empty()) {
    const WaitFacts::AbleWorker& holder = facts.able.front();
    state = holder.state == WorkerState::draining ? "which is draining" + drain_suffix(holder)
                                                  : fmt::format("which runs {} jobs in {} slots", holder.running, holder.slots);
  }
  why.text = fmt::format("it is held for '{}', {}", facts.bound_to, state);
  if (why.until) why.text += fmt::format("; others may take it from {}", to_rfc3339(*why.until));
  return true;
}

bool workers_draining(const WaitFacts& facts, Why& why) {
  if (facts.able_free != 0 || facts.able.empty()) return false;
  const auto is_draining = [](const WaitFacts::AbleWorker& worker) { return worker.state == WorkerState::draining; };
  if (!std::all_of(facts.able.begin(), facts.able.end(), is_draining)) return false;
  why.code = WhyCode::workers_draining;
  why.workers = able_names(facts);
  why.text = fmt::format(
      "{} able, and draining: {}", facts.able_count == 1 ? "one worker is" : fmt::format("{} workers are", facts.able_count),
      names(facts.able,
            [](const WaitFacts::AbleWorker& worker) { return fmt::format("'{}'{}", worker.id.text(), drain_suffix(worker)); }));
  return true;
}

bool workers_full(const WaitFacts& facts, Why& why) {
  if (facts.able_free != 0 || facts.able_count == 0) return false;
  why.code = WhyCode::workers_full;
  why.workers = able_names(facts);
  why.text = fmt::format("{} able, with no free slot: {}",
                         facts.able_count == 1 ? "one worker is" : fmt::format("{} workers are", facts.able_count),
                         names(facts.able, [](const WaitFacts::AbleWorker& worker) {
                           return fmt::format("'{}' {}/{}", worker.id.text(), worker.running, worker.slots);
                         }));
  return true;
}

bool next_in_line(const WaitFacts& facts, Why& why) {
  why.code = WhyCode::next_in_line;
  why.workers = able_names(facts);
  if (facts.ahead == 0)
    why.text = "it is next in line and an able worker is free; its next claim takes it";
  else
    why.text = fmt::format("an able worker is free, and {} {} of its lane before it", facts.ahead,
                           facts.ahead == 1 ? "job is" : "jobs are");
  return true;
}

constexpr Rule kRules[] = {finished,     running,         waiting_for_jobs,  parked,          waiting_until, paused,
                           no_worker,    asked_elsewhere, no_capable_worker, concurrency_key, queue_full,    type_full,
                           rate_limited, held_for_worker, workers_draining,  workers_full,    next_in_line};

}  // namespace

Why explain(const WaitFacts& facts) {
  Why why;
  why.id = facts.job.id;
  why.state = facts.job.state;
  why.ahead = facts.ahead;
  for (const Rule rule : kRules)
    if (rule(facts, why)) return why;
  unreachable();
}

std::string_view to_string(WhyCode code) {
  switch (code) {
    case WhyCode::running: return "running";
    case WhyCode::finished: return "finished";
    case WhyCode::waiting_until: return "waiting_until";
    case WhyCode::waiting_for_jobs: return "waiting_for_jobs";
    case WhyCode::paused: return "paused";
    case WhyCode::no_capable_worker: return "no_capable_worker";
    case WhyCode::no_worker: return "no_worker";
    case WhyCode::workers_draining: return "workers_draining";
    case WhyCode::workers_full: return "workers_full";
    case WhyCode::held_for_worker: return "held_for_worker";
    case WhyCode::concurrency_key: return "concurrency_key";
    case WhyCode::queue_full: return "queue_full";
    case WhyCode::type_full: return "type_full";
    case WhyCode::rate_limited: return "rate_limited";
    case WhyCode::next_in_line: return "next_in_line";
  }
  unreachable();
}

}  // namespace muster::engine
