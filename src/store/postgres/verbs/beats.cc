// Heartbeats: one statement for many workers, and one unlogged row each. Leases are renewed by it without being written: a lease
// holds while its worker was seen within the granted time. What was over before the beat stays over, which is written down when
// it happens.
#include <optional>

#include "store/codec/spec_text.h"
#include "store/jobs/workers.h"
#include "store/postgres/node.h"
#include "store/postgres/verbs/lease_pairs.h"
#include "store/postgres/verbs/verbs.h"
#include "store/postgres/verbs/worker_counts.h"
#include "store/postgres/verbs/worker_rows.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

const Sql kBeatNote{"beat_note"};
const Sql kBeatHeld{"beat_held"};
const Sql kBeatLapsed{"beat_lapsed"};
const Sql kBeatLengthen{"beat_lengthen"};
const Sql kBeatRevive{"beat_revive"};
const Sql kWorkerOwnDrain{"worker_own_drain"};

class Heartbeat {
 public:
  Heartbeat(Tx& tx, const std::vector<Beat>& batch) : tx_(tx), batch_(batch), own_(batch.size()), reader_(tx) {}

  Each<BeatReply> run() {
    for (std::size_t i = 0; i < batch_.size(); ++i) {
      const auto ns = tx_.namespace_key(batch_[i].ns);
      answers_.push_back(ns.ok() ? refusal::no_worker(batch_[i].ns, batch_[i].worker) : ns.status());
      if (!ns.ok()) continue;
      asked_.push_back({i, *ns});
      own_[i].resize(batch_[i].held.size());
    }
    if (asked_.empty()) return std::move(answers_);
    // Answers come back in the order of the statements; which of them there are depends on the beats.
    const bool drains = note_own_drains();
    const bool holds = note_held();
    WorkerDeltas deltas = note_worker_counts(tx_);
    note_beats();
    const std::vector<Rows> rows = tx_.ask_all();
    if (tx_.failed() || rows.empty()) {
      tx_.directory().give_back_worker_counts(deltas);
      return std::move(answers_);
    }
    std::size_t last = rows.size() - 1;
    const Rows& beats = rows[last];
    if (!deltas.empty()) settle_worker_counts(tx_, deltas, rows[--last]);
    if (holds) take_held(rows[--last]);
    if (drains) tell_drains(rows[--last]);
    for (std::size_t i = 0; i < beats.size(); ++i) take_beat(beats, i);
    write_lapsed();
    lengthen_leases();
    return std::move(answers_);
  }

 private:
  struct Asked {
    std::size_t at = 0;  // in the batch
    NamespaceKey ns = 0;
  };

  static std::optional<std::int64_t> session_of(const Beat& beat) {
    if (!beat.session) return std::nullopt;
    return static_cast<std::int64_t>(to_number(*beat.session));
  }

  bool note_own_drains() {
    NameColumns names;
    Column session(Type::int8);
    for (const Asked& asked : asked_) {
      if (batch_[asked.at].accepting) continue;
      names.add(asked.ns, batch_[asked.at].worker);
      session.add(session_of(batch_[asked.at]));
    }
    if (names.size() == 0) return false;
    Params params = names.params();
    tx_.write(kWorkerOwnDrain, std::move(params.array(std::move(session)).bytes(jobs::kDrainsItself)));
    return true;
  }

  bool note_held() {
    NameColumns names;
    Column job(Type::int8), fence(Type::int8);
    for (const Asked& asked : asked_) {
      const std::vector<LeaseRef>& held = batch_[asked.at].held;
      for (std::size_t i = 0; i < held.size(); ++i) {
        const auto key = tx_.ids().decode(held[i].job);
        if (!key) continue;
        names.add(asked.ns, batch_[asked.at].worker);
        job.add(*key);
        fence.add(static_cast<std::int64_t>(to_number(held[i].fence)));
        held_.emplace_back(asked.at, i);
      }
    }
    if (held_.empty()) return false;
    Params params = names.params();
    tx_.write(kBeatHeld, std::move(params.array(std::move(job)).array(std::move(fence))));
    return true;
  }

  // What was over before the beat is marked so by now.
  void lengthen_leases() {
    NameColumns names;
    Column session(Type::int8), adds(Type::int8), ahead(Type::int8);
    for (const Asked& asked : asked_) {
      const Beat& beat = batch_[asked.at];
      if (!beat.lengthens) continue;
      names.add(asked.ns, beat.worker);
      session.add(session_of(beat));
      adds.add(std::int64_t{beat.lengthens->by.count()});
      ahead.add(std::int64_t{beat.lengthens->ahead_max.count()});
    }
    if (names.size() == 0) return;
    Params params = names.params();
    tx_.write(kBeatLengthen, std::move(params.array(std::move(session)).array(std::move(adds)).array(std::move(ahead))));
  }

  void note_beats() {
    NameColumns names;
    Column session(Type::int8), stats(Type::bytes), revision(Type::int8);
    for (const Asked& asked : asked_) {
      const Beat& beat = batch_[asked.at];
      const WorkerPtr known = tx_.directory().find_worker(asked.ns, beat.worker);
      names.add(asked.ns, beat.worker);
      session.add(session_of(beat));
      stats.add(std::string_view(beat.stats));
      revision.add(known != nullptr ? known->revision : std::int64_t{0});
    }
    Params params = names.params();
    params.array(std::move(session)).array(std::move(stats)).array(std::move(revision)).text(tx_.node().options.node);
    tx_.write(kBeatNote, std::move(params));
  }

  void take_held(const Rows& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& [at, place] = held_.at(static_cast<std::size_t>(rows.integer(i, 0) - 1));
      own_[at][place] = true;
    }
  }

  void tell_drains(const Rows& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      tx_.changes.workers.push_back({reader_.name_of(static_cast<NamespaceKey>(rows.integer(i, 0))), WorkerId(rows.text(i, 1)),
                                     SessionId{static_cast<std::uint64_t>(rows.integer(i, 2))}, WorkerState::online,
                                     WorkerState::draining, tx_.now(), jobs::kDrainsItself});
  }

  void take_beat(const Rows& rows, std::size_t row) {
    const Asked& asked = asked_.at(static_cast<std::size_t>(rows.integer(row, 0) - 1));
    const Beat& beat = batch_[asked.at];
    Worker worker;
    worker.spec.ns = beat.ns;
    worker.spec.id = beat.worker;
    worker.state = static_cast<WorkerState>(rows.integer(row, 2));
    worker.session = SessionId{static_cast<std::uint64_t>(rows.integer(row, 3))};
    worker.offline_cause = rows.text(row, 5);
    if (const Status status = jobs::live_session(worker, beat.session); !status.ok()) {
      answers_[asked.at] = status;
      return;
    }
    if (const auto deadline = rows.maybe(row, 6)) worker.drain_deadline = from_ms(*deadline);
    worker.drain_reason = rows.text(row, 7);
    BeatReply reply;
    reply.state = worker.state;
    reply.drain_deadline = worker.drain_deadline;
    reply.drain_reason = worker.drain_reason;
    reply.running = static_cast<std::uint32_t>(rows.integer(row, 9));
    reply.next_beat_in = interval_of(asked, rows, row, std::move(worker));
    for (const auto& [job, fence] : lease_pairs(rows.view(row, 10)))
      reply.cancel.push_back({tx_.ids().encode(job), Fence{static_cast<std::uint64_t>(fence)}});
    for (std::size_t i = 0; i < beat.held.size(); ++i)
      if (!own_[asked.at][i]) reply.lost.push_back(beat.held[i]);
    for (const auto& [job, ends] : lease_pairs(rows.view(row, 11))) lapsed_.emplace(job, ends);
    answers_[asked.at] = std::move(reply);
  }

  // From this node's cache; a worker that changed brought its description along.
  Duration interval_of(const Asked& asked, const Rows& rows, std::size_t row, Worker worker) {
    if (rows.null(row, 8)) {
      const WorkerPtr known = tx_.directory().find_worker(asked.ns, worker.spec.id);
      return known != nullptr ? known->worker.spec.policy->interval : default_policy(worker.spec.dialect).interval;
    }
    worker_from_text(rows.view(row, 8), worker.spec);
    worker.registered_at = worker.last_seen_at = tx_.now();
    WorkerRow fresh;
    fresh.key = static_cast<WorkerKey>(rows.integer(row, 1));
    fresh.ns = asked.ns;
    fresh.revision = rows.integer(row, 4);
    fresh.worker = std::move(worker);
    remember_worker(tx_, fresh);
    return fresh.worker.spec.policy->interval;
  }

  void write_lapsed() {
    if (lapsed_.empty()) return;
    Column job(Type::int8), ends(Type::int8);
    for (const auto& [key, end] : lapsed_) {
      job.add(key);
      ends.add(end);
    }
    tx_.write(kBeatLapsed, std::move(Params().array(std::move(job)).array(std::move(ends))));
  }

  Tx& tx_;
  const std::vector<Beat>& batch_;
  Each<BeatReply> answers_;
  std::vector<Asked> asked_;
  std::vector<std::pair<std::size_t, std::size_t>> held_;  // (beat, place in its list), as asked
  std::vector<std::vector<bool>> own_;                     // by beat: which of the held leases are its own
  std::map<std::int64_t, std::int64_t> lapsed_;            // leases found over, with their ends
  const WorkerReader reader_;
};

}  // namespace

Each<BeatReply> heartbeat(Tx& tx, const std::vector<Beat>& batch) { return Heartbeat(tx, batch).run(); }

void revive_beats(Tx& tx) { tx.write(kBeatRevive); }

}  // namespace muster::store::postgres
