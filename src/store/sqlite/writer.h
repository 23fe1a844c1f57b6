// The writer: takes everything that queued up while the last group was written, runs it, writes what it changed to the redo file,
// and answers. Under low load a group is one verb and its latency one sync; under load groups grow by themselves.
//
// One thread at a time calls it (op_queue.h): the store's writer thread, one that helps (process_short), or the caller of pump().
//
// While a group is written the next one runs, on rows and an index that the first has changed; its answers, and what others may
// see only once it is durable (Group), wait in its Sealed. Groups become durable in their order. What is handed out has been
// durable before, so claims wait for nothing. A group that cannot be written takes those behind it along.
//
//    process: group 7 ─► group 8 ─► group 9 ─► settle 7 ─► group 10 …
//    write:              └── 7 ──────────────┘ └── 8 and 9 ──────────
//
// Rows change in a transaction that stays open over many groups (redo/redo_file.h). It is committed when somebody who reads with
// another connection wants to see the rows, and when the redo file is to be started over; the latter also syncs it.
//
// A statement or write that fails fails the whole group: the transaction is rolled back, the groups before are played into a
// fresh one, and the memory index is rebuilt from the rows. After trouble with the disk a probe goes first: it commits, syncs,
// and starts the redo file over, so that a full disk does not cost a rebuild per request, and nothing is built on what may not be
// there.
//
// A verb that throws is refused with `internal`. What it had changed by then cannot be told from what the group's other verbs
// changed, so the group is undone in the same way and the others are refused with `unavailable`: nothing of theirs was written.
//
// A group of claims alone is not synced: a crash of the machine may lose it, which is a redelivery (store/store.h). The next sync
// makes it durable along with what comes after it, since both are in one file.
//
// While a commit is stuck, or nothing can be written, beats cannot be heard: Core::listened does not count that time.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/incident.h"
#include "base/listening.h"
#include "base/metrics.h"
#include "base/reply.h"
#include "store/commit_metrics.h"
#include "store/sqlite/core.h"
#include "store/sqlite/redo/disk_thread.h"
#include "store/sqlite/redo/recording.h"
#include "store/sqlite/redo/redo_writer.h"
#include "store/sqlite/store.h"
#include "store/store.h"

namespace muster::store::sqlite {

// One verb on its way: queued by any thread, run by the writer inside a group, answered when the group's fate is known.

enum class OpKind : std::uint8_t {
  read,   // changes nothing; sees what is durable; answered at once
  look,   // the same, and other connections see it too by then
  write,  // answered after the commit
  sweep,  // a write that runs behind all others of its group: what waited beside it is heard before anybody is judged
  claim,  // and a renewal that changes no row: answered before the commit, see the promises in store/store.h
};

class Op {
 public:
  explicit Op(OpKind kind) : kind_(kind) {}
  virtual ~Op() = default;
  OpKind kind() const { return kind_; }
  bool answered() const { return answered_; }

  virtual void run(Core& core) = 0;
  void deliver() {
    answered_ = true;
    do_deliver();
  }
  void refuse(const Status& status) {
    answered_ = true;
    do_refuse(status);
  }
  // Drops the reply with what it holds. REQUIRES: answered.
  virtual void let_go() = 0;

 private:
  virtual void do_deliver() = 0;
  virtual void do_refuse(const Status& status) = 0;
  OpKind kind_;
  bool answered_ = false;
};

template <class T, class Body>
class OpOf final : public Op {
 public:
  OpOf(OpKind kind, Body body, Reply<T> reply) : Op(kind), body_(std::move(body)), reply_(std::move(reply)) {}
  void run(Core& core) override { result_.emplace(body_(core)); }
  void let_go() override { reply_ = {}; }

 private:
  void do_deliver() override { reply_(std::move(*result_)); }
  void do_refuse(const Status& status) override { reply_(status); }

  Body body_;
  Reply<T> reply_;
  std::optional<Result<T>> result_;
};

// A group that has run and may not be durable yet.
struct Sealed {
  std::vector<std::unique_ptr<Op>> ops;  // that wait for it
  Group group;
  std::uint64_t number = 0;
  std::size_t recorded_to = 0;  // where the recording ends that makes it durable
  bool changed = false;         // anything; otherwise it waits for those before it alone
};

class Writer {
 public:
  // `log_mover` is for moving the log alone.
  Writer(Connection& connection, Connection& log_mover, RedoFiles& redo, const Clock& clock, const ListeningClock& listening,
         Metrics& metrics, const Options& options);

  ~Writer() { db_.record(nullptr); }

  // Builds the index and reserves the first numbers.
  Status start();
  // Takes the ops over.
  void process(std::vector<std::unique_ptr<Op>>& ops);
  // The same for a thread that must not wait, of verbs that are soon done and look for nobody else: settles what has been
  // written, runs them, and leaves the write to its thread. False: something is due that may take long, and process() comes next,
  // with the ops that are left in `ops`.
  bool process_short(std::vector<std::unique_ptr<Op>>& ops);
  // Threads wait for the disk from here on, while process() goes on; `written` is called on one of them: go_on() has something to
  // do.
  void use_threads(UniqueFunction<void()> written);
  // Waits for what they do. Nothing is called on them afterwards.
  void end_threads();
  // Settles what has been written meanwhile.
  void go_on();
  bool all_settled() const { return sealed_.empty(); }
  // Waits until it is.
  void drain();
  // Refuses what has not been settled. Nothing is called after it.
  void give_up(const Status& status);
  // All groups are in the rows and synced: the redo file is not needed any more. REQUIRES: all_settled().
  Status finish();
  // Once this has returned, the listener before is not called any more.
  void set_listener(Listener* listener);
  StoreHealth health() const;
  Core& core() { return core_; }
  const KeyCache& key_cache() const { return core_.key_cache; }  // any thread
  std::uint64_t commits() const { return metrics_.commits.value(); }
  double group_size_mean() const;

 private:
  // ok, or the reason nothing can be written.
  Status probe();
  Status run(Statement& statement);
  // A transaction is open for what follows.
  Status begin();
  void seal(std::vector<std::unique_ptr<Op>>& ops, bool waits_for_disk);
  void write_sealed();
  // The part of go_on() that is about groups that are durable.
  void settle_written(const RedoWriter::Progress& progress);
  void note_fold();  // that one has ended
  bool fold_is_due() const;
  // Something is to be done that may take long, and cannot be put off.
  bool upkeep_is_due() const;
  void note_unsettled();
  bool unsettled_too_much() const;
  // So long that nobody can have been heard meanwhile: whoever waits for an answer says nothing.
  bool write_is_stuck();
  void settle(Sealed& sealed);
  // Commits the rows, so that other connections see them. REQUIRES: all_settled().
  Status publish();
  // Commits and syncs the rows, and starts the redo files over. REQUIRES: all_settled().
  Status fold();
  // The same for one redo file, while the writer goes on with the other one.
  void fold_when_due();
  bool log_is_due() const;
  void begin_fold();
  // What was committed is synced and moved into the file.
  Status move_log();
  void folded(const Status& status);
  void wait_for_fold();
  // The rows as they were before this group, in an open transaction; and the index that belongs to them.
  Status restore();
  // Not ok: a statement failed, and the group is to be undone by fail().
  [[nodiscard]] Status process_group(std::vector<std::unique_ptr<Op>>& ops, std::size_t promoted_max);
  // Runs the group's sweeps, or its other writes, in the transaction that has begun. False: one threw, and the group has been
  // undone and refused.
  bool run_writes(std::vector<std::unique_ptr<Op>>& ops, bool sweeps);
  void settle_committed();
  void answer_read(std::unique_ptr<Op> op);
  // Delivers its result, or refuses it. What the reply throws ends here.
  void answer(Op& op, const Status& refusal = {});
  // Rolls the group that runs back and rebuilds the index from the rows, once the groups before are durable.
  void undo();
  void rebuild();
  void refuse(std::vector<std::unique_ptr<Op>>& ops, const Status& status);
  void fail(std::vector<std::unique_ptr<Op>>& ops, const Status& status);
  void fail_sealed(const RedoWriter::Progress& progress);
  void fail_after_throw(std::vector<std::unique_ptr<Op>>& ops, Op* thrower);
  void tell();
  // Reads the clocks for what comes next.
  void read_clocks();
  // Called after what may have taken long: a commit, an undo, a probe. Time since the clocks were read in which beats could not
  // be heard is left out of the time listened.
  void may_have_stalled();
  void set_health(const Status& status);

  Connection& db_;
  Connection& log_mover_;
  RedoWriter redo_;
  const Clock& clock_;
  const ListeningClock& listening_;
  const bool synced_;               // groups wait for the disk
  const std::size_t fold_at_;       // bytes in a redo file
  Recording recording_;             // of the groups that are not committed
  std::size_t group_from_ = 0;      // where this group begins in it
  std::size_t redo_used_ = 0;       // of the redo file that is written to
  int log_pages_folded_ = 0;        // in SQLite's log at the last fold
  std::deque<Sealed> sealed_;       // in their order
  std::uint64_t newest_group_ = 0;  // of them
  std::size_t settled_to_ = 0;      // of the recording
  std::unique_ptr<DiskThread> fold_thread_;
  bool folding_ = false;
  const bool overlapped_;                        // without threads, as if there were some
  Group spare_;                                  // its memory is used again
  bool log_in_doubt_ = false;                    // a sync of SQLite's log has failed
  std::vector<std::unique_ptr<Op>> unfinished_;  // a group that failed where nobody could wait for its undoing
  Status unfinished_failure_;
  Core core_;
  const Incidents incidents_;
  std::mutex listener_mutex_;  // held while the listener is told; guards listener_
  Listener* listener_ = nullptr;
  bool suspect_ = false;  // the last group failed: probe before the next
  bool index_broken_ = false;
  bool stale_ = false;  // rows and index could not be restored yet
  bool stuck_ = false;  // a write took so long that nobody can have been heard, and its end has not been noted
  Ticks read_at_;       // by listening_; while suspect_ it stays where the trouble began
  ListenedTime time_;   // without the time in which a commit was stuck or nothing could be written
  CommitMetrics metrics_;
  Histogram& group_size_;
  Gauge& index_entries_;

  mutable std::mutex health_mutex_;  // leaf; guards health_
  StoreHealth health_;
};

}  // namespace muster::store::sqlite
