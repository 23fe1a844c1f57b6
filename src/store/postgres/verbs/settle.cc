#include "store/postgres/verbs/settle.h"

#include <map>
#include <optional>

#include "store/codec/spec_text.h"
#include "store/postgres/moves.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

const Sql kSettledRead{"settled_read"};
const Sql kRenew{"renew"};
const Sql kLeasesRead{"leases_read"};
const Sql kProgressPut{"progress_put"};

const LeaseRef& lease_of(const Outcome& outcome) { return jobs::lease_of(outcome); }
const LeaseRef& lease_of(const Extension& extension) {
  return std::visit([](const auto& item) -> const LeaseRef& { return item.lease; }, extension);
}

std::map<JobKey, jobs::Past> read_past(Tx& tx, const std::vector<JobKey>& keys) {
  std::map<JobKey, jobs::Past> out;
  if (keys.empty()) return out;
  const Rows rows = tx.ask(kSettledRead, Params().int8s(keys));
  for (std::size_t i = 0; i < rows.size(); ++i)
    out[rows.integer(i, 0)] = {static_cast<JobState>(rows.integer(i, 1)), static_cast<JobEvent>(rows.integer(i, 2)),
                               Fence{static_cast<std::uint64_t>(rows.integer(i, 3))},
                               static_cast<std::uint32_t>(rows.integer(i, 4)), from_ms(rows.maybe(i, 5))};
  return out;
}

bool holds(const LiveJob& job, const LeaseRef& lease, std::int64_t now) {
  return job.running && static_cast<std::uint64_t>(job.fence) == to_number(lease.fence) && job.lease_until > now;
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
  std::vector<std::optional<Status>> refused(outcomes.size());
  std::vector<std::optional<Settled>> settled(outcomes.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const LeaseRef& lease = lease_of(outcomes[i]);
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
    } else if (const auto gone = past.find(*keys[i]); gone != past.end()) {
      auto again = jobs::repeated(lease, jobs::event_of(outcomes[i]), gone->second);
      again.ok() ? void(settled[i] = *again) : void(refused[i] = again.status());
    } else {
      refused[i] = refusal::no_job(lease.job);
    }
  }
  moves.flush();

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
    const Rows rows = tx.ask(kLeasesRead, Params().int8s(known(keys)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      granted[rows.integer(i, 0)] = rows.integer(i, 1);
      if (!rows.null(i, 2)) partials[rows.integer(i, 0)] = partial_encoding_from_text(rows.view(i, 2));
    }
  }
  std::vector<Result<Renewed>> answers;
  for (std::size_t i = 0; i < extensions.size(); ++i) {
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
    Column id(Type::int8), lease_until(Type::int8), granted_ms(Type::int8), own_ttl(Type::boolean);
    id.add(*keys[i]);
    lease_until.add(until);
    granted_ms.add(ttl);
    own_ttl.add(std::int64_t{own});
    Params params;
    params.array(std::move(id)).array(std::move(lease_until)).array(std::move(granted_ms)).array(std::move(own_ttl));
    tx.write(kRenew, std::move(params));
    if (const auto* report = std::get_if<ProgressUpdate>(&extensions[i])) {
      Column job(Type::int8), text(Type::text), partial(Type::bytes);
      job.add(*keys[i]);
      Progress progress{report->fraction, report->message, report->partial, tx.now()};
      // Without a partial result the one before stays, and so does its encoding.
      if (!progress.partial && partials.contains(*keys[i])) progress.partial = Content{{}, partials[*keys[i]]};
      text.add(std::string_view(progress_to_text(progress)));
      report->partial ? partial.add(std::string_view(report->partial->data)) : partial.add_null();
      Params put;
      put.array(std::move(job)).array(std::move(text)).array(std::move(partial));
      tx.write(kProgressPut, std::move(put));
    }
    answers.emplace_back(Renewed{from_ms(until), (live->second.flags & kCancelRequested) != 0});
  }
  return answers;
}

}  // namespace muster::store::postgres
