// What a job held or waited for beyond its row, given up or handed on: keys, turns, dependencies.
#include <algorithm>
#include <set>

#include "store/postgres/moves.h"
#include "store/postgres/node.h"

namespace muster::store::postgres {
namespace {

const Sql kJobsGates{"jobs_gates"};
const Sql kJobsLockWaiting{"jobs_lock_waiting"};
const Sql kJobsLockRunning{"jobs_lock_running"};
const Sql kWishesRead{"wishes_read"};
const Sql kWishesPending{"wishes_pending"};
const Sql kWishesDelete{"wishes_delete"};
const Sql kHoldersDelete{"holders_delete"};
const Sql kParkedPut{"parked_put"};
const Sql kParkedDelete{"parked_delete"};
const Sql kKeyFreed{"key_freed"};
const Sql kUniqueRelease{"unique_release"};
const Sql kUniqueTake{"unique_put"};
const Sql kFairDone{"fair_done"};
const Sql kFairForget{"fair_forget"};
const Sql kDependenciesTake{"dependencies_take"};
const Sql kDependenciesDelete{"dependencies_delete"};

LiveJob waiting_job(const Rows& rows, std::size_t i) {
  LiveJob job;
  job.key = rows.integer(i, 0);
  job.place = static_cast<Place>(rows.integer(i, 1));
  job.lane = static_cast<LaneKey>(rows.integer(i, 2));
  job.stand = static_cast<LaneKey>(rows.integer(i, 3));
  job.rank = rows.integer(i, 4);
  job.run_at = rows.maybe(i, 5);
  job.expires_at = rows.maybe(i, 6);
  job.started_at = rows.maybe(i, 7);
  job.attempt = static_cast<std::uint32_t>(rows.integer(i, 8));
  job.rescues = static_cast<std::uint32_t>(rows.integer(i, 9));
  job.fence = rows.integer(i, 10);
  job.worker = static_cast<WorkerKey>(rows.integer(i, 11));
  job.flags = static_cast<std::uint16_t>(rows.integer(i, 12));
  job.priority = static_cast<std::int16_t>(rows.integer(i, 13));
  job.special = rows.integer(i, 14) != 0;
  job.spec = rows.text(i, 15);
  job.attempts = rows.text(i, 16);
  job.event = static_cast<JobEvent>(rows.integer(i, 17));
  return job;
}

LiveJob running_job(const Rows& rows, std::size_t i) {
  LiveJob job;
  job.running = true;
  job.key = rows.integer(i, 0);
  job.lane = job.stand = static_cast<LaneKey>(rows.integer(i, 1));
  job.rank = rows.integer(i, 2);
  job.run_at = rows.maybe(i, 3);
  job.expires_at = rows.maybe(i, 4);
  job.started_at = rows.maybe(i, 5);
  job.times_out_at = rows.maybe(i, 6);
  job.attempt = static_cast<std::uint32_t>(rows.integer(i, 7));
  job.rescues = static_cast<std::uint32_t>(rows.integer(i, 8));
  job.fence = rows.integer(i, 9);
  job.worker = static_cast<WorkerKey>(rows.integer(i, 10));
  job.lease_until = rows.integer(i, 11);
  job.flags = static_cast<std::uint16_t>(rows.integer(i, 12));
  job.priority = static_cast<std::int16_t>(rows.integer(i, 13));
  job.special = rows.integer(i, 14) != 0;
  job.spec = rows.text(i, 15);
  job.attempts = rows.text(i, 16);
  job.cancel_reason = rows.text(i, 17);
  return job;
}

void read_wishes(const Rows& rows, std::map<JobKey, LiveJob>& jobs) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto found = jobs.find(rows.integer(i, 0));
    if (found == jobs.end()) continue;
    Wishes wishes;
    wishes.ns = static_cast<NamespaceKey>(rows.integer(i, 1));
    wishes.concurrency_key = rows.text(i, 2);
    wishes.concurrency_limit = static_cast<std::uint32_t>(rows.integer(i, 3));
    wishes.sticky_key = rows.text(i, 4);
    wishes.prefer = rows.text(i, 5);
    wishes.prefer_until = rows.maybe(i, 6);
    wishes.fair_lane = static_cast<LaneKey>(rows.integer(i, 7));
    wishes.fair_start = rows.integer(i, 8);
    wishes.unique_key = rows.text(i, 9);
    wishes.unique_waiting = rows.integer(i, 10) != 0;
    wishes.not_before = rows.maybe(i, 11);
    wishes.pending = static_cast<std::uint32_t>(rows.integer(i, 12));
    wishes.run_on_failure = rows.integer(i, 13) != 0;
    found->second.wishes = std::move(wishes);
  }
}

// (namespace, key, job) of several jobs, for the statements that name keys.
struct KeyColumns {
  Column ns{Type::int4};
  Column key{Type::bytes};
  Column job{Type::int8};
  void add(NamespaceKey in, const std::string& name, JobKey of) {
    ns.add(std::int64_t{in});
    key.add(std::string_view(name));
    job.add(of);
  }
  bool empty() const { return ns.size() == 0; }
  Params params() { return std::move(Params().array(std::move(ns)).array(std::move(key)).array(std::move(job))); }
};

Params parked_params(const std::vector<LiveJob>& jobs) {
  Column ns(Type::int4), key(Type::bytes), stand(Type::int4), limit(Type::int4), rank(Type::int8), id(Type::int8);
  for (const LiveJob& job : jobs) {
    ns.add(std::int64_t{job.wishes->ns});
    key.add(std::string_view(job.wishes->concurrency_key));
    stand.add(std::int64_t{job.stand});
    limit.add(std::int64_t{job.wishes->concurrency_limit});
    rank.add(job.rank);
    id.add(job.key);
  }
  Params params;
  params.array(std::move(ns)).array(std::move(key)).array(std::move(stand)).array(std::move(limit)).array(std::move(rank));
  return std::move(params.array(std::move(id)));
}

}  // namespace

std::map<JobKey, LiveJob> lock_jobs(Tx& tx, const std::vector<JobKey>& keys) {
  if (keys.empty()) return {};
  lock_gates_in(tx, tx.ask(kJobsGates, Params().int8s(keys)));
  note_job_locks(tx, keys);
  const std::vector<Rows> rows = tx.ask_all();
  if (tx.failed() || rows.size() < kJobLockStatements) return {};
  return locked_jobs(rows, rows.size() - kJobLockStatements);
}

void lock_gates_in(Tx& tx, const Rows& gates) {
  std::vector<NamespaceKey> namespaces;
  for (std::size_t i = 0; i < gates.size(); ++i) namespaces.push_back(static_cast<NamespaceKey>(gates.integer(i, 0)));
  tx.lock_gates(std::move(namespaces));
}

void note_job_locks(Tx& tx, const std::vector<JobKey>& keys) {
  // A job may move while we look: from waiting to running is seen by the second look, and back again by the third.
  tx.write(kJobsLockWaiting, Params().int8s(keys));
  tx.write(kJobsLockRunning, Params().int8s(keys));
  tx.write(kJobsLockWaiting, Params().int8s(keys));
  tx.write(kWishesRead, Params().int8s(keys));
}

std::map<JobKey, LiveJob> locked_jobs(const std::vector<Rows>& rows, std::size_t base) {
  std::map<JobKey, LiveJob> jobs;
  for (std::size_t i = 0; i < rows[base].size(); ++i) jobs[rows[base].integer(i, 0)] = waiting_job(rows[base], i);
  for (std::size_t i = 0; i < rows[base + 1].size(); ++i) jobs[rows[base + 1].integer(i, 0)] = running_job(rows[base + 1], i);
  for (std::size_t i = 0; i < rows[base + 2].size(); ++i) jobs[rows[base + 2].integer(i, 0)] = waiting_job(rows[base + 2], i);
  read_wishes(rows[base + 3], jobs);
  return jobs;
}

void Moves::release() {
  std::set<JobKey> finished;
  for (const Finished& entry : finished_) finished.insert(entry.job.key);
  KeyColumns held, unique_gone, unique_again;
  std::vector<LiveJob> unparked = std::move(unparked_);
  unparked_.clear();
  std::vector<std::int64_t> fair_over, wishes_gone, dependencies_gone;
  std::vector<std::int32_t> fair_lanes;
  std::set<QueueKey> loosened;
  for (const LiveJob& job : left_) {
    if (job.running)
      if (const LanePtr lane = tx_.directory().lane(job.lane))
        if (const QueueRef queue = tx_.directory().queue(lane->queue); queue != nullptr && queue->limited())
          loosened.insert(queue->key);
    if (!job.wishes) continue;
    const Wishes& wishes = *job.wishes;
    const bool over = finished.contains(job.key);
    if (!wishes.concurrency_key.empty()) {
      if (job.running) held.add(wishes.ns, wishes.concurrency_key, job.key);
      if (!job.running && job.place == Place::key_full) unparked.push_back(job);
      // Or it may have been the one called out of the waiters: another one is called then.
      freed_keys_.insert({wishes.ns, wishes.concurrency_key});
    }
    if (!wishes.unique_key.empty()) (over ? unique_gone : unique_again).add(wishes.ns, wishes.unique_key, job.key);
    if (!over) continue;
    if (wishes.fair_lane != 0) {
      fair_over.push_back(job.key);
      fair_lanes.push_back(wishes.fair_lane);
    }
    if (wishes.pending > 0) dependencies_gone.push_back(job.key);
    wishes_gone.push_back(job.key);
  }
  left_.clear();
  if (!held.empty()) tx_.write(kHoldersDelete, held.params());
  if (!unparked.empty()) tx_.write(kParkedDelete, parked_params(unparked));
  if (!unique_gone.empty()) tx_.write(kUniqueRelease, unique_gone.params());
  if (!unique_again.empty()) tx_.write(kUniqueTake, unique_again.params());
  if (!fair_over.empty()) {
    tx_.write(kFairDone, Params().int8s(fair_over));
    tx_.write(kFairForget, Params().int4s(fair_lanes));
  }
  if (!dependencies_gone.empty()) tx_.write(kDependenciesDelete, Params().int8s(dependencies_gone));
  if (!wishes_gone.empty()) tx_.write(kWishesDelete, Params().int8s(wishes_gone));
  for (const QueueKey queue : loosened) tx_.wake_queue(queue);
}

void Moves::write_parked() {
  if (!unparked_.empty()) tx_.write(kParkedDelete, parked_params(unparked_));
  unparked_.clear();
  if (!parked_.empty()) tx_.write(kParkedPut, parked_params(parked_));
  parked_.clear();
}

void Moves::call_freed_keys() {
  for (const auto& [ns, key] : freed_keys_) {
    const Rows rows = tx_.ask(kKeyFreed, Params().int4(ns).bytes(key));
    for (std::size_t i = 0; i < rows.size(); ++i) tx_.wake(static_cast<LaneKey>(rows.integer(i, 1)));
  }
  freed_keys_.clear();
}

bool Moves::settle_dependents() {
  if (watched_.empty() || tx_.failed()) return false;
  std::map<JobKey, bool> completed(watched_.begin(), watched_.end());
  watched_.clear();
  std::vector<JobKey> keys;
  for (const auto& [key, ok] : completed) keys.push_back(key);
  const Rows rows = tx_.ask(kDependenciesTake, Params().int8s(keys));
  std::map<JobKey, std::vector<JobKey>> after;  // dependent → what it no longer waits for
  std::vector<JobKey> dependents;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (after[rows.integer(i, 0)].empty()) dependents.push_back(rows.integer(i, 0));
    after[rows.integer(i, 0)].push_back(rows.integer(i, 1));
  }
  std::map<JobKey, LiveJob> jobs = lock_jobs(tx_, dependents);
  for (auto& [key, job] : jobs) {
    if (job.running || job.place != Place::blocked || !job.wishes) continue;
    std::vector<JobKey> done = after[key];
    std::sort(done.begin(), done.end());
    const auto failed = std::find_if(done.begin(), done.end(), [&](JobKey one) { return !completed.at(one); });
    if (failed != done.end() && !job.wishes->run_on_failure) {
      cancel(job, jobs::dependency_failed(tx_.ids().encode(*failed)));
      continue;
    }
    const auto freed = static_cast<std::uint32_t>(done.size());
    job.wishes->pending -= std::min(job.wishes->pending, freed);
    tx_.write(kWishesPending, Params().int8(key).int4(job.wishes->pending));
    if (job.wishes->pending > 0) continue;
    make_ready(job, std::max(job.wishes->not_before.value_or(tx_.now_ms()), tx_.now_ms()), JobEvent::due);
  }
  return true;
}

}  // namespace muster::store::postgres
