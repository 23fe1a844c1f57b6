#include "store/sqlite/writer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/uuid.h"
#include "base/wake.h"
#include "store/sqlite/redo/recovery.h"

namespace muster::store::sqlite {
namespace {

// Of the redo file that is used when the rows are committed and synced: seldom enough to cost little, and what a start would have
// to play stays small.
constexpr std::size_t kFoldAtShare = 4;

std::vector<double> group_bounds() { return {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1'024, 4'096, 16'384}; }

bool is_read(const Op& op) { return op.kind() == OpKind::read || op.kind() == OpKind::look; }

}  // namespace

Writer::Writer(Connection& connection, RedoFile& redo, const Clock& clock, const ListeningClock& listening, Metrics& metrics,
               const Options& options)
    : db_(connection),
      redo_(redo),
      clock_(clock),
      listening_(listening),
      synced_(options.durability == Durability::full),
      fold_at_(options.redo_bytes / kFoldAtShare),
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
  newest_group_ = static_cast<std::uint64_t>(core_.get_meta(kRedoDone).value_or(0));
  if (const Status begun = begin(); !begun.ok()) return begun;
  core_.reserve_numbers();
  if (!db_.fault().ok()) return db_.fault();
  if (const Status folded = fold(); !folded.ok()) return folded;
  core_.fences.reserved();
  core_.job_keys.reserved();
  core_.group.clear();
  return {};
}

// Begin and commit are prepared like everything else; their fault is the caller's to judge. They are no part of a group.
Status Writer::run(Statement& statement) {
  db_.record(nullptr);
  db_.clear_fault();
  statement.run();
  const Status status = db_.fault();
  db_.clear_fault();
  db_.record(&recording_);
  return status;
}

Status Writer::begin() {
  group_from_ = recording_.bytes().size();
  if (db_.in_transaction()) return {};
  return run(core_.sql.begin);
}

Status Writer::keep(bool synced) {
  const std::string_view changes = std::string_view(recording_.bytes()).substr(group_from_);
  if (changes.empty()) return {};
  const Ticks started = clock_.elapsed();
  const Status status = redo_.append(++newest_group_, changes, synced);
  metrics_.commit_seconds.observe(std::chrono::duration<double>(clock_.elapsed() - started).count());
  if (status.ok()) {
    metrics_.commits.add();
    return status;
  }
  metrics_.failed_commits.add();
  return status;
}

Status Writer::publish() {
  if (!db_.in_transaction()) return {};  // and nothing is recorded
  core_.sql.meta_put.bind_text(1, kRedoDone).bind(2, static_cast<std::int64_t>(newest_group_));
  Status status = run(core_.sql.meta_put);
  if (status.ok()) status = run(core_.sql.commit);
  if (status.ok()) {
    recording_.drop_behind(0);
    group_from_ = 0;
    return {};
  }
  // What is in the redo file alone must be played again before anything is read or written.
  log::error("the rows could not be committed", {{"reason", status.message()}});
  suspect_ = stale_ = true;
  return Status::unavailable(status.message());
}

Status Writer::fold() {
  if (Status published = publish(); !published.ok()) return published;
  Status status = log_in_doubt_ ? db_.restart_log() : db_.sync_log();
  if (status.ok()) status = db_.shorten_log();
  log_in_doubt_ = !status.ok();
  if (status.ok()) {
    redo_.restart();
    return {};
  }
  suspect_ = true;
  return Status::unavailable(status.message());
}

void Writer::fold_when_due() {
  if (redo_.used() < fold_at_) return;
  // Everybody was answered already, and rightly: the redo file has what they were told.
  if (const Status folded = fold(); !folded.ok()) set_health(folded);
  may_have_stalled();
}

Status Writer::finish() { return fold(); }

Status Writer::probe() {
  db_.clear_fault();
  if (stale_) {
    read_clocks();
    if (const Status restored = restore(); !restored.ok()) return Status::unavailable(restored.message());
    stale_ = false;
  }
  // Its commit writes at least the number of the newest group.
  if (const Status begun = begin(); !begun.ok()) return Status::unavailable(begun.message());
  return fold();
}

Status Writer::restore() {
  db_.clear_fault();
  if (db_.in_transaction()) (void)db_.exec("ROLLBACK").ok();
  if (!recording_.empty()) {
    if (const Status begun = begin(); !begun.ok()) return begun;
    db_.record(nullptr);
    const Status played = play(db_, recording_.bytes());
    db_.record(&recording_);
    if (!played.ok()) return played;
  }
  return core_.rebuild();
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
  Status rebuilt;
  read_clocks();
  try {
    rebuilt = restore();
  } catch (...) {
    rebuilt = Incident(incidents_, "rebuild").status();
  }
  stale_ = !rebuilt.ok();
  if (!stale_) return;
  suspect_ = true;  // the probe before the next group tries again
  log::error("rows and index could not be restored", {{"reason", rebuilt.message()}});
}

void Writer::undo() {
  recording_.drop_behind(group_from_);
  core_.fences.abandon();
  core_.job_keys.abandon();
  rebuild();
}

void Writer::fail(std::vector<std::unique_ptr<Op>>& ops, const Status& status) {
  log::error("the store could not commit", {{"code", std::string(to_string(status.code()))}, {"reason", status.message()}});
  suspect_ = true;  // before the clocks are read: time in which nothing can be written does not count
  undo();
  refuse_rest(ops, status);
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
  // A read that goes wrong may end the transaction, and with it the rows of the groups in it.
  if (!recording_.empty() && !db_.in_transaction()) rebuild();
}

void Writer::read_while_suspect(Op& op, const Status& refusal) {
  const bool all_published = !db_.in_transaction() && recording_.empty();
  !stale_ && (op.kind() == OpKind::read || all_published) ? answer_read(op) : answer(op, refusal);
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

void Writer::refuse_rest(std::vector<std::unique_ptr<Op>>& ops, const Status& status) {
  set_health(status);
  for (auto& op : ops)
    if (!op->answered()) answer(*op, status);
}

void Writer::process_group(std::vector<std::unique_ptr<Op>>& ops) {
  read_clocks();
  core_.group.clear();
  if (suspect_) {
    if (const Status status = probe(); !status.ok()) {
      set_health(status);
      for (auto& op : ops) is_read(*op) ? read_while_suspect(*op, status) : answer(*op, status);
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
    if (!is_read(*op)) {
      ++writes;
      if (op->kind() == OpKind::claim) ++claims;
      continue;
    }
    const Status seen = op->kind() == OpKind::look ? publish() : Status();
    seen.ok() ? answer_read(*op) : answer(*op, seen);
    if (stale_) return refuse_rest(ops, Status::unavailable("the newest rows cannot be read; try again"));
  }
  if (writes == 0) return;

  // Numbers are used as soon as their reservation is committed, so that must be durable.
  const bool only_claims = claims == writes && !core_.numbers_low();
  Status status = begin();
  if (status.ok()) {
    core_.promote_due(kPromotePerGroup);
    core_.reserve_numbers();
    // What judges silence goes behind every beat that has arrived.
    if (!run_writes(ops, false) || !run_writes(ops, true)) return;
    status = db_.fault();
    if (status.ok()) status = keep(synced_ && !only_claims);
  }
  may_have_stalled();
  if (!status.ok()) return fail(ops, status);
  group_size_.observe(static_cast<double>(writes));
  const WakeRound answers;
  settle_committed();
  for (auto& op : ops)
    if (!op->answered()) answer(*op);
  fold_when_due();
}

bool Writer::run_writes(std::vector<std::unique_ptr<Op>>& ops, bool sweeps) {
  const WakeRound answers;  // of claims, which do not wait for the commit
  for (auto& op : ops) {
    if (is_read(*op) || (op->kind() == OpKind::sweep) != sweeps) continue;
    if (!db_.fault().ok()) break;
    core_.in_group = true;
    try {
      op->run(core_);
    } catch (...) {
      core_.in_group = false;
      fail_after_throw(ops, op.get());
      return false;
    }
    core_.in_group = false;
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
