#include "fronts/http/memory_store_testing.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::http {
namespace {

using namespace std::chrono_literals;
using store::Settled;

LaneRef lane_of(const JobSpec& spec) { return std::make_shared<const Lane>(Lane{spec.ns, spec.queue, spec.type, spec.needs}); }

Settled settled(const Job& job) { return {.id = job.id, .state = job.state, .attempt = job.attempt, .run_at = std::nullopt}; }

}  // namespace

MemoryStore::MemoryStore(const Clock& clock) : clock_(clock), thread_([this] { work_loop(); }) {
  namespaces_[kDefaultNamespace] = {.name = NamespaceName(kDefaultNamespace), .created_at = clock.now(), .description = ""};
}

MemoryStore::~MemoryStore() { (void)close().ok(); }

Status MemoryStore::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    held_ = false;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  return {};
}

void MemoryStore::work_loop() {
  for (;;) {
    UniqueFunction<void()> work;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closed_ || (!held_ && !queue_.empty()); });
      if (queue_.empty()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    work();
  }
}

void MemoryStore::queue(UniqueFunction<void()> work) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(work));
  changed_.notify_all();
}

void MemoryStore::hold() {
  const std::lock_guard lock(mutex_);
  held_ = true;
}

std::size_t MemoryStore::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void MemoryStore::release_held() {
  const std::lock_guard lock(mutex_);
  held_ = false;
  changed_.notify_all();
}

void MemoryStore::set_failure(std::optional<Status> failure) {
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
}

void MemoryStore::set_health(store::StoreHealth health) {
  const std::lock_guard lock(mutex_);
  health_ = std::move(health);
}

store::StoreHealth MemoryStore::health() const {
  const std::lock_guard lock(mutex_);
  return health_;
}

std::vector<store::Release> MemoryStore::releases() const {
  const std::lock_guard lock(mutex_);
  return releases_;
}

void MemoryStore::tell() {
  if (listener_ != nullptr && (!job_changes_.empty() || !worker_changes_.empty() || !queue_changes_.empty() || !wakes_.empty()))
    listener_->committed({.jobs = job_changes_, .workers = worker_changes_, .queues = queue_changes_, .wakes = wakes_});
  job_changes_.clear();
  worker_changes_.clear();
  queue_changes_.clear();
  wakes_.clear();
}

Result<Job*> MemoryStore::find(JobId id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return Status::not_found(fmt::format("job {} does not exist", id.text()));
  return &found->second;
}

Result<Job*> MemoryStore::held(const LeaseRef& lease) {
  auto job = find(lease.job);
  if (job.ok() && ((*job)->state != JobState::running || (*job)->fence != lease.fence))
    return Status::lease_lost(fmt::format("fence {} of job {} is stale", to_number(lease.fence), lease.job.text()));
  return job;
}

void MemoryStore::move(Job& job, JobState to, JobEvent event, std::string cause) {
  job_changes_.push_back({.id = job.id,
                          .lane = lane_of(job.spec),
                          .from = event == JobEvent::enqueued ? std::nullopt : std::optional(job.state),
                          .to = to,
                          .event = event,
                          .attempt = job.attempt,
                          .fence = job.fence,
                          .worker = job.worker,
                          .at = clock_.now(),
                          .cause = std::move(cause)});
  job.state = to;
  if (to != JobState::ready) return;
  ready_.push_back(job.id);
  wakes_.push_back(lane_of(job.spec));
}

QueueStats& MemoryStore::queue_of(const NamespaceName& ns, const QueueName& name) {
  QueueStats& stats = queues_[ns.text() + "/" + name.text()];
  stats.ns = ns;
  stats.queue = name;
  return stats;
}

void MemoryStore::enqueue(std::vector<JobSpec> specs, Reply<std::vector<store::Enqueued>> reply) {
  run<std::vector<store::Enqueued>>(
      std::move(reply), [this, specs = std::move(specs)]() mutable -> Result<std::vector<store::Enqueued>> {
        std::vector<store::Enqueued> made;
        for (JobSpec& spec : specs) {
          if (!namespaces_.contains(spec.ns.text())) return Status::not_found("no such namespace");
          if (const auto same = keys_.find(spec.idempotency_key); same != keys_.end()) {
            made.push_back({.id = same->second, .state = jobs_.at(same->second).state, .existed = true});
            continue;
          }
          Job job;
          job.id = JobId{Uuid{.high = 0x0190'0000'0000'7000, .low = 0x8000'0000'0000'0000 | next_job_++}};
          job.spec = std::move(spec);
          job.created_at = clock_.now();
          const bool later = job.spec.delay > 0ms || job.spec.run_at;
          Job& stored = jobs_.emplace(job.id, std::move(job)).first->second;
          if (!stored.spec.idempotency_key.empty()) keys_[stored.spec.idempotency_key] = stored.id;
          queue_of(stored.spec.ns, stored.spec.queue).enqueued_total += 1;
          move(stored, later ? JobState::scheduled : JobState::ready, JobEvent::enqueued);
          made.push_back({.id = stored.id, .state = stored.state});
        }
        return made;
      });
}

void MemoryStore::claim(store::ClaimRequest request, Reply<store::ClaimReply> reply) {
  run<store::ClaimReply>(std::move(reply), [this, request = std::move(request)]() -> Result<store::ClaimReply> {
    const auto worker = workers_.find(request.worker.text());
    if (worker == workers_.end()) return Status::not_found(fmt::format("worker \"{}\" is not registered", request.worker.text()));
    store::ClaimReply out;
    out.offer = std::make_shared<const Offer>(Offer{request.ns, request.queues, offered(worker->second.spec)});
    while (out.grants.size() < request.limit && !ready_.empty()) {
      Job& job = jobs_.at(ready_.front());
      ready_.pop_front();
      if (job.state != JobState::ready) continue;
      job.fence = Fence{next_fence_++};
      job.worker = request.worker;
      job.attempt += 1;
      job.lease_expires_at = clock_.now() + 30s;
      move(job, JobState::running, JobEvent::claimed);
      out.grants.push_back({.id = job.id,
                            .ns = job.spec.ns,
                            .queue = job.spec.queue,
                            .type = job.spec.type,
                            .payload = job.spec.payload,
                            .labels = job.spec.labels,
                            .attempt = job.attempt,
                            .attempts_max = job.spec.retry.attempts_max,
                            .priority = job.spec.priority,
                            .fence = job.fence,
                            .lease_expires_at = *job.lease_expires_at,
                            .times_out_at = {},
                            .partial = {},
                            .correlation = job.spec.correlation});
    }
    return out;
  });
}

void MemoryStore::complete(std::vector<store::Completion> batch, Reply<store::Each<Settled>> reply) {
  run_each<store::Completion, Settled>(std::move(batch), std::move(reply), [this](store::Completion& each) -> Result<Settled> {
    auto job = held(each.lease);
    if (!job.ok()) return job.status();
    (*job)->result = std::move(each.result);
    move(**job, JobState::completed, JobEvent::completed);
    return settled(**job);
  });
}

void MemoryStore::fail(std::vector<store::Failure> batch, Reply<store::Each<Settled>> reply) {
  run_each<store::Failure, Settled>(std::move(batch), std::move(reply), [this](store::Failure& each) -> Result<Settled> {
    auto job = held(each.lease);
    if (!job.ok()) return job.status();
    (*job)->error = each.error;
    move(**job, JobState::dead, JobEvent::exhausted, each.error.kind);
    return settled(**job);
  });
}

void MemoryStore::snooze(std::vector<store::Snooze> batch, Reply<store::Each<Settled>> reply) {
  run_each<store::Snooze, Settled>(std::move(batch), std::move(reply), [this](store::Snooze& each) -> Result<Settled> {
    auto job = held(each.lease);
    if (!job.ok()) return job.status();
    move(**job, JobState::scheduled, JobEvent::snoozed);
    return settled(**job);
  });
}

void MemoryStore::release(std::vector<store::Release> batch, Reply<store::Each<Settled>> reply) {
  {
    const std::lock_guard lock(mutex_);
    releases_.insert(releases_.end(), batch.begin(), batch.end());
  }
  run_each<store::Release, Settled>(std::move(batch), std::move(reply), [this](store::Release& each) -> Result<Settled> {
    auto job = held(each.lease);
    if (!job.ok()) return job.status();
    (*job)->attempt -= 1;
    move(**job, JobState::ready, JobEvent::released);
    return settled(**job);
  });
}

void MemoryStore::report_progress(std::vector<store::ProgressUpdate> batch, Reply<store::Each<store::Renewed>> reply) {
  run_each<store::ProgressUpdate, store::Renewed>(
      std::move(batch), std::move(reply), [this](store::ProgressUpdate& each) -> Result<store::Renewed> {
        auto job = held(each.lease);
        if (!job.ok()) return job.status();
        (*job)->progress =
            Progress{.fraction = each.fraction, .message = each.message, .partial = each.partial, .at = clock_.now()};
        return store::Renewed{.expires_at = clock_.now() + 30s, .cancel_requested = (*job)->cancel_requested};
      });
}

void MemoryStore::renew(std::vector<store::Renewal> batch, Reply<store::Each<store::Renewed>> reply) {
  run_each<store::Renewal, store::Renewed>(
      std::move(batch), std::move(reply), [this](store::Renewal& each) -> Result<store::Renewed> {
        auto job = held(each.lease);
        if (!job.ok()) return job.status();
        return store::Renewed{.expires_at = clock_.now() + each.ttl.value_or(30s), .cancel_requested = (*job)->cancel_requested};
      });
}

void MemoryStore::cancel(std::vector<store::Cancel> batch, Reply<store::Each<store::Cancelled>> reply) {
  run_each<store::Cancel, store::Cancelled>(std::move(batch), std::move(reply),
                                            [this](store::Cancel& each) -> Result<store::Cancelled> {
                                              auto job = find(each.job);
                                              if (!job.ok()) return job.status();
                                              if (is_finished((*job)->state)) return Status::conflict("the job is finished");
                                              if ((*job)->state == JobState::running)
                                                (*job)->cancel_requested = true;
                                              else
                                                move(**job, JobState::cancelled, JobEvent::cancelled, each.reason);
                                              return store::Cancelled{.id = each.job, .state = (*job)->state};
                                            });
}

void MemoryStore::redrive(std::vector<JobId> batch, Reply<store::Each<Settled>> reply) {
  run_each<JobId, Settled>(std::move(batch), std::move(reply), [this](JobId& each) -> Result<Settled> {
    auto job = find(each);
    if (!job.ok()) return job.status();
    if ((*job)->state != JobState::dead && (*job)->state != JobState::cancelled)
      return Status::conflict("the job is not dead or cancelled");
    (*job)->attempt = 0;
    move(**job, JobState::ready, JobEvent::redriven);
    return settled(**job);
  });
}

void MemoryStore::redrive_matching(store::RedriveFilter filter, Reply<store::Redriven> reply) {
  run<store::Redriven>(std::move(reply), [this, filter]() -> Result<store::Redriven> {
    store::Redriven out;
    for (auto& [id, job] : jobs_) {
      if (job.state != JobState::dead || out.jobs.size() == filter.limit) continue;
      move(job, JobState::ready, JobEvent::redriven);
      out.jobs.push_back(id);
    }
    return out;
  });
}

void MemoryStore::get_jobs(std::vector<JobId> batch, Reply<store::Each<Job>> reply) {
  run_each<JobId, Job>(std::move(batch), std::move(reply), [this](JobId& each) -> Result<Job> {
    auto job = find(each);
    if (!job.ok()) return job.status();
    return **job;
  });
}

void MemoryStore::list_jobs(store::JobQuery query, Reply<store::JobPage> reply) {
  run<store::JobPage>(std::move(reply), [this, query]() -> Result<store::JobPage> {
    store::JobPage page;
    const auto& states = query.filter.states;
    for (const auto& [id, job] : jobs_) {
      if (page.jobs.size() == query.limit) break;
      if (states.empty() || std::find(states.begin(), states.end(), job.state) != states.end()) page.jobs.push_back(job);
      if (!query.with_payload && !page.jobs.empty()) page.jobs.back().spec.payload = {};
    }
    return page;
  });
}

void MemoryStore::find_jobs(NamespaceName, std::vector<std::string> keys, Reply<store::Each<JobId>> reply) {
  run_each<std::string, JobId>(std::move(keys), std::move(reply), [this](const std::string& key) -> Result<JobId> {
    const auto it = keys_.find(key);
    if (it == keys_.end()) return Status::not_found("no job has this key");
    return it->second;
  });
}

void MemoryStore::explain(JobId id, Reply<store::WaitFacts> reply) {
  run<store::WaitFacts>(std::move(reply), [this, id]() -> Result<store::WaitFacts> {
    auto job = find(id);
    if (!job.ok()) return job.status();
    store::WaitFacts facts;
    facts.job = **job;
    facts.now = clock_.now();
    facts.needs = (*job)->spec.needs;
    for (const std::string& need : (*job)->spec.needs.names()) facts.missing.push_back(need);
    facts.live_workers = 1;
    return facts;
  });
}

void MemoryStore::set_listener(store::Listener* listener) {
  // Through the queue when there is a thread to serve it, so that the listener is not called after this returns.
  if (listener != nullptr) {
    listener_ = listener;
    return;
  }
  bool done = false;
  queue([&] {
    listener_ = nullptr;
    const std::lock_guard lock(mutex_);
    done = true;
    changed_.notify_all();
  });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done || (closed_ && queue_.empty()); });
}

}  // namespace muster::http
