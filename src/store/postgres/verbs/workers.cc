// Registration: a name gets a session, new ones and offline ones many at a time. A live worker keeps its session when it names
// it; otherwise its leases are lost and another session begins.
#include <optional>
#include <set>

#include "model/limits.h"
#include "store/codec/spec_text.h"
#include "store/jobs/rules.h"
#include "store/jobs/workers.h"
#include "store/postgres/node.h"
#include "store/postgres/statements.h"
#include "store/postgres/verbs/verbs.h"
#include "store/postgres/verbs/worker_rows.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

// Rounds in which names may be lost to another node that registers them at the same time.
constexpr std::size_t kLostRacesMax = 3;

// One registration on its way.
struct Joining {
  std::size_t at = 0;  // in the batch
  NamespaceKey ns = 0;
  WorkerKey key = 0;      // 0: the name is new
  bool replaces = false;  // a live worker, by the look of it
};

WorkerSpec filled_in(const WorkerSpec& spec) {
  WorkerSpec out = spec;
  out.resume.reset();
  if (!out.policy) out.policy = default_policy(out.dialect);
  return out;
}

bool resumes(const WorkerSpec& spec, const Worker& worker) { return spec.resume && *spec.resume == worker.session; }

class Registration {
 public:
  Registration(Tx& tx, const std::vector<WorkerSpec>& batch)
      : tx_(tx), batch_(batch), answers_(batch.size(), Status::unavailable("another node registers this worker; try again")) {}

  Each<Registered> run() {
    std::vector<Joining> todo;
    for (std::size_t i = 0; i < batch_.size(); ++i) {
      const auto ns = tx_.namespace_key(batch_[i].ns);
      if (ns.ok())
        todo.push_back({i, *ns});
      else
        answers_[i] = ns.status();
    }
    // A name that stands in the batch again has its turn in the next round.
    const std::size_t rounds = batch_.size() + kLostRacesMax;
    for (std::size_t i = 0; i < rounds && !todo.empty() && !tx_.failed(); ++i) todo = round(std::move(todo));
    return std::move(answers_);
  }

 private:
  // Returns those that are left.
  std::vector<Joining> round(std::vector<Joining> todo) {
    std::vector<Joining> later;
    std::vector<Joining> now = first_of_each_name(std::move(todo), later);
    look(now);
    std::vector<WorkerKey> replaced, known;
    for (const Joining& joining : now) {
      if (joining.replaces) replaced.push_back(joining.key);
      if (joining.key != 0) known.push_back(joining.key);
    }
    // What this node counted is of the session that may end here.
    std::optional<WrittenCounts> counts;
    if (!known.empty()) counts.emplace(tx_);
    // Replaced ones are locked with the others, after the gates they need.
    auto rows = replaced.empty() ? lock_workers(tx_, known) : lock_leaving(tx_, known);
    add_new(now, later);
    std::vector<Departure> departures;
    std::vector<Joining> returning;
    for (Joining& joining : now) {
      if (joining.key == 0) continue;
      const auto found = rows.find(joining.key);
      if (found == rows.end()) {
        later.push_back(joining);  // its row was pruned meanwhile
        continue;
      }
      const WorkerSpec& spec = batch_[joining.at];
      joining.replaces = found->second.live() && !resumes(spec, found->second.worker);
      if (joining.replaces) departures.push_back({&found->second, jobs::worker_replaced(spec.id)});
      returning.push_back(joining);
    }
    end_leases(tx_, departures);
    take_back(returning, rows);
    open_beats();
    return later;
  }

  std::vector<Joining> first_of_each_name(std::vector<Joining> todo, std::vector<Joining>& later) const {
    std::set<std::pair<NamespaceKey, std::string>> names;
    std::vector<Joining> first;
    for (const Joining& joining : todo)
      (names.emplace(joining.ns, batch_[joining.at].id.text()).second ? first : later).push_back({joining.at, joining.ns});
    return first;
  }

  void look(std::vector<Joining>& joinings) {
    Table names = name_table();
    for (const Joining& joining : joinings) names.add(joining.ns, batch_[joining.at].id);
    const Rows rows = tx_.ask("worker_look"_sql, names.params());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Joining& joining = joinings.at(static_cast<std::size_t>(rows.integer(i, 0) - 1));
      const std::optional<SessionId>& resume = batch_[joining.at].resume;
      joining.key = static_cast<WorkerKey>(rows.integer(i, 1));
      joining.replaces = static_cast<WorkerState>(rows.integer(i, 2)) != WorkerState::offline &&
                         !(resume && to_number(*resume) == static_cast<std::uint64_t>(rows.integer(i, 3)));
    }
  }

  // How many more workers there may be, up to `wanted`.
  std::size_t room_for(std::size_t wanted) {
    const auto enough = static_cast<std::int64_t>(limits::kWorkersMax) - static_cast<std::int64_t>(wanted);
    const Rows rows = tx_.ask("worker_count"_sql, Params().int8(enough));
    count_ = rows.size() == 0 ? 0 : rows.integer(0, 0);
    return static_cast<std::size_t>(std::max<std::int64_t>(0, static_cast<std::int64_t>(limits::kWorkersMax) - count_));
  }

  void add_new(const std::vector<Joining>& joinings, std::vector<Joining>& later) {
    std::vector<Joining> fresh;
    for (const Joining& joining : joinings)
      if (joining.key == 0) fresh.push_back(joining);
    if (fresh.empty()) return;
    const std::size_t room = room_for(fresh.size());
    for (std::size_t i = room; i < fresh.size(); ++i)
      answers_[fresh[i].at] = refusal::too_many_workers(static_cast<std::size_t>(count_) + room);
    if (fresh.size() > room) fresh.resize(room);
    if (fresh.empty()) return;

    Table table = name_table({Type::int4, Type::int8, Type::text});
    std::map<std::pair<NamespaceKey, std::string>, Joining> by_name;
    for (const Joining& joining : fresh) {
      const WorkerSpec spec = filled_in(batch_[joining.at]);
      table.add(joining.ns, spec.id, spec.slots, spec.policy->dead_after, worker_to_text(spec));
      by_name[{joining.ns, spec.id.text()}] = joining;
    }
    const Rows rows = tx_.ask("worker_add"_sql, table.params());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto found = by_name.find({static_cast<NamespaceKey>(rows.integer(i, 1)), rows.text(i, 2)});
      WorkerRow row;
      row.key = static_cast<WorkerKey>(rows.integer(i, 0));
      row.ns = found->second.ns;
      row.revision = rows.integer(i, 4);
      row.worker.spec = filled_in(batch_[found->second.at]);
      row.worker.session = SessionId{static_cast<std::uint64_t>(rows.integer(i, 3))};
      row.worker.registered_at = row.worker.last_seen_at = tx_.now();
      welcome(found->second.at, row, std::nullopt, "registered", true);
      by_name.erase(found);
    }
    for (const auto& [name, joining] : by_name) later.push_back(joining);  // somebody else was quicker
  }

  void take_back(const std::vector<Joining>& joinings, std::map<WorkerKey, WorkerRow>& rows) {
    std::vector<WorkerRow*> written;
    std::map<WorkerKey, WorkerState> before;
    std::vector<WorkerKey> resumed;
    Table patience({Type::int4, Type::int8});
    for (const Joining& joining : joinings) {
      WorkerRow& row = rows.at(joining.key);
      Worker& worker = row.worker;
      before[row.key] = worker.state;
      const bool resumes = row.live() && !joining.replaces;
      worker.spec = filled_in(batch_[joining.at]);
      worker.last_seen_at = tx_.now();
      worker.offline_at.reset();
      worker.offline_cause.clear();
      written.push_back(&row);
      if (resumes) {
        resumed.push_back(row.key);
        patience.add(row.key, worker.spec.policy->dead_after);
        continue;
      }
      row.renewed = true;
      worker.registered_at = tx_.now();
      worker.completed = worker.failed = 0;
      worker.stats.clear();
      worker.state = WorkerState::online;
      jobs::forget_drain(worker);
      worker.running = 0;
    }
    if (!resumed.empty()) {
      tx_.write("beat_lapse"_sql, Params().int4s(resumed));
      tx_.write("worker_own_ttl"_sql, patience.params());
    }
    const std::set<WorkerKey> kept(resumed.begin(), resumed.end());
    write_workers(tx_, written, Answer::yes);
    for (const Joining& joining : joinings) {
      const bool resumes = kept.contains(joining.key);
      welcome(joining.at, rows.at(joining.key), before.at(joining.key),
              resumes            ? "resumed"
              : joining.replaces ? "replaced"
                                 : "registered",
              !resumes);
      answers_[joining.at]->replaced = joining.replaces;
    }
  }

  void welcome(std::size_t at, const WorkerRow& row, std::optional<WorkerState> from, const char* cause, bool new_session) {
    seen_.push_back(row.key);
    if (new_session) begun_.push_back(row.key);
    tell_worker(tx_, row.worker, from, cause);
    remember_worker(tx_, row);
    answers_[at] = Registered{row.worker.spec.id, row.worker.session, *row.worker.spec.policy, false};
  }

  void open_beats() {
    if (!seen_.empty()) tx_.write("beat_open"_sql, Params().int4s(seen_).int4s(begun_).text(tx_.node().options.node));
    seen_.clear();
    begun_.clear();
  }

  Tx& tx_;
  const std::vector<WorkerSpec>& batch_;
  Each<Registered> answers_;
  std::int64_t count_ = 0;        // of workers, at the last look
  std::vector<WorkerKey> seen_;   // of this round
  std::vector<WorkerKey> begun_;  // of them, those with a new session
};

}  // namespace

Each<Registered> register_workers(Tx& tx, const std::vector<WorkerSpec>& batch) { return Registration(tx, batch).run(); }

namespace {

// Heartbeats: one statement for many workers, and one unlogged row each. Leases are renewed by it without being written: a lease
// holds while its worker was seen within the granted time. What was over before the beat stays over, which is written down when
// it happens.

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

  bool note_own_drains() {
    Table rows = name_table({Type::int8});
    for (const Asked& asked : asked_)
      if (const Beat& beat = batch_[asked.at]; !beat.accepting) rows.add(asked.ns, beat.worker, beat.session);
    if (rows.empty()) return false;
    Params params = rows.params();
    tx_.write("worker_own_drain"_sql, std::move(params.bytes(jobs::kDrainsItself)));
    return true;
  }

  bool note_held() {
    Table rows = name_table({Type::int8, Type::int8});
    for (const Asked& asked : asked_) {
      const std::vector<LeaseRef>& held = batch_[asked.at].held;
      for (std::size_t i = 0; i < held.size(); ++i) {
        const auto key = tx_.ids().decode(held[i].job);
        if (!key) continue;
        rows.add(asked.ns, batch_[asked.at].worker, *key, held[i].fence);
        held_.emplace_back(asked.at, i);
      }
    }
    if (held_.empty()) return false;
    tx_.write("beat_held"_sql, rows.params());
    return true;
  }

  // What was over before the beat is marked so by now.
  void lengthen_leases() {
    Table rows = name_table({Type::int8, Type::int8, Type::int8});
    for (const Asked& asked : asked_)
      if (const Beat& beat = batch_[asked.at]; beat.lengthens)
        rows.add(asked.ns, beat.worker, beat.session, beat.lengthens->by, beat.lengthens->ahead_max);
    if (!rows.empty()) tx_.write("beat_lengthen"_sql, rows.params());
  }

  void note_beats() {
    Table rows = name_table({Type::int8, Type::bytes, Type::int8});
    for (const Asked& asked : asked_) {
      const Beat& beat = batch_[asked.at];
      const WorkerPtr known = tx_.directory().find_worker(asked.ns, beat.worker);
      rows.add(asked.ns, beat.worker, beat.session, beat.stats, known != nullptr ? known->revision : 0);
    }
    Params params = rows.params();
    tx_.write("beat_note"_sql, std::move(params.text(tx_.node().options.node)));
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
    worker.drain_origin = static_cast<DrainOrigin>(rows.integer(row, 12));
    BeatReply reply;
    reply.state = worker.state;
    reply.drain_deadline = worker.drain_deadline;
    reply.drain_reason = worker.drain_reason;
    reply.drain_origin = worker.drain_origin;
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
    Table rows({Type::int8, Type::int8});
    for (const auto& [job, ends] : lapsed_) rows.add(job, ends);
    tx_.write("beat_lapsed"_sql, rows.params());
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

void revive_beats(Tx& tx) { tx.write("beat_revive"_sql); }

}  // namespace muster::store::postgres
