// Contract: a random walk. Goal: find sequences of verbs nobody thought of. Method: seeded random verbs against the store and
// against a small model of what it should hold; every answer is compared, and every few steps everything is.
//
// What the model leaves open (which of two jobs of equal rank goes first) is taken over from the store after checking that the
// choice was legal.
#include <map>
#include <random>

#include "store/contract/contract.h"
#include "store/contract/recorder.h"
#include "store/contract/walk_model.h"

namespace muster::store::contract {
namespace {

constexpr std::uint64_t kSeeds = 20;
constexpr int kSteps = 300;
constexpr int kAuditEvery = 25;
constexpr Duration kLease = 30s;

class Walk {
 public:
  Walk(Harness& harness, std::uint64_t seed) : harness_(harness), client_(harness), random_(seed) { harness_.listen(&recorder_); }

  void run() {
    for (const auto& [offers, slots] :
         std::vector<std::pair<std::vector<std::string>, std::uint32_t>>{{{}, 2}, {{"tool:a"}, 3}, {{"tool:a", "tool:b"}, 4}}) {
      workers_.push_back({fmt::format("w{}", workers_.size()), CapabilitySet(offers), slots});
      join(workers_.back());
    }
    for (step_ = 0; step_ < kSteps && !::testing::Test::HasFailure(); ++step_) {
      one_step();
      if (step_ % kAuditEvery == 0) audit();
    }
    audit();
  }

  int step() const { return step_; }

 private:
  std::size_t pick(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }
  bool chance(int percent) { return pick(100) < static_cast<std::size_t>(percent); }

  void one_step() {
    const std::size_t dice = pick(100);
    if (dice < 22)
      enqueue();
    else if (dice < 46)
      claim();
    else if (dice < 73)
      settle();
    else if (dice < 78)
      renew();
    else if (dice < 83)
      cancel();
    else if (dice < 87)
      redrive();
    else if (dice < 95)
      pass_time();
    else if (dice < 96)
      rejoin();
    else if (dice < 98)
      change_queue();
    else
      reopen(dice < 99);
  }

  void join(const ModelWorker& worker) {
    must(client_.register_worker(a_worker(worker.id, [&](WorkerSpec& w) {
      w.capabilities = worker.offers;
      w.slots = worker.slots;
      w.policy = HeartbeatPolicy{10min, 24h * 300};  // silence is not part of this walk
    })));
  }

  void rejoin() {
    const ModelWorker& worker = workers_[pick(workers_.size())];
    if (chance(50)) {
      must(client_.unregister({kDefault, WorkerId(worker.id), std::nullopt}));
      for (auto& [id, job] : model_.jobs)
        if (job.state == JobState::running && job.worker == worker.id) job.hand_back();
    }
    join(worker);
    for (auto& [id, job] : model_.jobs)
      if (job.state == JobState::running && job.worker == worker.id) job.lose();
  }

  void change_queue() {
    QueueChange change;
    change.queue = kQueue;
    if (chance(50))
      change.paused = model_.paused = !model_.paused && chance(50);
    else
      change.running_max = model_.running_max = static_cast<std::uint32_t>(pick(6));  // 0: none
    must(client_.change_queue(change));
  }

  void reopen(bool cleanly) {
    openings_ += fmt::format("; {} at step {}", cleanly ? "restart" : "crash", step_);
    must(cleanly ? harness_.restart() : harness_.crash());
    // A store may give leases more time when it opens, never less.
    for (auto& [id, job] : model_.jobs) {
      if (job.state != JobState::running) continue;
      const Job seen = must(client_.get_job(id));
      ASSERT_TRUE(seen.lease_expires_at);
      EXPECT_GE(*seen.lease_expires_at, job.lease_expires_at);
      job.lease_expires_at = *seen.lease_expires_at;
    }
  }

  void enqueue() {
    std::vector<JobSpec> batch(1 + pick(4), a_job());
    for (JobSpec& spec : batch) {
      const std::size_t needs = pick(4);
      if (needs == 1) spec.needs = CapabilitySet({"tool:a"});
      if (needs == 2) spec.needs = CapabilitySet({"tool:a", "tool:b"});
      spec.type = JobType(fmt::format("t{}", pick(3)));
      spec.priority = static_cast<std::int32_t>(pick(3)) - 1;
      if (chance(25)) spec.delay = Duration(pick(20'000));
      if (chance(20)) {
        const std::string key = fmt::format("k{}", pick(2));
        spec.concurrency = ConcurrencyKey{key, Model::limit_of(key)};
      }
      spec.lease_ttl = kLease;
      spec.retry.attempts_max = ModelJob::kAttemptsMax;
      spec.retry.backoff_base = ModelJob::kBackoff;
      spec.rescues_max = ModelJob::kRescuesMax;
    }
    const std::vector<Enqueued> made = must(client_.enqueue(batch));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      ModelJob job;
      job.id = made[i].id;
      job.needs = batch[i].needs;
      job.key = batch[i].concurrency ? batch[i].concurrency->key : "";
      job.priority = batch[i].priority;
      job.due = harness_.now() + batch[i].delay;
      job.state = batch[i].delay > 0ms ? JobState::scheduled : JobState::ready;
      EXPECT_EQ(made[i].state, job.state);
      model_.order.push_back(job.id);
      EXPECT_TRUE(model_.jobs.emplace(job.id, job).second) << "an id was given twice";
    }
  }

  // For people who read a failure.
  std::string waiting_list(const ModelWorker& worker) {
    recorder_.catch_up(client_);
    std::string text;
    for (const auto& [id, job] : model_.jobs) {
      if (!model_.eligible(job, worker)) continue;
      std::string events = history_[id];
      for (const JobChange& change : recorder_.of(id)) events += fmt::format(" {}", to_string(change.event));
      text += fmt::format("\n  {} rank {} key '{}' failures {} rescues {}:{}", id.text(), job.rank(), job.key, job.failures,
                          job.rescues, events);
    }
    return text + openings_;
  }

  void claim() {
    const ModelWorker& worker = workers_[pick(workers_.size())];
    const std::size_t limit = 1 + pick(4);
    ClaimRequest request;
    request.ns = kDefault;
    request.worker = WorkerId(worker.id);
    request.limit = limit;
    const ClaimReply reply = must(client_.claim(request));
    EXPECT_LE(reply.grants.size(), limit);
    for (const Grant& grant : reply.grants) {
      ASSERT_TRUE(model_.jobs.contains(grant.id));
      ModelJob& job = model_.jobs.at(grant.id);
      ASSERT_TRUE(model_.eligible(job, worker)) << "granted a job in state " << to_string(job.state);
      EXPECT_EQ(job.rank(), *model_.best(worker)) << "a better job was waiting for " << worker.id << waiting_list(worker);
      EXPECT_LT(model_.running_on(worker.id), worker.slots);
      EXPECT_EQ(grant.attempt, job.failures + 1);
      EXPECT_GT(to_number(grant.fence), last_fence_) << "fences grow";
      EXPECT_EQ(grant.lease_expires_at, harness_.now() + kLease);
      last_fence_ = to_number(grant.fence);
      job.state = JobState::running;
      job.worker = worker.id;
      job.fence = grant.fence;
      job.lease_expires_at = grant.lease_expires_at;
    }
    const bool room = reply.grants.size() < limit && model_.running_on(worker.id) < worker.slots;
    EXPECT_FALSE(room && model_.best(worker)) << "work was left lying";
    EXPECT_EQ(reply.block == ClaimBlock::no_slots, reply.grants.empty() && model_.running_on(worker.id) == worker.slots);
  }

  ModelJob* any(std::initializer_list<JobState> states) {
    std::vector<ModelJob*> found;
    for (const JobId& id : model_.order)
      if (std::find(states.begin(), states.end(), model_.jobs.at(id).state) != states.end()) found.push_back(&model_.jobs.at(id));
    return found.empty() ? nullptr : found[pick(found.size())];
  }
  ModelJob* any_at_all() { return model_.order.empty() ? nullptr : &model_.jobs.at(model_.order[pick(model_.order.size())]); }

  void settle() {
    ModelJob* job = any({JobState::running});
    if (job == nullptr) return;
    const bool stale = chance(10);
    const LeaseRef lease{job->id, stale ? Fence{to_number(job->fence) - 1} : job->fence};
    const bool good = model_.lease_is_good(*job, lease.fence, harness_.now());
    const std::size_t kind = pick(10);
    const bool retryable = kind != 7;
    const Result<Settled> answer = kind < 5   ? client_.complete({lease, std::nullopt})
                                   : kind < 8 ? client_.fail({lease, {"boom", ""}, retryable, std::nullopt})
                                   : kind < 9 ? client_.snooze({lease, 7s})
                                              : client_.release({lease, ""});
    if (!good) {
      EXPECT_EQ(answer.code(), Code::lease_lost);
      return;
    }
    ASSERT_TRUE(answer.ok()) << answer.status().text();
    if (kind < 5)
      job->complete();
    else if (kind < 8)
      job->fail(harness_.now(), retryable);
    else if (kind < 9)
      job->put_off(harness_.now() + 7s);
    else
      job->hand_back();
    EXPECT_EQ(answer->state, job->state);
  }

  void renew() {
    ModelJob* job = any({JobState::running});
    if (job == nullptr) return;
    const bool good = model_.lease_is_good(*job, job->fence, harness_.now());
    const auto answer = client_.renew({{job->id, job->fence}, std::nullopt});
    EXPECT_EQ(answer.ok(), good);
    if (!answer.ok()) return;
    EXPECT_EQ(answer->cancel_requested, job->cancel_requested);
    job->lease_expires_at = harness_.now() + kLease;
    EXPECT_EQ(answer->expires_at, job->lease_expires_at);
  }

  void cancel() {
    ModelJob* job = any_at_all();
    if (job == nullptr) return;
    const auto answer = client_.cancel({job->id, "walk"});
    EXPECT_EQ(answer.code() == Code::conflict, is_finished(job->state));
    if (!answer.ok()) return;
    if (job->state == JobState::running)
      job->cancel_requested = true;
    else
      job->state = JobState::cancelled;
    EXPECT_EQ(answer->state, job->state);
  }

  void redrive() {
    ModelJob* job = chance(70) ? any({JobState::dead, JobState::cancelled}) : any_at_all();
    if (job == nullptr) return;
    const bool may = job->state == JobState::dead || job->state == JobState::cancelled;
    const auto answer = client_.redrive(job->id);
    EXPECT_EQ(answer.code(), may ? Code::ok : Code::conflict);
    if (!may) return;
    job->start_over(harness_.now());
  }

  void pass_time() {
    harness_.advance(Duration(pick(25'000)));
    const Instant now = harness_.now();
    must(client_.sweep(&Store::promote_due, kSweepLimit));
    for (auto& [id, job] : model_.jobs)
      if (job.state == JobState::scheduled && job.due <= now) job.state = JobState::ready;
    if (chance(20)) return;  // leases that are over and not yet swept are refused all the same
    must(client_.sweep(&Store::expire_leases, kSweepLimit));
    for (auto& [id, job] : model_.jobs)
      if (job.state == JobState::running && job.lease_expires_at <= now) job.lose();
  }

  void audit() {
    std::map<JobState, std::uint64_t> counts;
    const Each<Job> found = must(client_.get_jobs(model_.order));
    for (std::size_t i = 0; i < model_.order.size(); ++i) {
      const ModelJob& expected = model_.jobs.at(model_.order[i]);
      ASSERT_TRUE(found[i].ok());
      const Job& seen = *found[i];
      ++counts[expected.state];
      ASSERT_EQ(seen.state, expected.state) << seen.id.text();
      EXPECT_TRUE(expected.state != JobState::scheduled || seen.run_at == expected.due);
      EXPECT_EQ(expected.state == JobState::dead && seen.error && seen.error->kind == kErrorRescueFailed, expected.given_up);
      if (expected.state != JobState::running) continue;
      EXPECT_EQ(seen.worker.text(), expected.worker);
      EXPECT_EQ(seen.fence, expected.fence);
      EXPECT_EQ(seen.lease_expires_at, expected.lease_expires_at);
      EXPECT_EQ(seen.cancel_requested, expected.cancel_requested);
      EXPECT_EQ(seen.rescues, expected.rescues);
    }
    for (const ModelWorker& worker : workers_)
      EXPECT_EQ(must(client_.get_worker(kDefault, WorkerId(worker.id))).running, model_.running_on(worker.id));
    for (const QueueStats& stats : must(client_.list_queues(kDefault))) {
      if (stats.queue != kQueue) continue;
      EXPECT_EQ(stats.scheduled, counts[JobState::scheduled]);
      EXPECT_EQ(stats.ready, counts[JobState::ready]);
      EXPECT_EQ(stats.running, counts[JobState::running]);
    }
    const StoreInfo info = must(client_.info());
    EXPECT_EQ(info.jobs_live, counts[JobState::scheduled] + counts[JobState::ready] + counts[JobState::running]);
    EXPECT_EQ(info.jobs_live + info.jobs_finished, model_.order.size());
    audit_listener();
  }

  // Whoever only listens ends up with the same picture, by legal moves alone.
  void audit_listener() {
    recorder_.catch_up(client_);
    const std::vector<JobChange> changes = recorder_.jobs();
    recorder_.forget();
    for (const JobChange& change : changes) {
      history_[change.id] += fmt::format(" {}", to_string(change.event));
      const auto known = told_.find(change.id);
      if (change.event == JobEvent::enqueued) {
        EXPECT_TRUE(known == told_.end()) << "told twice";
      } else {
        ASSERT_NE(known, told_.end()) << to_string(change.event) << " before it was enqueued";
        ASSERT_TRUE(change.from);
        ASSERT_EQ(*change.from, known->second) << history_[change.id] << openings_;
        EXPECT_EQ(next(*change.from, change.event), change.to);
      }
      told_[change.id] = change.to;
    }
    for (const auto& [id, job] : model_.jobs) EXPECT_EQ(told_[id], job.state);
  }

  Harness& harness_;
  Client client_;
  std::mt19937_64 random_;
  Recorder recorder_;
  std::vector<ModelWorker> workers_;
  Model model_;
  std::map<JobId, JobState> told_;
  std::map<JobId, std::string> history_;  // for people who read a failure
  std::string openings_;
  std::uint64_t last_fence_ = 0;
  int step_ = 0;
};

class WalkContract : public StoreContract {};

TEST_P(WalkContract, RandomVerbsLeaveWhatTheModelSays) {
  // The same seeds every time, unless --gtest_shuffle asks for others; a failure names its seed.
  const std::uint64_t first = 1 + kSeeds * static_cast<std::uint64_t>(::testing::UnitTest::GetInstance()->random_seed());
  for (std::uint64_t seed = first; seed < first + kSeeds && !HasFailure(); ++seed) {
    const auto harness = must(GetParam().make());
    Walk walk(*harness, seed);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    try {
      walk.run();
    } catch (const std::exception& failure) {
      ADD_FAILURE() << failure.what();
    }
    if (HasFailure()) ADD_FAILURE() << "seed " << seed << ", step " << walk.step();
    EXPECT_TRUE(harness->store().close().ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, WalkContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
