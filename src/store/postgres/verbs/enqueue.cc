// Enqueueing with keys, dependencies, wishes, or into lanes that are new: all or nothing, in one transaction.
#include <algorithm>
#include <map>
#include <set>

#include "model/rank.h"
#include "store/codec/spec_text.h"
#include "store/postgres/moves.h"
#include "store/postgres/node.h"
#include "store/postgres/verbs/verbs.h"
#include "store/postgres/wishes.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

struct Draft {
  const JobSpec* spec = nullptr;
  NamespaceKey ns = 0;
  JobKey key = 0;
  JobKey existing = 0;          // another job stands for it
  std::vector<JobKey> pending;  // dependencies that are not finished
  bool dependency_failed = false;
  LanePtr lane;
  std::int64_t rank = 0;
  std::int64_t due = 0;
  Place place = Place::ready;
  std::optional<Wishes> wishes;
};

using ScopedKey = std::pair<NamespaceKey, std::string>;

// Writes (namespace, key, job) rows in the order of their keys, so that two batches with the same keys do not wait for each other
// in a circle; says which job holds each key now.
std::map<ScopedKey, JobKey> take_keys(Tx& tx, Sql put, Sql find, const std::map<ScopedKey, JobKey>& wanted) {
  std::map<ScopedKey, JobKey> holders;
  if (wanted.empty()) return holders;
  Table asked({Type::int4, Type::bytes}), taken = key_table();
  for (const auto& [scoped, id] : wanted) {
    asked.add(scoped.first, scoped.second);
    taken.add(scoped.first, scoped.second, id);
  }
  tx.write(put, taken.params());
  const Rows rows = tx.ask(find, asked.params());
  for (std::size_t i = 0; i < rows.size(); ++i)
    holders[{static_cast<NamespaceKey>(rows.integer(i, 0)), rows.text(i, 1)}] = rows.integer(i, 2);
  return holders;
}

std::vector<JobKey> draw_job_keys(Tx& tx, std::size_t count) {
  const Rows rows = tx.ask("job_keys"_sql, Params().int4(static_cast<std::int64_t>(count)));
  std::vector<JobKey> keys;
  for (std::size_t i = 0; i < rows.size() && i < count; ++i) keys.push_back(rows.integer(i, 0));
  return keys;
}

class Batch {
 public:
  Batch(Tx& tx, const std::vector<JobSpec>& jobs) : tx_(tx) {
    for (const JobSpec& spec : jobs) drafts_.push_back({.spec = &spec});
  }
  // With keys that were drawn before; jobs may wait for others of the batch.
  Batch(Tx& tx, const std::vector<JobSpec>& jobs, const std::vector<JobKey>& keys) : Batch(tx, jobs) {
    for (std::size_t i = 0; i < drafts_.size(); ++i) drafts_[i].key = keys[i];
    own_.insert(keys.begin(), keys.end());
  }

  Result<std::vector<Enqueued>> run() {
    if (Status status = resolve_names(); !status.ok()) return status;
    lock_gates();
    if (Status status = resolve_dependencies(); !status.ok()) return status;
    if (Status status = find_lanes(); !status.ok()) return status;
    give_keys();
    settle_keys();
    for (Draft& draft : drafts_)
      if (draft.existing == 0) shape(draft);
    write_rows();
    place();
    return answers();
  }

 private:
  Status resolve_names() {
    for (Draft& draft : drafts_) {
      const auto ns = tx_.namespace_key(draft.spec->ns);
      if (!ns.ok()) return ns.status();
      draft.ns = *ns;
      if (!tx_.directory().takes_jobs(draft.spec->ns)) return refusal::namespace_disabled(draft.spec->ns);
    }
    return {};
  }

  void lock_gates() {
    std::vector<NamespaceKey> gates;
    for (const Draft& draft : drafts_)
      if (claims_specially(*draft.spec)) gates.push_back(draft.ns);
    tx_.lock_gates(std::move(gates));
  }

  Status resolve_dependencies() {
    std::vector<JobKey> keys;
    for (const Draft& draft : drafts_)
      for (const JobId& id : draft.spec->after)
        if (const auto key = tx_.ids().decode(id); key && !own_.contains(*key)) keys.push_back(*key);
    if (keys.empty() && std::all_of(drafts_.begin(), drafts_.end(), [](const Draft& d) { return d.spec->after.empty(); }))
      return {};
    const std::map<JobKey, LiveJob> live = lock_jobs(tx_, keys);
    std::map<JobKey, JobState> states;
    const Rows rows = tx_.ask("states_read"_sql, Params().int8s(keys));
    for (std::size_t i = 0; i < rows.size(); ++i) states[rows.integer(i, 0)] = static_cast<JobState>(rows.integer(i, 1));
    for (Draft& draft : drafts_) {
      for (const JobId& id : draft.spec->after) {
        const auto key = tx_.ids().decode(id);
        if (key && (live.contains(*key) || own_.contains(*key))) {
          if (std::find(draft.pending.begin(), draft.pending.end(), *key) == draft.pending.end()) draft.pending.push_back(*key);
          continue;
        }
        const auto state = key ? states.find(*key) : states.end();
        if (state == states.end()) return refusal::no_dependency(id);
        if (state->second != JobState::completed && draft.spec->on_dependency_failure == OnDependencyFailure::cancel)
          draft.dependency_failed = true;
      }
    }
    return {};
  }

  Status find_lanes() {
    for (Draft& draft : drafts_) {
      const auto lane =
          tx_.lane_for(draft.ns, draft.spec->queue, draft.spec->type, plain_needs(*draft.spec), claims_specially(*draft.spec));
      if (lane.ok())
        draft.lane = *lane;
      else if (lane.status().code() == Code::exhausted)
        return lane.status();
    }
    return tx_.lacks_names() ? Status::unavailable("lanes are being made") : Status();
  }

  void give_keys() {
    if (!own_.empty()) return;
    const std::vector<JobKey> keys = draw_job_keys(tx_, drafts_.size());
    for (std::size_t i = 0; i < keys.size(); ++i) drafts_[i].key = keys[i];
  }

  // Idempotency first, then unique keys, as if one job came after the other.
  void settle_keys() {
    std::map<ScopedKey, JobKey> wanted;
    for (const Draft& draft : drafts_)
      if (!draft.spec->idempotency_key.empty()) wanted.try_emplace({draft.ns, draft.spec->idempotency_key}, draft.key);
    const auto by_idempotency = take_keys(tx_, "idempotency_put"_sql, "idempotency_find"_sql, wanted);
    for (Draft& draft : drafts_) {
      if (draft.spec->idempotency_key.empty()) continue;
      const auto holder = by_idempotency.find({draft.ns, draft.spec->idempotency_key});
      if (holder != by_idempotency.end() && holder->second != draft.key) draft.existing = holder->second;
    }
    wanted.clear();
    for (const Draft& draft : drafts_)
      if (draft.existing == 0 && draft.spec->unique) wanted.try_emplace({draft.ns, draft.spec->unique->key}, draft.key);
    const auto by_unique = take_keys(tx_, "unique_put"_sql, "unique_holders"_sql, wanted);
    std::vector<std::int64_t> undone;
    std::map<JobKey, JobKey> stands_for;
    for (Draft& draft : drafts_) {
      if (draft.existing != 0 || !draft.spec->unique) continue;
      const auto holder = by_unique.find({draft.ns, draft.spec->unique->key});
      if (holder == by_unique.end() || holder->second == draft.key) continue;
      draft.existing = holder->second;
      stands_for[draft.key] = holder->second;
      if (!draft.spec->idempotency_key.empty()) undone.push_back(draft.key);
    }
    if (!undone.empty()) tx_.write("idempotency_delete"_sql, Params().int8s(undone));
    for (Draft& draft : drafts_)
      if (const auto other = stands_for.find(draft.existing); other != stands_for.end()) draft.existing = other->second;
  }

  void shape(Draft& draft) {
    const JobSpec& spec = *draft.spec;
    const Instant due = std::max(spec.run_at.value_or(tx_.now() + spec.delay), tx_.now());
    draft.due = to_ms(due);
    if (settles_specially(spec)) draft.wishes = wishes_of(spec, draft.ns, tx_.now());
    if (draft.wishes) draft.wishes->pending = static_cast<std::uint32_t>(draft.pending.size());
    draft.place = !draft.pending.empty() ? Place::blocked : due <= tx_.now() ? Place::ready : Place::scheduled;
    draft.rank = rank_of(due, spec.priority);
    if (spec.fairness && draft.place == Place::ready) stamp(draft);
  }

  void stamp(Draft& draft) {
    const std::string& key = draft.spec->fairness->key;
    const LaneKey lane = draft.lane->key;
    if (!fair_.contains({lane, key})) {
      const Rows rows = tx_.ask("fair_read"_sql, Params().int4(lane).bytes(key));
      fair_[{lane, key}] = 0;
      fair_.try_emplace({lane, {}}, 0);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        auto& known = fair_[{lane, rows.text(i, 0)}];
        known = std::max(known, rows.integer(i, 1));
      }
    }
    std::int64_t& lane_time = fair_[{lane, {}}];
    std::int64_t& finish = fair_[{lane, key}];
    const FairStamp stamp = fair_stamp(from_ms(draft.due), lane_time, finish, draft.spec->fairness->weight);
    if (lane_time == 0) lane_time = stamp.start;
    finish = stamp.finish;
    draft.rank = fair_rank(stamp, draft.spec->priority);
    draft.wishes->fair_lane = lane;
    draft.wishes->fair_start = stamp.start;
  }

  void write_rows() {
    Table rows = enqueue_table(), dependencies({Type::int8, Type::int8});
    std::set<JobKey> watched;
    for (const Draft& draft : drafts_) {
      if (draft.existing != 0) continue;
      const JobSpec& spec = *draft.spec;
      rows.add(draft.key, draft.lane->key, spec.priority, draft.due, 0, spec.expires_in, spec.lease_ttl, spec.timeout,
               flags_of(spec), draft.wishes.has_value(), draft.place, draft.rank, or_null(spec_to_text(spec)), spec.payload.data,
               spec.deadline);
      if (draft.wishes) write_wishes(tx_, draft.key, *draft.wishes);
      for (const JobKey before : draft.pending) {
        watched.insert(before);
        dependencies.add(draft.key, before);
      }
      const JobState state = state_of(draft.place);
      tx_.tell(draft.key, draft.lane->key, std::nullopt, state, JobEvent::enqueued, 0, 0, 0);
      tx_.directory().count_enqueued(draft.lane->queue, 1);
      if (draft.place == Place::scheduled) tx_.node().expect_due(draft.due);
      if (draft.place == Place::ready && !claims_specially(spec) && !draft.dependency_failed) tx_.wake(draft.lane->key);
    }
    if (rows.empty()) return;
    tx_.write("enqueue"_sql, rows.params());
    for (const auto& [name, finish] : fair_) tx_.write("fair_put"_sql, Params().int4(name.first).bytes(name.second).int8(finish));
    if (watched.empty()) return;
    tx_.write("dependencies_put"_sql, dependencies.params());
    tx_.write("watch"_sql, Params().int8s({watched.begin(), watched.end()}));
  }

  // Special jobs take their places by the same rule as when they come back; one whose dependency had failed ends at once.
  void place() {
    std::vector<JobKey> keys;
    for (const Draft& draft : drafts_)
      if (draft.existing == 0 && (draft.dependency_failed || (draft.place == Place::ready && claims_specially(*draft.spec))))
        keys.push_back(draft.key);
    if (keys.empty()) return;
    std::map<JobKey, LiveJob> jobs = lock_jobs(tx_, keys);
    Moves moves(tx_);
    for (Draft& draft : drafts_) {
      const auto job = jobs.find(draft.key);
      if (draft.existing != 0 || job == jobs.end()) continue;
      if (draft.dependency_failed)
        moves.cancel(job->second, jobs::dependency_failed_before());
      else
        moves.place(job->second);
    }
    moves.flush();
  }

  std::vector<Enqueued> answers() {
    std::vector<JobKey> existing;
    for (const Draft& draft : drafts_)
      if (draft.existing != 0) existing.push_back(draft.existing);
    std::map<JobKey, JobState> states;
    if (!existing.empty()) {
      const Rows rows = tx_.ask("states_read"_sql, Params().int8s(existing));
      for (std::size_t i = 0; i < rows.size(); ++i) states[rows.integer(i, 0)] = static_cast<JobState>(rows.integer(i, 1));
    }
    std::vector<Enqueued> out;
    for (const Draft& draft : drafts_) {
      if (draft.existing != 0) {
        const auto state = states.find(draft.existing);
        out.push_back({tx_.ids().encode(draft.existing), state == states.end() ? JobState::completed : state->second, true});
      } else {
        const JobState state = draft.dependency_failed ? JobState::cancelled : state_of(draft.place);
        out.push_back({tx_.ids().encode(draft.key), state, false});
      }
    }
    return out;
  }

  Tx& tx_;
  std::vector<Draft> drafts_;
  std::set<JobKey> own_;                                          // keys of the batch that were drawn before
  std::map<std::pair<LaneKey, std::string>, std::int64_t> fair_;  // the empty key: the lane's virtual time
};

}  // namespace

Result<std::vector<Enqueued>> enqueue(Tx& tx, const std::vector<JobSpec>& jobs) { return Batch(tx, jobs).run(); }

Result<std::vector<Enqueued>> enqueue_linked(Tx& tx, std::vector<JobSpec> jobs,
                                             const std::vector<std::vector<std::uint32_t>>& after) {
  const std::vector<JobKey> keys = draw_job_keys(tx, jobs.size());
  if (keys.size() < jobs.size()) return Status::unavailable("the database is away");
  for (std::size_t i = 0; i < jobs.size() && i < after.size(); ++i)
    for (const std::uint32_t place : after[i]) jobs[i].after.push_back(tx.ids().encode(keys[place]));
  return Batch(tx, jobs, keys).run();
}

}  // namespace muster::store::postgres
