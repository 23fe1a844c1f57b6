#include "engine/runs.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/batch.h"
#include "model/key_scope.h"
#include "model/validate.h"

namespace muster::engine {
namespace {

Status validate_step_name(std::string_view name, bool required) {
  return validate_text("step", name, {.bytes_max = limits::kStepNameBytesMax, .required = required, .one_line = true});
}

Status validate_content(std::string_view what, const std::optional<Content>& content) {
  return content ? muster::validate_content(what, *content, limits::kPayloadBytesMax) : Status();
}

Status validate_call(const store::step::Begin& call) {
  if (Status name = validate_step_name(call.step, true); !name.ok()) return name;
  return validate_content("step input", call.input);
}

Status validate_call(const store::step::Complete& call) {
  if (Status name = validate_step_name(call.step, true); !name.ok()) return name;
  return validate_content("step output", call.output);
}

Status validate_call(const store::step::Fail& call) {
  if (Status name = validate_step_name(call.step, true); !name.ok()) return name;
  if (Status delay = validate_duration("retry_after", call.retry_after, {Duration(0), limits::kDelayMax}); !delay.ok())
    return delay;
  return validate(call.error);
}

Status validate_call(const store::step::Sleep& call) {
  if (Status name = validate_step_name(call.step, false); !name.ok()) return name;
  if (call.length) return validate_duration("sleep", *call.length, {Duration(0), limits::kDelayMax});
  if (call.until > limits::kRunAtMax) return Status::invalid_argument("sleep until a time after the year 9999");
  return {};
}

Status validate_call(const store::step::AwaitSignal& call) {
  if (Status name = validate_step_name(call.step, true); !name.ok()) return name;
  if (call.wait)
    if (Status wait = validate_duration("wait", *call.wait, {Duration(0), limits::kDelayMax}); !wait.ok()) return wait;
  return validate_text("signal", call.signal, {.bytes_max = limits::kStepNameBytesMax, .required = true, .one_line = true});
}

Status validate_call(const store::step::AwaitChild& call) { return validate_step_name(call.step, true); }

Status validate_call(const store::StepCall& call) {
  return std::visit([](const auto& one) { return validate_call(one); }, call);
}

template <class T>
Reply<store::Each<T>> only(Reply<T> reply) {
  return [reply = std::move(reply)](Result<store::Each<T>> answers) mutable {
    if (!answers.ok()) return reply(answers.status());
    reply(std::move(answers->front()));
  };
}

// The key ends in the external id it holds; what a front puts in front of it stays.
void rename(UniqueKey& unique, std::string_view from, std::string_view to) {
  const bool ends = !from.empty() && unique.key.ends_with(from);
  unique.key = (ends ? unique.key.substr(0, unique.key.size() - from.size()) : std::string()).append(to);
}

// Asked before the lease that is current is ended in the name of a caller that cannot name it. The store asks for bounds once
// more.
Status may_settle(const Job& job, const LeaseBounds* bounds) {
  if (Status allowed = within_bounds(bounds, job.id, {job.worker, job.spec.ns}); !allowed.ok()) return allowed;
  if (job.state == JobState::running) return {};
  return Status::conflict(fmt::format("run {} is {}, not running", job.id.text(), to_string(job.state)));
}

void end(store::Store& store, store::Cancel cancel, Reply<store::Cancelled> reply);

// Children are found by the steps that wait for them. One page is far more than a run ever waits for at once.
void end_children(store::Store& store, JobId run) {
  store.list_steps({.run = run, .name = {}, .step = std::nullopt, .limit = limits::kPageMax, .cursor = {}},
                   [&store, run](const Result<store::StepPage>& page) {
                     if (!page.ok()) return;
                     for (const Step& step : page->steps)
                       if (step.child && step.state == StepState::waiting)
                         end(store,
                             {.job = *step.child,
                              .reason = fmt::format("its parent {} was ended", run.text()),
                              .at_once = true,
                              .as_dead = std::nullopt},
                             [](const Result<store::Cancelled>&) {});
                   });
}

// Over the store alone: answers may come when the engine is gone, and the store outlives it.
void end(store::Store& store, store::Cancel cancel, Reply<store::Cancelled> reply) {
  const JobId run = cancel.job;
  std::vector<store::Cancel> batch;
  batch.push_back(std::move(cancel));
  Jobs(store).cancel(std::move(batch),
                     only<store::Cancelled>([&store, run, reply = std::move(reply)](Result<store::Cancelled> ended) mutable {
                       if (ended.ok()) end_children(store, run);
                       reply(std::move(ended));
                     }));
}

}  // namespace

// Who waits for which run to finish, behind a mutex. The store tells of ends on this node; ends on another node are found by
// looking, claim_poll_every apart.
class Runs::Watch : public std::enable_shared_from_this<Runs::Watch> {
 public:
  Watch(store::Store& store, const Clock& clock, const Options& options)
      : store_(store), clock_(clock), look_every_(options.claim_poll_every), waiters_max_(options.parked_max) {}

  RunTicket await(JobId run, Duration wait, Reply<Job> reply) {
    std::uint64_t ticket = 0;
    {
      std::unique_lock lock(mutex_);
      if (waiters_.size() >= waiters_max_) {
        lock.unlock();
        reply(Status::exhausted(fmt::format("{} callers wait for runs, which is the most there may be", waiters_max_)));
        return RunTicket{0};
      }
      ticket = next_++;
      const Ticks now = clock_.elapsed();
      waiters_.emplace(ticket, Waiter{run, std::move(reply), now + std::max(wait, Duration(0)), now + look_every_, false});
      by_run_[run].insert(ticket);
    }
    look(ticket);
    return RunTicket{ticket};
  }

  void cancel(std::uint64_t ticket) {
    const std::lock_guard lock(mutex_);
    if (const auto it = waiters_.find(ticket); it != waiters_.end()) erase(it);
  }

  void committed(const store::Committed& commit) {
    std::vector<std::uint64_t> woken;
    std::vector<JobId> parents;
    {
      const std::lock_guard lock(mutex_);
      for (const JobChange& change : commit.jobs) {
        if (!is_finished(change.to)) continue;
        if (change.parent) parents.push_back(*change.parent);
        if (by_run_.empty()) continue;
        if (const auto it = by_run_.find(change.id); it != by_run_.end())
          woken.insert(woken.end(), it->second.begin(), it->second.end());
      }
    }
    if (!parents.empty()) store_.wake_runs(std::move(parents), [](const Result<store::Each<store::Settled>>&) {});
    for (const std::uint64_t ticket : woken) look(ticket);
  }

  Duration tick() {
    const Ticks now = clock_.elapsed();
    std::vector<std::uint64_t> due;
    Ticks next = kTickMax;
    {
      const std::lock_guard lock(mutex_);
      for (auto& [ticket, waiter] : waiters_) {
        const Ticks at = std::min(waiter.until, waiter.look_at);
        if (at <= now && !waiter.is_out) {
          due.push_back(ticket);
          waiter.look_at = now + look_every_;
          if (due.size() == kLooksPerTick) break;
        } else if (at > now) {
          next = std::min(next, at - now);
        }
      }
    }
    for (const std::uint64_t ticket : due) look(ticket);
    return std::chrono::ceil<Duration>(next);
  }

  void stop() {
    std::vector<std::uint64_t> all;
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      for (auto& [ticket, waiter] : waiters_)
        if (!waiter.is_out) all.push_back(ticket);
    }
    for (const std::uint64_t ticket : all) look(ticket);
  }

 private:
  static constexpr Ticks kTickMax = std::chrono::seconds(1);
  static constexpr std::size_t kLooksPerTick = 100;

  struct Waiter {
    JobId run;
    Reply<Job> reply;
    Ticks until{};
    Ticks look_at{};
    bool is_out = false;  // the store is asked
    bool again = false;   // it finished meanwhile, perhaps
  };
  using Waiters = std::map<std::uint64_t, Waiter>;

  void look(std::uint64_t ticket) {
    JobId run;
    {
      const std::lock_guard lock(mutex_);
      const auto it = waiters_.find(ticket);
      if (it == waiters_.end()) return;
      if (it->second.is_out) {
        it->second.again = true;
        return;
      }
      it->second.is_out = true;
      run = it->second.run;
    }
    store_.get_jobs({run}, [self = shared_from_this(), ticket](Result<store::Each<Job>> jobs) {
      if (!jobs.ok()) return self->answered(ticket, jobs.status());
      self->answered(ticket, std::move(jobs->front()));
    });
  }

  void answered(std::uint64_t ticket, Result<Job> job) {
    std::unique_lock lock(mutex_);
    const auto it = waiters_.find(ticket);
    if (it == waiters_.end()) return;
    Waiter& waiter = it->second;
    waiter.is_out = false;
    const bool over = stopped_ || waiter.until <= clock_.elapsed();
    if (job.ok() && !is_finished(job->state) && !over) {
      if (std::exchange(waiter.again, false)) {
        lock.unlock();
        look(ticket);
      }
      return;
    }
    Reply<Job> reply = std::move(waiter.reply);
    erase(it);
    lock.unlock();
    reply(std::move(job));
  }

  void erase(Waiters::iterator it) {
    const auto line = by_run_.find(it->second.run);
    line->second.erase(it->first);
    if (line->second.empty()) by_run_.erase(line);
    waiters_.erase(it);
  }

  store::Store& store_;
  const Clock& clock_;
  const Duration look_every_;
  const std::size_t waiters_max_;
  std::mutex mutex_;  // leaf; guards what follows
  Waiters waiters_;
  std::map<JobId, std::set<std::uint64_t>> by_run_;
  std::uint64_t next_ = 1;
  bool stopped_ = false;
};

Runs::Runs(store::Store& store, Jobs& jobs, const Clock& clock, const Options& options)
    : watch_(std::make_shared<Watch>(store, clock, options)), store_(store), jobs_(jobs) {}
Runs::~Runs() = default;

void Runs::steps(std::vector<store::StepCall> calls, Reply<store::Each<store::StepAnswer>> reply) {
  if (Status status = validate_batch("calls", calls.size(), limits::kSettleBatchMax); !status.ok()) return reply(status);
  forward_valid<store::StepAnswer>(
      std::move(calls), [](const store::StepCall& call) { return validate_call(call); },
      [this](auto valid, auto done) { store_.run_steps(std::move(valid), std::move(done)); }, std::move(reply));
}

void Runs::step(store::StepCall call, Reply<store::StepAnswer> reply) {
  if (Status valid = validate_call(call); !valid.ok()) return reply(std::move(valid));
  std::vector<store::StepCall> calls;
  calls.push_back(std::move(call));
  store_.run_steps(std::move(calls), only<store::StepAnswer>(std::move(reply)));
}

void Runs::list_steps(store::StepQuery query, Reply<store::StepPage> reply) {
  if (query.limit == 0 || query.limit > limits::kPageMax)
    return reply(Status::invalid_argument(fmt::format("limit {} is not within 1 to {}", query.limit, limits::kPageMax)));
  if (query.run.has_value() == query.step.has_value()) return reply(Status::invalid_argument("name a run or a step attempt"));
  store_.list_steps(std::move(query), std::move(reply));
}

void Runs::signal(store::Signal signal, Reply<store::Signalled> reply) {
  if (Status name =
          validate_text("signal", signal.name, {.bytes_max = limits::kStepNameBytesMax, .required = true, .one_line = true});
      !name.ok())
    return reply(std::move(name));
  if (Status data = muster::validate_content("signal data", signal.data, limits::kPayloadBytesMax); !data.ok())
    return reply(std::move(data));
  std::vector<store::Signal> signals;
  signals.push_back(std::move(signal));
  store_.signal_runs(std::move(signals), only<store::Signalled>(std::move(reply)));
}

void Runs::complete(store::RunRef run, Content output, Reply<store::Settled> reply) {
  if (run.fence)
    return jobs_.complete({{{run.run, *run.fence, run.bounds}, std::move(output)}}, only<store::Settled>(std::move(reply)));
  jobs_.get({run.run}, [jobs = jobs_, bounds = run.bounds, output = std::move(output),
                        reply = std::move(reply)](Result<store::Each<Job>> found) mutable {
    if (!found.ok()) return reply(found.status());
    const Result<Job>& job = found->front();
    if (!job.ok()) return reply(job.status());
    if (Status held = may_settle(*job, bounds.get()); !held.ok()) return reply(std::move(held));
    jobs.complete({{{job->id, job->fence, std::move(bounds)}, std::move(output)}}, only<store::Settled>(std::move(reply)));
  });
}

void Runs::fail(store::RunRef run, JobError error, Reply<store::Settled> reply) {
  const auto failure = [](LeaseRef lease, JobError why) {
    return store::Failure{.lease = lease, .error = std::move(why), .retryable = false, .delay = std::nullopt};
  };
  if (run.fence)
    return jobs_.fail({failure({run.run, *run.fence, run.bounds}, std::move(error))}, only<store::Settled>(std::move(reply)));
  jobs_.get({run.run}, [jobs = jobs_, failure, bounds = run.bounds, error = std::move(error),
                        reply = std::move(reply)](Result<store::Each<Job>> found) mutable {
    if (!found.ok()) return reply(found.status());
    const Result<Job>& job = found->front();
    if (!job.ok()) return reply(job.status());
    if (Status held = may_settle(*job, bounds.get()); !held.ok()) return reply(std::move(held));
    jobs.fail({failure({job->id, job->fence, std::move(bounds)}, std::move(error))}, only<store::Settled>(std::move(reply)));
  });
}

void Runs::cancel(JobId run, std::string reason, Reply<store::Cancelled> reply) {
  end(store_, {.job = run, .reason = std::move(reason), .at_once = true, .as_dead = std::nullopt}, std::move(reply));
}

void Runs::terminate(JobId run, std::string reason, Reply<store::Cancelled> reply) {
  JobError error{kErrorTerminated, reason.empty() ? "terminated by an operator" : reason};
  end(store_, {.job = run, .reason = std::move(reason), .at_once = true, .as_dead = std::move(error)}, std::move(reply));
}

void Runs::start_again(JobId run, NewNames names, Reply<store::Enqueued> reply) {
  jobs_.get({run}, [jobs = jobs_, names = std::move(names), reply = std::move(reply)](Result<store::Each<Job>> found) mutable {
    if (!found.ok()) return reply(found.status());
    Result<Job>& job = found->front();
    if (!job.ok()) return reply(job.status());
    if (!job->spec.run) return reply(Status::conflict(fmt::format("job {} is not a workflow run", job->id.text())));
    if (!is_finished(job->state))
      return reply(Status::conflict(
          fmt::format("run {} is {}; only finished runs can be started again", job->id.text(), to_string(job->state))));
    JobSpec spec = std::move(job->spec);
    spec.idempotency_key.clear();
    spec.run_at.reset();
    spec.delay = Duration(0);
    spec.after.clear();
    spec.deadline.reset();
    if (spec.unique)
      rename(*spec.unique, spec.run->external_id, names.external_id);
    else if (!names.external_id.empty() && names.external_id != spec.run->external_id)
      spec.unique = UniqueKey{.key = kKagziKeys + names.external_id, .during = UniqueWhile::unfinished};
    spec.run->external_id = std::move(names.external_id);
    if (!names.correlation.empty()) spec.correlation = std::move(names.correlation);
    spec.run->parent.reset();
    std::vector<JobSpec> specs;
    specs.push_back(std::move(spec));
    jobs.enqueue(std::move(specs), [reply = std::move(reply)](Result<std::vector<store::Enqueued>> enqueued) mutable {
      if (!enqueued.ok()) return reply(enqueued.status());
      reply(enqueued->front());
    });
  });
}

RunTicket Runs::await_end(JobId run, Duration wait, Reply<Job> reply) { return watch_->await(run, wait, std::move(reply)); }
void Runs::cancel_wait(RunTicket ticket) { watch_->cancel(static_cast<std::uint64_t>(ticket)); }
void Runs::committed(const store::Committed& commit) { watch_->committed(commit); }
Duration Runs::tick() { return watch_->tick(); }
void Runs::stop() { watch_->stop(); }

}  // namespace muster::engine
