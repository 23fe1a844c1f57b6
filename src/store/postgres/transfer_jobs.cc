#include "store/postgres/transfer_jobs.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "model/rank.h"
#include "store/codec/spec_text.h"
#include "store/postgres/moves.h"
#include "store/postgres/wishes.h"

namespace muster::store::postgres {
namespace {

const Sql kWaitingPut{"transfer_waiting_put"};
const Sql kRunningPut{"transfer_running_put"};
const Sql kFinishedPut{"transfer_finished_put"};
const Sql kFairPut{"transfer_fair_put"};
const Sql kHoldersPut{"holders_put"};
const Sql kUniquePut{"unique_put"};
const Sql kDependenciesPut{"dependencies_put"};
const Sql kPending{"transfer_pending"};
const Sql kWatch{"watch"};
const Sql kDayName{"prune_day_name"};
const Sql kOpenDay{"transfer_open_day"};

constexpr std::int64_t kDayMs = 86'400'000;

using transfer::JobRecord;
using ScopedKey = std::pair<NamespaceKey, std::string>;

std::optional<std::int64_t> count_of(const std::optional<Duration>& length) {
  if (!length) return std::nullopt;
  return length->count();
}
void add_or_null(Column& column, const std::string& text) {
  text.empty() ? column.add_null() : column.add(std::string_view(text));
}

std::int64_t flags_of(const Job& job) {
  std::uint16_t flags = postgres::flags_of(job.spec);
  if (job.result && job.result->encoding == Encoding::bytes) flags |= kResultBytes;
  if (job.cancel_requested) flags |= kCancelRequested;
  return flags;
}

Place place_of(const Job& job) {
  if (job.state == JobState::ready) return Place::ready;
  return job.run_at ? Place::scheduled : Place::blocked;
}

// The columns that all three tables share, in the order of the statements.
struct JobColumns {
  Column id{Type::int8}, lane{Type::int4}, flags{Type::int2}, priority{Type::int2}, created_at{Type::int8}, run_at{Type::int8},
      attempt{Type::int4}, rescues{Type::int4}, fence{Type::int8}, worker{Type::int4}, started_at{Type::int8},
      expires_at{Type::int8}, lease{Type::int8}, timeout{Type::int8}, spec{Type::text}, payload{Type::bytes}, error{Type::text},
      attempts{Type::text}, progress{Type::text}, partial{Type::bytes};

  void add(const JobRecord& record, LaneKey lane_key, WorkerKey worker_key) {
    const Job& job = record.job;
    id.add(record.key);
    lane.add(std::int64_t{lane_key});
    flags.add(flags_of(job));
    priority.add(std::int64_t{job.spec.priority});
    created_at.add(to_ms(job.created_at));
    run_at.add(to_ms(job.run_at));
    attempt.add(std::int64_t{job.attempt});
    rescues.add(std::int64_t{job.rescues});
    to_number(job.fence) != 0 ? fence.add(static_cast<std::int64_t>(to_number(job.fence))) : fence.add_null();
    worker_key != 0 ? worker.add(std::int64_t{worker_key}) : worker.add_null();
    started_at.add(to_ms(job.started_at));
    expires_at.add(to_ms(job.expires_at));
    lease.add(count_of(job.spec.lease_ttl));
    timeout.add(count_of(job.spec.timeout));
    add_or_null(spec, spec_to_text(job.spec));
    payload.add(std::string_view(job.spec.payload.data));
    add_or_null(error, job.error ? error_to_text(*job.error) : std::string());
    add_or_null(attempts, job.attempts.empty() ? std::string() : attempts_to_text(job.attempts));
    add_or_null(progress, job.progress ? progress_to_text(*job.progress) : std::string());
    job.progress&& job.progress->partial ? partial.add(std::string_view(job.progress->partial->data)) : partial.add_null();
  }

  Params take(std::initializer_list<Column*> further) {
    Params params;
    for (Column* column :
         {&id,         &lane,       &flags, &priority, &created_at, &run_at,  &attempt, &rescues,  &fence,    &worker,
          &started_at, &expires_at, &lease, &timeout,  &spec,       &payload, &error,   &attempts, &progress, &partial})
      params.array(std::move(*column));
    for (Column* column : further) params.array(std::move(*column));
    return params;
  }
};

class Taking {
 public:
  Taking(Tx& tx, TransferNames& names) : tx_(tx), names_(names) {}

  void add(const JobRecord& record) {
    const Job& job = record.job;
    const TransferNames::KnownWorker worker =
        job.worker.empty() ? TransferNames::KnownWorker() : names_.worker(job.spec.ns, job.worker);
    const LaneKey lane = names_.lane(job.spec);
    if (is_finished(job.state)) {
      add_finished(record, lane, worker.key);
      return;
    }
    job.state == JobState::running ? add_running(record, lane, worker) : add_waiting(record, lane, worker.key);
    if (settles_specially(job.spec)) add_wishes(record, lane);
  }

  void write() {
    if (waiting_.id.size() > 0) tx_.write(kWaitingPut, waiting_.take({&event_, &rank_, &place_, &special_}));
    if (running_.id.size() > 0)
      tx_.write(kRunningPut,
                running_.take({&running_rank_, &granted_, &lapsed_, &own_ttl_, &counted_, &running_special_, &reason_}));
    if (finished_.id.size() > 0) tx_.write(kFinishedPut, finished_.take({&finished_event_, &state_, &finished_at_, &result_}));
    write_keys(kHoldersPut, holders_);
    std::vector<std::pair<ScopedKey, JobKey>> uniques(uniques_.begin(), uniques_.end());
    write_keys(kUniquePut, uniques);
    write_fair();
  }

 private:
  void add_waiting(const JobRecord& record, LaneKey lane, WorkerKey worker) {
    waiting_.add(record, lane, worker);
    event_.add(static_cast<std::int64_t>(record.event));
    rank_.add(record.rank);
    place_.add(static_cast<std::int64_t>(place_of(record.job)));
    special_.add(std::int64_t{settles_specially(record.job.spec)});
  }

  void add_running(const JobRecord& record, LaneKey lane, const TransferNames::KnownWorker& worker) {
    const Job& job = record.job;
    if (worker.key == 0 || !job.started_at || !job.run_at)
      return names_.lost(
          Status::corrupt(fmt::format("job row {} runs, but the source does not say where or since when", record.key)));
    const Duration granted = record.granted.value_or(worker.dead_after);
    running_.add(record, lane, worker.key);
    running_rank_.add(record.rank);
    granted_.add(std::int64_t{granted.count()});
    lapsed_.add(std::int64_t{!record.granted});
    own_ttl_.add(std::int64_t{!record.granted || granted != worker.dead_after});
    counted_.add(std::int64_t{names_.queue(job.spec.ns, job.spec.queue).counted});
    running_special_.add(std::int64_t{settles_specially(job.spec)});
    job.cancel_requested ? reason_.add(std::string_view(record.cancel_reason)) : reason_.add_null();
  }

  void add_finished(const JobRecord& record, LaneKey lane, WorkerKey worker) {
    const Job& job = record.job;
    finished_.add(record, lane, worker);
    finished_event_.add(static_cast<std::int64_t>(record.event));
    state_.add(static_cast<std::int64_t>(job.state));
    finished_at_.add(to_ms(job.finished_at.value_or(job.created_at)));
    job.result ? result_.add(std::string_view(job.result->data)) : result_.add_null();
  }

  void add_wishes(const JobRecord& record, LaneKey lane) {
    const Job& job = record.job;
    const JobSpec& spec = job.spec;
    Wishes wishes = wishes_of(spec, names_.ns(spec.ns), job.created_at);
    // The stamp is in the rank; the keys' finishes follow from the stamps of those that still wait.
    if (spec.fairness && job.state == JobState::ready && record.event == JobEvent::enqueued) {
      wishes.fair_lane = lane;
      wishes.fair_start = record.rank + spec.priority * kAgeingPerPoint.count();
      stamp(lane, spec.fairness->key, wishes.fair_start, wishes.fair_start + fair_cost(spec.fairness->weight));
    }
    write_wishes(tx_, record.key, wishes);
    const bool runs = job.state == JobState::running;
    if (spec.concurrency && runs) holders_.push_back({{wishes.ns, spec.concurrency->key}, record.key});
    if (spec.unique && (!runs || spec.unique->during == UniqueWhile::unfinished))
      uniques_.try_emplace({wishes.ns, spec.unique->key}, record.key);
  }

  void stamp(LaneKey lane, const std::string& key, std::int64_t start, std::int64_t finish) {
    const auto [time, fresh] = fair_.try_emplace({lane, {}}, start);
    if (!fresh) time->second = std::min(time->second, start);
    std::int64_t& known = fair_[{lane, key}];
    known = std::max(known, finish);
  }

  void write_keys(Sql statement, const std::vector<std::pair<ScopedKey, JobKey>>& keys) {
    if (keys.empty()) return;
    Column ns(Type::int4), key(Type::bytes), job(Type::int8);
    for (const auto& [scoped, id] : keys) {
      ns.add(std::int64_t{scoped.first});
      key.add(std::string_view(scoped.second));
      job.add(id);
    }
    tx_.write(statement, std::move(Params().array(std::move(ns)).array(std::move(key)).array(std::move(job))));
  }

  void write_fair() {
    if (fair_.empty()) return;
    Column lane(Type::int4), key(Type::bytes), finish(Type::int8);
    for (const auto& [name, at] : fair_) {
      lane.add(std::int64_t{name.first});
      key.add(std::string_view(name.second));
      finish.add(at);
    }
    tx_.write(kFairPut, std::move(Params().array(std::move(lane)).array(std::move(key)).array(std::move(finish))));
  }

  Tx& tx_;
  TransferNames& names_;
  JobColumns waiting_, running_, finished_;
  Column event_{Type::int2}, rank_{Type::int8}, place_{Type::int2}, special_{Type::boolean};
  Column running_rank_{Type::int8}, granted_{Type::int8}, lapsed_{Type::boolean}, own_ttl_{Type::boolean},
      counted_{Type::boolean}, running_special_{Type::boolean}, reason_{Type::bytes};
  Column finished_event_{Type::int2}, state_{Type::int2}, finished_at_{Type::int8}, result_{Type::bytes};
  std::vector<std::pair<ScopedKey, JobKey>> holders_;
  std::map<ScopedKey, JobKey> uniques_;
  std::map<std::pair<LaneKey, std::string>, std::int64_t> fair_;  // the empty key: the lane's virtual time
};

void open_days(Tx& tx, const std::vector<JobRecord>& records, std::set<std::int64_t>& days) {
  const std::int64_t today = tx.now_ms() / kDayMs;
  for (const JobRecord& record : records) {
    if (!record.job.finished_at || record.job.state == JobState::dead) continue;
    const std::int64_t day = to_ms(*record.job.finished_at) / kDayMs;
    if (day > today || day <= today - kCopyDaysMax || !days.insert(day).second) continue;
    tx.write(kDayName, std::move(Params().text(std::to_string(day))));
    tx.write(kOpenDay);
  }
}

}  // namespace

void put_jobs(Tx& tx, TransferNames& names, const std::vector<JobRecord>& records, std::set<std::int64_t>& days) {
  names.put_lanes(tx, records);
  open_days(tx, records, days);
  Taking taking(tx, names);
  for (const JobRecord& record : records) taking.add(record);
  taking.write();
}

void put_dependencies(Tx& tx, const std::vector<transfer::DependencyRecord>& records) {
  Column job(Type::int8), after(Type::int8);
  std::set<JobKey> waiting, watched;
  for (const transfer::DependencyRecord& record : records) {
    job.add(record.job);
    after.add(record.after);
    waiting.insert(record.job);
    watched.insert(record.after);
  }
  tx.write(kDependenciesPut, std::move(Params().array(std::move(job)).array(std::move(after))));
  tx.write(kPending, Params().int8s({waiting.begin(), waiting.end()}));
  tx.write(kWatch, Params().int8s({watched.begin(), watched.end()}));
}

}  // namespace muster::store::postgres
