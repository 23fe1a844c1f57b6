// Ending a job before its time, and starting finished ones over.
#include <algorithm>
#include <map>

#include "model/key_scope.h"
#include "model/rank.h"
#include "store/codec/spec_text.h"
#include "store/postgres/moves.h"
#include "store/postgres/verbs/actions.h"
#include "store/postgres/verbs/verbs.h"
#include "store/postgres/wishes.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

const Sql kSettledRead{"settled_read"};
const Sql kCancelRequest{"cancel_request"};
const Sql kFinishedRead{"finished_read"};
const Sql kRedrive{"redrive"};
const Sql kUniqueFind{"unique_find"};
const Sql kUniqueTake{"unique_put"};

// The gate, then the finished row once more: nobody else re-drives it meanwhile.
Result<Settled> redrive_one(Tx& tx, const JobId& id) {
  const auto key = tx.ids().decode(id);
  if (!key) return refusal::no_job(id);
  const auto live = lock_jobs(tx, {*key});
  if (const auto found = live.find(*key); found != live.end()) return jobs::may_redrive(id, found->second.state());
  Rows rows = tx.ask(kFinishedRead, Params().int8(*key));
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
    const Rows holder = tx.ask(kUniqueFind, Params().int4(home->ns).bytes(spec.unique->key));
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
  if (tx.ask(kRedrive, std::move(params)).size() == 0) return refusal::no_job(id);
  if (settles_specially(spec)) {
    write_wishes(tx, *key, wishes_of(spec, home->ns, tx.now()));
    if (spec.unique) {
      Column ns(Type::int4), unique_key(Type::bytes), job(Type::int8);
      ns.add(std::int64_t{home->ns});
      unique_key.add(std::string_view(spec.unique->key));
      job.add(*key);
      tx.write(kUniqueTake, std::move(Params().array(std::move(ns)).array(std::move(unique_key)).array(std::move(job))));
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
    const Rows rows = tx.ask(kSettledRead, Params().int8s(keys));
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
      if ((job.flags & kCancelRequested) == 0) tx.write(kCancelRequest, Params().int8(*key).bytes(item.reason));
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
