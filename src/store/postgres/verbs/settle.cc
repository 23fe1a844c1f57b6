#include "store/postgres/verbs/settle.h"

#include <algorithm>
#include <map>
#include <optional>

#include "model/key_scope.h"
#include "model/rank.h"
#include "store/codec/spec_text.h"
#include "store/postgres/moves.h"
#include "store/postgres/verbs/verbs.h"
#include "store/postgres/wishes.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

const LeaseRef& lease_of(const Outcome& outcome) { return jobs::lease_of(outcome); }
const LeaseRef& lease_of(const Extension& extension) {
  return std::visit([](const auto& item) -> const LeaseRef& { return item.lease; }, extension);
}

std::map<JobKey, jobs::Past> read_past(Tx& tx, const std::vector<JobKey>& keys) {
  std::map<JobKey, jobs::Past> out;
  if (keys.empty()) return out;
  const Rows rows = tx.ask("settled_read"_sql, Params().int8s(keys));
  for (std::size_t i = 0; i < rows.size(); ++i)
    out[rows.integer(i, 0)] = {static_cast<JobState>(rows.integer(i, 1)), static_cast<JobEvent>(rows.integer(i, 2)),
                               Fence{static_cast<std::uint64_t>(rows.integer(i, 3))},
                               static_cast<std::uint32_t>(rows.integer(i, 4)), from_ms(rows.maybe(i, 5))};
  return out;
}

bool holds(const LiveJob& job, const LeaseRef& lease, std::int64_t now) {
  return job.running && static_cast<std::uint64_t>(job.fence) == to_number(lease.fence) && job.lease_until > now;
}

// Those of callers that may not speak about the job. Read in the verb's own transaction, behind the locks of the jobs.
template <class Item>
std::vector<std::optional<Status>> out_of_bounds(Tx& tx, const std::vector<Item>& items) {
  std::vector<std::optional<Status>> out(items.size());
  std::vector<JobId> bound;
  for (const Item& item : items)
    if (const LeaseRef& lease = lease_of(item); lease.bounds != nullptr) bound.push_back(lease.job);
  if (bound.empty()) return out;
  const Each<Job> jobs = get_jobs(tx, bound);
  std::size_t next = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const LeaseRef& lease = lease_of(items[i]);
    if (lease.bounds == nullptr) continue;
    const Result<Job>& job = jobs[next++];
    if (!job.ok() || job->fence != lease.fence) continue;  // the verb answers: it is not there, or the lease is lost
    if (Status allowed = within_bounds(lease.bounds.get(), lease.job, {job->worker, job->spec.ns}); !allowed.ok())
      out[i] = allowed;
  }
  return out;
}

void apply(Tx& tx, Moves& moves, LiveJob& job, const Outcome& outcome) {
  if (const auto* completion = std::get_if<Completion>(&outcome))
    return moves.move(job, jobs::complete(job.standing()), completion->result);
  if (const auto* failure = std::get_if<Failure>(&outcome))
    return failure->undelivered ? moves.lose(job, failure->error) : moves.fail(job, *failure);
  if (const auto* snooze = std::get_if<Snooze>(&outcome))
    return moves.move(job, jobs::snooze(job.standing(), tx.now() + snooze->delay));
  moves.hand_back(job);
}

template <class Item>
std::vector<std::optional<JobKey>> keys_of(Tx& tx, const std::vector<Item>& items) {
  std::vector<std::optional<JobKey>> out;
  for (const Item& item : items) out.push_back(tx.ids().decode(lease_of(item).job));
  return out;
}

std::vector<JobKey> known(const std::vector<std::optional<JobKey>>& keys) {
  std::vector<JobKey> out;
  for (const auto& key : keys)
    if (key) out.push_back(*key);
  return out;
}

}  // namespace

std::vector<Result<Settled>> settle(Tx& tx, const std::vector<Outcome>& outcomes) {
  const auto keys = keys_of(tx, outcomes);
  std::map<JobKey, LiveJob> jobs = lock_jobs(tx, known(keys));
  std::vector<JobKey> idle;
  for (const auto& key : keys)
    if (key && (!jobs.contains(*key) || !jobs.at(*key).running)) idle.push_back(*key);
  const std::map<JobKey, jobs::Past> past = read_past(tx, idle);

  Moves moves(tx);
  std::map<JobKey, std::size_t> moved;  // by which element of the batch
  std::vector<JobKey> snoozed;
  std::vector<std::optional<Status>> refused = out_of_bounds(tx, outcomes);
  std::vector<std::optional<Settled>> settled(outcomes.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const LeaseRef& lease = lease_of(outcomes[i]);
    if (refused[i]) continue;
    if (!keys[i]) {
      refused[i] = refusal::no_job(lease.job);
    } else if (const auto before = moved.find(*keys[i]); before != moved.end()) {
      const Outcome& first = outcomes[before->second];
      if (first.index() != outcomes[i].index() || lease_of(first) != lease) refused[i] = refusal::lease_lost(lease);
    } else if (const auto live = jobs.find(*keys[i]); live != jobs.end() && live->second.running) {
      if (!holds(live->second, lease, tx.now_ms())) {
        refused[i] = refusal::lease_lost(lease);
        continue;
      }
      apply(tx, moves, live->second, outcomes[i]);
      moved.emplace(*keys[i], i);
      if (std::holds_alternative<Snooze>(outcomes[i])) snoozed.push_back(*keys[i]);
    } else if (const auto gone = past.find(*keys[i]); gone != past.end()) {
      auto again = jobs::repeated(lease, jobs::event_of(outcomes[i]), gone->second);
      again.ok() ? void(settled[i] = *again) : void(refused[i] = again.status());
    } else {
      refused[i] = refusal::no_job(lease.job);
    }
  }
  moves.flush();
  if (!snoozed.empty()) tx.write("agent_executions_snoozed"_sql, std::move(Params().int8s(snoozed)));

  std::vector<Result<Settled>> answers;
  answers.reserve(outcomes.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (refused[i]) {
      answers.emplace_back(*refused[i]);
    } else if (settled[i]) {
      answers.emplace_back(*settled[i]);
    } else {
      const Moves::Outcome& outcome = moves.outcome(*keys[i]);
      Settled out{lease_of(outcomes[i]).job, outcome.state, outcome.attempt, std::nullopt};
      if (!is_finished(outcome.state) && outcome.run_at) out.run_at = from_ms(*outcome.run_at);
      answers.emplace_back(out);
    }
  }
  return answers;
}

std::vector<Result<Renewed>> extend(Tx& tx, const std::vector<Extension>& extensions) {
  const auto keys = keys_of(tx, extensions);
  const std::map<JobKey, LiveJob> jobs = lock_jobs(tx, known(keys));
  std::vector<JobKey> idle;
  for (const auto& key : keys)
    if (key && !jobs.contains(*key)) idle.push_back(*key);
  const std::map<JobKey, jobs::Past> past = read_past(tx, idle);
  std::map<JobKey, std::int64_t> granted;
  std::map<JobKey, Encoding> partials;  // encodings of what was reported before
  {
    const Rows rows = tx.ask("leases_read"_sql, Params().int8s(known(keys)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      granted[rows.integer(i, 0)] = rows.integer(i, 1);
      if (!rows.null(i, 2)) partials[rows.integer(i, 0)] = partial_encoding_from_text(rows.view(i, 2));
    }
  }
  const std::vector<std::optional<Status>> refused = out_of_bounds(tx, extensions);
  std::vector<Result<Renewed>> answers;
  for (std::size_t i = 0; i < extensions.size(); ++i) {
    if (refused[i]) {
      answers.emplace_back(*refused[i]);
      continue;
    }
    const LeaseRef& lease = lease_of(extensions[i]);
    const auto live = keys[i] ? jobs.find(*keys[i]) : jobs.end();
    if (live == jobs.end() || !holds(live->second, lease, tx.now_ms())) {
      const bool exists = live != jobs.end() || (keys[i] && past.contains(*keys[i]));
      answers.emplace_back(exists ? refusal::lease_lost(lease) : refusal::no_job(lease.job));
      continue;
    }
    std::int64_t& ttl = granted[*keys[i]];
    const auto* renewal = std::get_if<Renewal>(&extensions[i]);
    const bool own = renewal != nullptr && renewal->ttl && renewal->ttl->count() != ttl;
    if (own) ttl = renewal->ttl->count();
    const std::int64_t until = tx.now_ms() + ttl;
    Table rows({Type::int8, Type::int8, Type::int8, Type::boolean});
    rows.add(*keys[i], until, ttl, own);
    tx.write("renew"_sql, rows.params());
    if (const auto* report = std::get_if<ProgressUpdate>(&extensions[i])) {
      Progress progress{report->fraction, report->message, report->partial, tx.now()};
      // Without a partial result the one before stays, and so does its encoding.
      if (!progress.partial && partials.contains(*keys[i])) progress.partial = Content{{}, partials[*keys[i]]};
      Table reports({Type::int8, Type::text, Type::bytes});
      reports.add(*keys[i], progress_to_text(progress), data_of(report->partial));
      tx.write("progress_put"_sql, reports.params());
    }
    answers.emplace_back(Renewed{from_ms(until), (live->second.flags & kCancelRequested) != 0});
  }
  return answers;
}

namespace {

// Ending a job before its time, and starting finished ones over.

// The gate, then the finished row once more: nobody else re-drives it meanwhile.
Result<Settled> redrive_one(Tx& tx, const JobId& id) {
  const auto key = tx.ids().decode(id);
  if (!key) return refusal::no_job(id);
  const auto live = lock_jobs(tx, {*key});
  if (const auto found = live.find(*key); found != live.end()) return jobs::may_redrive(id, found->second.state());
  Rows rows = tx.ask("finished_read"_sql, Params().int8(*key));
  if (rows.size() == 0) return refusal::no_job(id);
  const auto from = static_cast<JobState>(rows.integer(0, 1));
  if (Status refused = jobs::may_redrive(id, from); !refused.ok()) return refused;
  const auto lane = static_cast<LaneKey>(rows.integer(0, 0));
  const auto priority = static_cast<std::int32_t>(rows.integer(0, 2));
  JobSpec spec;
  spec_from_text(rows.view(0, 3), spec);
  // Its turn, if it had one, is over. Steps stay: a run goes on behind them.
  jobs::start_over(spec, tx.now());
  const LanePtr home = tx.directory().lane(lane);
  if (home == nullptr) return refusal::no_lane(id);
  if (spec.concurrency || spec.affinity != Affinity()) tx.lock_gates({home->ns});
  if (spec.unique) {
    const Rows holder = tx.ask("unique_find"_sql, Params().int4(home->ns).bytes(spec.unique->key));
    if (holder.size() > 0)
      return refusal::unique_key_taken(tx.ids().encode(holder.integer(0, 0)), without_scope(spec.unique->key));
  }
  reopen_action(tx, home->ns, spec, *key);
  const std::optional<std::int64_t> expires_at = to_ms(jobs::expiry_of(spec, tx.now()));
  std::uint16_t kept = kDescribed;
  if (!spec.deadline) kept &= static_cast<std::uint16_t>(~kDeadline);
  Params params;
  params.int8(*key).int8(rank_of(tx.now(), priority)).int8(tx.now_ms()).int2(static_cast<std::int64_t>(JobEvent::redriven));
  params.boolean(settles_specially(spec)).int8(expires_at).int2(kept);
  if (tx.ask("redrive"_sql, std::move(params)).size() == 0) return refusal::no_job(id);
  if (settles_specially(spec)) {
    write_wishes(tx, *key, wishes_of(spec, home->ns, tx.now()));
    if (spec.unique) {
      Table rows_taken = key_table();
      rows_taken.add(home->ns, spec.unique->key, *key);
      tx.write("unique_put"_sql, rows_taken.params());
    }
    Moves moves(tx);
    auto jobs = lock_jobs(tx, {*key});
    if (const auto found = jobs.find(*key); found != jobs.end()) moves.place(found->second);
    moves.flush();
  } else {
    tx.wake(lane);
  }
  const std::int64_t fence = rows.integer(0, 4);
  tx.tell(*key, lane, from, JobState::ready, JobEvent::redriven, 0, fence, 0);
  return Settled{id, JobState::ready, 0, tx.now()};
}

}  // namespace

Each<Cancelled> cancel(Tx& tx, const std::vector<Cancel>& batch) {
  std::vector<JobKey> keys;
  for (const Cancel& item : batch)
    if (const auto key = tx.ids().decode(item.job)) keys.push_back(*key);
  std::map<JobKey, LiveJob> jobs = lock_jobs(tx, keys);
  std::map<JobKey, JobState> finished;
  if (jobs.size() < keys.size()) {
    const Rows rows = tx.ask("settled_read"_sql, Params().int8s(keys));
    for (std::size_t i = 0; i < rows.size(); ++i) finished[rows.integer(i, 0)] = static_cast<JobState>(rows.integer(i, 1));
  }
  Moves moves(tx);
  Each<Cancelled> answers;
  for (const Cancel& item : batch) {
    const auto key = tx.ids().decode(item.job);
    const auto found = key ? jobs.find(*key) : jobs.end();
    if (found == jobs.end()) {
      const auto state = key ? finished.find(*key) : finished.end();
      if (state == finished.end())
        answers.emplace_back(refusal::no_job(item.job));
      else
        answers.emplace_back(refusal::job_ended(item.job, state->second));
      continue;
    }
    LiveJob& job = found->second;
    const auto verdict = jobs::cancel(job.standing(), item);
    if (!verdict) {
      if ((job.flags & kCancelRequested) == 0) tx.write("cancel_request"_sql, Params().int8(*key).bytes(item.reason));
      job.flags |= kCancelRequested;
      answers.emplace_back(Cancelled{item.job, JobState::running});
      continue;
    }
    moves.move(job, *verdict);
    answers.emplace_back(Cancelled{item.job, verdict->to});
    finished[*key] = verdict->to;
    jobs.erase(found);
  }
  moves.flush();
  return answers;
}

Each<Settled> redrive(Tx& tx, const std::vector<JobId>& jobs) {
  Each<Settled> answers;
  for (const JobId& id : jobs) answers.push_back(redrive_one(tx, id));
  return answers;
}

}  // namespace muster::store::postgres
