#include "store/sqlite/writer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/uuid.h"
#include "base/wake.h"

namespace muster::store::sqlite {
namespace {

std::vector<double> group_bounds() { return {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1'024, 4'096, 16'384}; }

}  // namespace

Writer::Writer(Connection& connection, const Clock& clock, const ListeningClock& listening, Metrics& metrics,
               const Options& options)
    : db_(connection),
      clock_(clock),
      listening_(listening),
      durability_(options.durability),
      synced_(options.durability == Durability::full),
      core_(connection, options.seed != 0 ? options.seed : random_seed(), options.lanes_max),
      incidents_(metrics, "store"),
      read_at_(listening.now()),
      time_(read_at_),
      metrics_(metrics),
      group_size_(metrics.histogram("muster_store_group_size", "Verbs per commit.", group_bounds())),
      index_entries_(metrics.gauge("muster_store_index_entries", "Entries of the order in memory: timers, lanes, arrivals.")) {}

double Writer::group_size_mean() const {
  const std::uint64_t count = group_size_.count();
  return count == 0 ? 0 : group_size_.sum() / static_cast<double>(count);
}

StoreHealth Writer::health() const {
  const std::lock_guard lock(health_mutex_);
  return health_;
}

void Writer::set_health(const Status& status) {
  const std::lock_guard lock(health_mutex_);
  health_ = {status.ok(), status.ok() ? std::string() : status.text()};
}

Status Writer::start() {
  read_clocks();
  if (const Status built = core_.rebuild(); !built.ok()) return built;
  if (const Status begun = begin(); !begun.ok()) return begun;
  core_.reserve_numbers();
  if (!db_.fault().ok()) return db_.fault();
  if (const Status committed = commit(); !committed.ok()) return committed;
  core_.fences.reserved();
  core_.job_keys.reserved();
  core_.group.clear();
  return {};
}

// Begin and commit are prepared like everything else; their fault is the caller's to judge.
Status Writer::run(Statement& statement) {
  db_.clear_fault();
  statement.run();
  const Status status = db_.fault();
  db_.clear_fault();
  return status;
}

Status Writer::begin(bool synced) {
  if (durability_ == Durability::full && synced != synced_) {
    if (const Status changed = db_.sync_commits(synced); !changed.ok()) return changed;
    synced_ = synced;
  }
  pages_before_ = db_.pages_written();
  return run(core_.sql.begin);
}

Status Writer::commit() {
  const Ticks started = clock_.elapsed();
  const Status status = run(core_.sql.commit);
  metrics_.commit_seconds.observe(std::chrono::duration<double>(clock_.elapsed() - started).count());
  if (status.ok()) {
    metrics_.commits.add();
    // A commit that has nothing to write syncs nothing either; a row that is overwritten with itself is nothing.
    if (db_.pages_written() != pages_before_) log_unsynced_ = durability_ == Durability::full && !synced_;
    return status;
  }
  metrics_.failed_commits.add();
  if (log_unsynced_) log_in_doubt_ = true;
  // A disk that is full refuses the write, and nothing of the commit is there. Any other failure may have come after
  // the commit's last byte: whether a crash right now would keep it cannot be known.
  if (status.code() == Code::unavailable && status.message().find("full") == std::string::npos)
    return Status::outcome_unknown(status.message());
  return status;
}

Status Writer::probe() {
  if (stale_) {
    db_.clear_fault();
    read_clocks();
    if (const Status rebuilt = core_.rebuild(); !rebuilt.ok()) return Status::unavailable(rebuilt.message());
    stale_ = false;
  }
  db_.clear_fault();
  if (log_in_doubt_) {
    if (const Status restarted = db_.restart_log(); !restarted.ok()) return Status::unavailable(restarted.message());
    log_in_doubt_ = log_unsynced_ = false;
  }
  Status status = begin();
  if (!status.ok()) return status;
  core_.put_meta("probe", to_ms(clock_.now()));
  status = db_.fault();
  if (status.ok()) status = commit();
  if (!status.ok()) {
    db_.clear_fault();
    if (db_.in_transaction()) (void)db_.exec("ROLLBACK").ok();
    // The probe itself is nobody's request: whatever became of it, those behind it were not tried.
    return Status::unavailable(status.message());
  }
  return {};
}

void Writer::answer(Op& op, const Status& refusal) {
  try {
    refusal.ok() ? op.deliver() : op.refuse(refusal);
  } catch (...) {
    const Incident incident(incidents_, "reply");
    op.let_go();
  }
}

void Writer::rebuild() {
  core_.key_cache.clear();  // whether the group's keys are in the rows is read from them again
  db_.clear_fault();
  Status rebuilt;
  read_clocks();
  try {
    rebuilt = core_.rebuild();
  } catch (...) {
    rebuilt = Incident(incidents_, "rebuild").status();
  }
  stale_ = !rebuilt.ok();
  if (!stale_) return;
  suspect_ = true;  // the probe before the next group tries again
  log::error("the index could not be rebuilt", {{"reason", rebuilt.message()}});
}

void Writer::undo() {
  db_.clear_fault();
  if (db_.in_transaction()) (void)db_.exec("ROLLBACK").ok();
  core_.fences.abandon();
  core_.job_keys.abandon();
  rebuild();
}

void Writer::fail(std::vector<std::unique_ptr<Op>>& ops, const Status& status) {
  log::error("the store could not commit", {{"code", std::string(to_string(status.code()))}, {"reason", status.message()}});
  suspect_ = true;  // before the clocks are read: time in which nothing can be written does not count
  undo();
  set_health(status);
  for (auto& op : ops)
    if (!op->answered()) answer(*op, status);
}

// REQUIRES: inside a catch block. `thrower`: null when it was none of them.
void Writer::fail_after_throw(std::vector<std::unique_ptr<Op>>& ops, Op* thrower) {
  const Incident incident(incidents_, "store verb");
  undo();
  if (thrower != nullptr && !thrower->answered()) answer(*thrower, incident.status());
  const Status others = Status::unavailable("another request of the same commit went wrong and nothing was written; try again");
  for (auto& op : ops)
    if (!op->answered()) answer(*op, others);
  may_have_stalled();
}

void Writer::answer_read(Op& op) {
  db_.clear_fault();
  Status status;
  try {
    op.run(core_);
    status = db_.fault();
  } catch (...) {
    status = Incident(incidents_, "store verb").status();
  }
  db_.clear_fault();
  answer(op, status);
}

void Writer::read_clocks() {
  core_.now = clock_.now();
  if (suspect_) return;
  const Ticks now = listening_.now();
  time_.listen(now - std::exchange(read_at_, now));
  core_.listened = time_.counted();
}

void Writer::may_have_stalled() {
  const Ticks now = listening_.now();
  const Ticks length = now - std::exchange(read_at_, now);
  listening_.noted() ? time_.pass(length) : time_.listen(length);
}

void Writer::process(std::vector<std::unique_ptr<Op>>& ops) {
  try {
    process_group(ops);
  } catch (...) {
    fail_after_throw(ops, nullptr);
  }
}

void Writer::process_group(std::vector<std::unique_ptr<Op>>& ops) {
  read_clocks();
  core_.group.clear();
  if (suspect_) {
    if (const Status status = probe(); !status.ok()) {
      set_health(status);
      for (auto& op : ops) op->kind() == OpKind::read && !stale_ ? answer_read(*op) : answer(*op, status);
      return;
    }
    suspect_ = false;
    set_health({});
    may_have_stalled();
    read_clocks();
  }

  std::size_t writes = 0;
  std::size_t claims = 0;
  for (auto& op : ops) {
    if (op->kind() != OpKind::read) {
      ++writes;
      if (op->kind() == OpKind::claim) ++claims;
      continue;
    }
    answer_read(*op);
  }
  if (writes == 0) return;

  // Numbers are used as soon as their reservation is committed, so that must be durable.
  const bool only_claims = claims == writes && !core_.numbers_low();
  Status status = begin(!only_claims);
  if (status.ok()) {
    core_.promote_due(kPromotePerGroup);
    core_.reserve_numbers();
    // What judges silence goes behind every beat that has arrived.
    if (!run_writes(ops, false) || !run_writes(ops, true)) return;
    status = db_.fault();
    if (status.ok()) status = commit();
  }
  may_have_stalled();
  if (!status.ok()) return fail(ops, status);
  group_size_.observe(static_cast<double>(writes));
  const WakeRound answers;
  settle_committed();
  for (auto& op : ops)
    if (!op->answered()) answer(*op);
}

bool Writer::run_writes(std::vector<std::unique_ptr<Op>>& ops, bool sweeps) {
  const WakeRound answers;  // of claims, which do not wait for the commit
  for (auto& op : ops) {
    if (op->kind() == OpKind::read || (op->kind() == OpKind::sweep) != sweeps) continue;
    if (!db_.fault().ok()) break;
    try {
      op->run(core_);
    } catch (...) {
      fail_after_throw(ops, op.get());
      return false;
    }
    if (op->kind() == OpKind::claim && db_.fault().ok()) answer(*op);
  }
  return true;
}

// The rows are durable, so the answers stand whatever goes wrong here.
void Writer::settle_committed() {
  try {
    core_.committed();
    index_entries_.set(static_cast<double>(core_.index_entries()));
    for (KeyChanges& changes : core_.group.key_changes) core_.key_cache.apply(std::move(changes));
  } catch (...) {
    const Incident incident(incidents_, "after commit");
    rebuild();
  }
  try {
    tell();
  } catch (...) {
    const Incident incident(incidents_, "listener");
  }
}

void Writer::set_listener(Listener* listener) {
  const std::lock_guard lock(listener_mutex_);
  listener_ = listener;
}

void Writer::tell() {
  const Group& group = core_.group;
  const std::lock_guard lock(listener_mutex_);
  if (listener_ == nullptr) return;
  if (group.jobs.empty() && group.workers.empty() && group.queues.empty() && group.wakes.empty() && group.pushed.empty()) return;
  listener_->committed({group.jobs, group.workers, group.queues, group.wakes, group.pushed});
}

}  // namespace muster::store::sqlite
