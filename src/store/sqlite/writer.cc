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
constexpr std::size_t kFoldAtShare = 8;
// As many times as much is in the redo file when the writer waits for the fold before.
constexpr std::size_t kFoldsOverdueMax = 4;

// Pages in SQLite's log since the last fold: commits that people look for add to it, whatever is in the redo file. It is moved in
// parts while the writer goes on, and starts over only when the writer waits for the last part.
constexpr int kLogPagesMax = 8'000;

// What must fit on the disk before it is tried again: pages around the rows that were recorded.
constexpr std::size_t kRoomLeast = 256 * 1024;
constexpr std::size_t kRoomShare = 4;

// Jobs whose time has come, in a group that must soon be done: the others wait for the next one.
constexpr std::size_t kPromotePerShortGroup = 100;

// A write for so few verbs is made by the writer itself: handing it over would take longer than they would gain.
constexpr std::size_t kWrittenHereMax = 2;
// Verbs and bytes that wait for the disk before the writer waits too.
constexpr std::size_t kUnsettledVerbsMax = 50'000;
constexpr std::size_t kUnsettledBytesMax = 64 << 20;

std::vector<double> group_bounds() { return {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1'024, 4'096, 16'384}; }

bool is_read(const Op& op) { return op.kind() == OpKind::read || op.kind() == OpKind::look; }

}  // namespace

Writer::Writer(Connection& connection, Connection& log_mover, RedoFiles& redo, const Clock& clock,
               const ListeningClock& listening, Metrics& metrics, const Options& options)
    : db_(connection),
      log_mover_(log_mover),
      redo_(redo, clock),
      clock_(clock),
      listening_(listening),
      synced_(options.durability == Durability::full),
      fold_at_(options.redo_bytes / kFoldAtShare),
      overlapped_(options.overlapped),
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
  // The number behind the last is given to no group: records of it and those behind it may lie in a file, of which it alone was
  // lost.
  redo_.start_behind(static_cast<std::uint64_t>(core_.get_meta(kRedoDone).value_or(0)) + 1);
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

void Writer::use_threads(UniqueFunction<void()> written) {
  redo_.start_thread(std::move(written));
  fold_thread_ = std::make_unique<DiskThread>([this] { return move_log(); }, [] {});
}

void Writer::end_threads() {
  redo_.stop_thread();
  wait_for_fold();
  fold_thread_.reset();
}

void Writer::seal(std::vector<std::unique_ptr<Op>>& ops, bool waits_for_disk) {
  Sealed& sealed = sealed_.emplace_back();
  sealed.number = newest_group_ + 1;
  sealed.recorded_to = recording_.bytes().size();
  sealed.changed = sealed.recorded_to != group_from_;
  try {
    sealed.ops.reserve(ops.size());
    if (sealed.changed) redo_.add(sealed.number, std::string_view(recording_.bytes()).substr(group_from_), waits_for_disk);
  } catch (...) {
    sealed_.pop_back();  // nobody will write it
    throw;
  }
  ++newest_group_;
  redo_used_ += sealed.recorded_to - group_from_;
  group_from_ = sealed.recorded_to;
  std::swap(sealed.group, spare_);
  std::swap(sealed.group, core_.group);
  for (auto& op : ops)
    if (op != nullptr && !op->answered()) sealed.ops.push_back(std::move(op));
}

void Writer::write_sealed() {
  if (sealed_.empty()) return;
  const bool little = sealed_.size() == 1 && sealed_.front().ops.size() <= kWrittenHereMax;
  if (redo_.has_thread() && !little) {
    redo_.wake();
    return go_on();  // groups that changed nothing wait for no write
  }
  if (overlapped_ && redo_.under_way()) redo_.write();
  if (!overlapped_ && redo_.begin()) redo_.write();
  go_on();
  if (overlapped_) (void)redo_.begin();
}

void Writer::go_on() {
  const RedoWriter::Progress progress = redo_.progress();
  settle_written(progress);
  if (!progress.failure.ok() && !sealed_.empty()) fail_sealed(progress);
}

void Writer::settle_written(const RedoWriter::Progress& progress) {
  for (std::size_t i = 0; i < progress.writes; ++i)
    metrics_.commit_seconds.observe(progress.seconds / static_cast<double>(progress.writes));
  metrics_.commits.add(progress.writes);
  // While a failure lasts, its time does not count, however often somebody looks.
  if (progress.writes > 0 || (!progress.failure.ok() && !suspect_)) may_have_stalled();
  const WakeRound answers;
  while (!sealed_.empty() && (sealed_.front().number <= progress.written || !sealed_.front().changed)) {
    Sealed settled = std::move(sealed_.front());
    sealed_.pop_front();
    settled_to_ = settled.recorded_to;
    settle(settled);
  }
}

void Writer::settle(Sealed& sealed) {
  std::swap(core_.group, sealed.group);
  settle_committed();
  std::swap(core_.group, sealed.group);
  sealed.group.clear();
  std::swap(spare_, sealed.group);
  for (auto& op : sealed.ops) answer(*op);
}

void Writer::drain() {
  while (!sealed_.empty()) {
    if (redo_.begin() || (overlapped_ && redo_.under_way()))
      redo_.write();
    else
      redo_.wait();
    go_on();
  }
}

Status Writer::publish() {
  if (!db_.in_transaction())
    return recording_.empty() ? Status() : Status::unavailable("the newest rows are not there; try again");
  core_.sql.meta_put.bind_text(1, kRedoDone).bind(2, static_cast<std::int64_t>(redo_.newest()));
  Status status = run(core_.sql.meta_put);
  if (status.ok()) status = run(core_.sql.commit);
  if (status.ok()) {
    recording_.drop_behind(0);
    group_from_ = settled_to_ = 0;
    return {};
  }
  log::error("the rows could not be committed", {{"reason", status.message()}});
  suspect_ = true;
  rebuild();  // SQLite has rolled them back, and people still want to read
  status = Status::unavailable(status.message());
  set_health(status);
  return status;
}

Status Writer::fold() {
  wait_for_fold();
  if (Status published = publish(); !published.ok()) return published;
  const Status status = log_in_doubt_ ? db_.restart_log() : db_.sync_log();
  log_in_doubt_ = !status.ok();
  if (status.ok()) {
    redo_.restart();
    redo_used_ = 0;
    return {};
  }
  suspect_ = true;
  return Status::unavailable(status.message());
}

void Writer::fold_when_due() {
  note_fold();
  if (suspect_ || !fold_is_due()) return;
  wait_for_fold();
  drain();
  if (!suspect_) begin_fold();
  may_have_stalled();
}

// Whatever goes wrong here, everybody was answered already, and rightly: the redo files have what they were told.
void Writer::begin_fold() {
  Status status = publish();
  if (status.ok()) status = redo_.files().turn();
  if (!status.ok()) {
    suspect_ = true;
    return set_health(status);
  }
  redo_used_ = 0;
  log_pages_folded_ = db_.log_pages();
  folding_ = true;
  if (fold_thread_ != nullptr)
    fold_thread_->start();
  else if (!overlapped_)
    wait_for_fold();
  if (db_.log_pages() >= kLogPagesMax) wait_for_fold();
}

void Writer::note_fold() {
  if (!folding_ || fold_thread_ == nullptr) return;
  if (const std::optional<Status> result = fold_thread_->take()) folded(*result);
}

bool Writer::fold_is_due() const {
  if (folding_) return redo_used_ >= fold_at_ * kFoldsOverdueMax;
  return redo_used_ >= fold_at_ || log_is_due();
}

bool Writer::log_is_due() const {
  const int pages = db_.log_pages();
  const bool over = pages < log_pages_folded_;  // it started over since
  return pages - (over ? 0 : log_pages_folded_) >= kLogPagesMax;
}

Status Writer::move_log() {
  if (Status synced = log_mover_.sync_log(); !synced.ok()) return synced;
  return log_mover_.move_log();
}

void Writer::wait_for_fold() {
  if (folding_) folded(fold_thread_ != nullptr ? fold_thread_->wait() : move_log());
}

void Writer::folded(const Status& status) {
  folding_ = false;
  if (status.ok()) return redo_.files().free_other();
  log::error("the rows could not be synced", {{"reason", status.message()}});
  log_in_doubt_ = suspect_ = true;
  set_health(Status::unavailable(status.message()));
}

Status Writer::finish() { return suspect_ || stale_ ? probe() : fold(); }

Status Writer::probe() {
  drain();  // the trouble may have been with a fold
  db_.clear_fault();
  // Or each request on a full disk would roll all rows back that wait to be committed.
  if (Status room = redo_.files().room_for(kRoomLeast + kRoomShare * recording_.bytes().size()); !room.ok()) return room;
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
    if (!played.ok()) {
      (void)db_.exec("ROLLBACK").ok();  // half of them would pass for all
      return played;
    }
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
  index_broken_ = false;
  if (!stale_) return;
  suspect_ = true;  // the probe before the next group tries again
  set_health(Status::unavailable(rebuilt.message()));
  log::error("rows and index could not be restored", {{"reason", rebuilt.message()}});
}

void Writer::undo() {
  recording_.drop_behind(group_from_);
  core_.untell(core_.group);
  core_.group.clear();
  drain();
  core_.fences.abandon();
  core_.job_keys.abandon();
  rebuild();
}

void Writer::refuse(std::vector<std::unique_ptr<Op>>& ops, const Status& status) {
  for (auto& op : ops)
    if (op != nullptr && !op->answered()) answer(*op, status);
}

void Writer::fail(std::vector<std::unique_ptr<Op>>& ops, const Status& status) {
  log::error("the store could not commit", {{"code", std::string(to_string(status.code()))}, {"reason", status.message()}});
  metrics_.failed_commits.add();
  suspect_ = true;  // before the clocks are read: time in which nothing can be written does not count
  undo();
  set_health(status);
  refuse(ops, status);
}

void Writer::fail_sealed(const RedoWriter::Progress& progress) {
  const Status& status = progress.failure;
  log::error("the store could not commit", {{"code", std::string(to_string(status.code()))}, {"reason", status.message()}});
  metrics_.failed_commits.add();
  suspect_ = true;  // before the clocks are read: time in which nothing can be written does not count
  recording_.drop_behind(settled_to_);
  group_from_ = settled_to_;
  core_.untell(core_.group);
  core_.group.clear();
  core_.fences.abandon();
  core_.job_keys.abandon();
  std::deque<Sealed> failed = std::move(sealed_);
  sealed_.clear();
  for (auto sealed = failed.rbegin(); sealed != failed.rend(); ++sealed) core_.untell(sealed->group);
  rebuild();
  set_health(status);
  const Status not_tried = Status::unavailable("the group before could not be written, so this one was not tried; try again");
  for (Sealed& sealed : failed) refuse(sealed.ops, sealed.number <= progress.tried ? status : not_tried);
}

// REQUIRES: inside a catch block. `thrower`: null when it was none of them.
void Writer::fail_after_throw(std::vector<std::unique_ptr<Op>>& ops, Op* thrower) {
  const Incident incident(incidents_, "store verb");
  undo();
  if (thrower != nullptr && !thrower->answered()) answer(*thrower, incident.status());
  refuse(ops, Status::unavailable("another request of the same commit went wrong and nothing was written; try again"));
  may_have_stalled();
}

void Writer::answer_read(std::unique_ptr<Op> op) {
  if (stale_) return answer(*op, Status::unavailable("the newest rows cannot be read; try again"));
  db_.clear_fault();
  db_.record(nullptr);
  note_unsettled();
  Status status;
  try {
    op->run(core_);
    status = db_.fault();
  } catch (...) {
    status = Incident(incidents_, "store verb").status();
  }
  db_.record(&recording_);
  db_.clear_fault();
  // What it saw may not be durable yet.
  if (status.ok() && !sealed_.empty())
    sealed_.back().ops.push_back(std::move(op));
  else
    answer(*op, status);
  // A read that goes wrong may end the transaction, and with it the rows of the groups in it.
  if (recording_.empty() || db_.in_transaction()) return;
  drain();
  rebuild();
}

void Writer::give_up(const Status& status) {
  refuse(unfinished_, status);
  for (Sealed& sealed : sealed_) refuse(sealed.ops, status);
  sealed_.clear();
}

void Writer::read_clocks() {
  core_.now = clock_.now();
  stuck_ = stuck_ || write_is_stuck();  // until its end has been noted
  if (suspect_ || stuck_) return;
  const Ticks now = listening_.now();
  time_.listen(now - std::exchange(read_at_, now));
  core_.listened = time_.counted();
}

void Writer::may_have_stalled() {
  const Ticks now = listening_.now();
  const Ticks length = now - std::exchange(read_at_, now);
  stuck_ = false;
  listening_.noted() ? time_.pass(length) : time_.listen(length);
}

bool Writer::write_is_stuck() {
  const std::optional<Ticks> since = redo_.busy_since();
  return since && clock_.elapsed() - *since > kListeningGapMax;
}

void Writer::process(std::vector<std::unique_ptr<Op>>& ops) {
  const bool folding = folding_;
  if (!unfinished_failure_.ok()) fail(unfinished_, std::exchange(unfinished_failure_, {}));
  unfinished_.clear();
  try {
    if (const Status status = process_group(ops, kPromotePerGroup); !status.ok()) fail(ops, status);
    write_sealed();
    fold_when_due();
    if (overlapped_ && folding) wait_for_fold();  // as if it had ended meanwhile
    if (unsettled_too_much()) drain();
    core_.tidy_grants();
    if (core_.wants_tidying()) {
      drain();
      core_.tidy();
    }
  } catch (...) {
    fail_after_throw(ops, nullptr);
  }
  ops.clear();
}

bool Writer::process_short(std::vector<std::unique_ptr<Op>>& ops) {
  const RedoWriter::Progress progress = redo_.progress();
  settle_written(progress);
  note_fold();
  if (!progress.failure.ok() || upkeep_is_due()) return false;
  try {
    unfinished_failure_ = process_group(ops, kPromotePerShortGroup);
    if (!unfinished_failure_.ok()) {
      unfinished_.swap(ops);
      return false;
    }
    if (redo_.has_thread() && !sealed_.empty()) redo_.wake();
    if (!redo_.has_thread()) write_sealed();
    // A group that changed nothing waits for those before it alone.
    if (!sealed_.empty() && !sealed_.front().changed) settle_written(redo_.progress());
    core_.tidy_grants();
  } catch (...) {
    fail_after_throw(ops, nullptr);
  }
  ops.clear();
  return !upkeep_is_due();
}

bool Writer::upkeep_is_due() const {
  return suspect_ || index_broken_ || fold_is_due() || unsettled_too_much() || core_.wants_tidying();
}

bool Writer::unsettled_too_much() const {
  std::size_t verbs = 0;
  for (const Sealed& sealed : sealed_) verbs += sealed.ops.size();
  return verbs > kUnsettledVerbsMax || recording_.bytes().size() - settled_to_ > kUnsettledBytesMax;
}

Status Writer::process_group(std::vector<std::unique_ptr<Op>>& ops, std::size_t promoted_max) {
  core_.group.clear();
  group_from_ = recording_.bytes().size();
  read_clocks();
  if (index_broken_) {
    drain();
    rebuild();
  }
  if (suspect_) {
    if (const Status status = probe(); !status.ok()) {
      set_health(status);
      // Who looks with another connection sees what could be committed.
      for (auto& op : ops) is_read(*op) ? answer_read(std::move(op)) : answer(*op, status);
      return {};
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
    if (op->kind() == OpKind::look && !suspect_) {
      drain();
      if (!suspect_) (void)publish().ok();
      may_have_stalled();
    }
    answer_read(std::move(op));
  }
  if (suspect_) {
    refuse(ops, Status::unavailable("the disk gave trouble; nothing was written, try again"));
    return {};
  }
  if (writes == 0) return {};

  // Numbers are used as soon as their reservation is committed, so that must be durable.
  const bool only_claims = claims == writes && !core_.numbers_low();
  note_unsettled();
  Status status = begin();
  if (status.ok()) {
    core_.promote_due(promoted_max);
    core_.reserve_numbers();
    // What judges silence goes behind every beat that has arrived.
    if (!run_writes(ops, false) || !run_writes(ops, true)) return {};
    status = db_.fault();
  }
  if (!status.ok()) return status;
  group_size_.observe(static_cast<double>(writes));
  const bool changed = recording_.bytes().size() != group_from_ || !core_.group.is_empty();
  const auto waits = [](const auto& op) { return op != nullptr && !op->answered(); };
  if (changed || std::any_of(ops.begin(), ops.end(), waits)) seal(ops, synced_ && !only_claims);  // or claims found nothing
  return {};
}

void Writer::note_unsettled() {
  core_.unsettled.clear();
  core_.unsettled_due.reset();
  for (const Sealed& sealed : sealed_) {
    core_.unsettled.push_back(&sealed.group);
    for (const auto& [at, key] : sealed.group.scheduled) core_.unsettled_due = std::min(core_.unsettled_due.value_or(at), at);
  }
}

bool Writer::run_writes(std::vector<std::unique_ptr<Op>>& ops, bool sweeps) {
  const WakeRound answers;  // of claims, which do not wait for the commit
  for (auto& op : ops) {
    if (op == nullptr || is_read(*op) || (op->kind() == OpKind::sweep) != sweeps) continue;
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
    index_broken_ = true;  // once the groups behind this one are durable too, it is made anew
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
