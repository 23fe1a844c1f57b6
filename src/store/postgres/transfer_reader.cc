#include "store/postgres/transfer_reader.h"

#include <charconv>

#include "store/codec/spec_text.h"
#include "store/postgres/moves.h"
#include "store/postgres/schedule_rows.h"
#include "store/postgres/step_rows.h"
#include "store/postgres/tx.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

const Sql kNumbers{"transfer_numbers"};
const Sql kCounts{"transfer_counts"};
const Sql kNamespaces{"transfer_namespaces"};
const Sql kQueues{"transfer_queues"};
const Sql kWorkers{"transfer_workers"};
const Sql kBonds{"transfer_bonds"};
const Sql kJobs{"transfer_jobs"};
const Sql kKeys{"transfer_keys"};
const Sql kDependencies{"transfer_dependencies"};

const Sql kPlans{"transfer_plans"};
const Sql kActions{"transfer_actions"};
const Sql kEntries{"transfer_entries"};
const Sql kItems{"transfer_items"};
const Sql kFields{"transfer_fields"};
const Sql kScores{"transfer_scores"};
const Sql kSteps{"transfer_steps"};
const Sql kSignals{"transfer_signals"};
const Sql kSchedules{"transfer_schedules"};

using transfer::Batch;
using transfer::Kind;
using transfer::Position;

transfer::QueueRecord queue_at(const Rows& rows, std::size_t i) {
  return {NamespaceName(rows.text(i, 1)), QueueName(rows.text(i, 2)), settings_from_text(rows.view(i, 3))};
}

Worker worker_at(const Rows& rows, std::size_t i) {
  Worker worker;
  worker_from_text(rows.view(i, 5), worker.spec);
  worker.spec.ns = NamespaceName(rows.text(i, 1));
  worker.spec.id = WorkerId(rows.text(i, 2));
  worker.session = SessionId{static_cast<std::uint64_t>(rows.integer(i, 3))};
  worker.state = static_cast<WorkerState>(rows.integer(i, 4));
  worker.registered_at = from_ms(rows.integer(i, 6));
  worker.last_seen_at = from_ms(rows.integer(i, 7));
  worker.offline_at = from_ms(rows.maybe(i, 8));
  worker.offline_cause = rows.text(i, 9);
  worker.drain_deadline = from_ms(rows.maybe(i, 10));
  worker.drain_reason = rows.text(i, 11);
  worker.completed = static_cast<std::uint64_t>(rows.integer(i, 12));
  worker.failed = static_cast<std::uint64_t>(rows.integer(i, 13));
  worker.stats = rows.text(i, 14);
  return worker;
}

transfer::BondRecord bond_at(const Rows& rows, std::size_t i) {
  return {NamespaceName(rows.text(i, 2)), QueueName(rows.text(i, 3)), rows.text(i, 1), WorkerId(rows.text(i, 4))};
}

transfer::KeyRecord key_record_at(const Rows& rows, std::size_t i) {
  return {NamespaceName(rows.text(i, 2)), rows.text(i, 1), rows.integer(i, 3)};
}

transfer::DependencyRecord dependency_at(const Rows& rows, std::size_t i) { return {rows.integer(i, 0), rows.integer(i, 1)}; }

transfer::JobRecord job_at(const Rows& rows, std::size_t i) {
  transfer::JobRecord record;
  record.key = rows.integer(i, 0);
  Job& job = record.job;
  job.spec.ns = NamespaceName(rows.text(i, 1));
  job.spec.queue = QueueName(rows.text(i, 2));
  job.spec.type = JobType(rows.text(i, 3));
  job.state = static_cast<JobState>(rows.integer(i, 4));
  const auto flags = static_cast<std::uint16_t>(rows.integer(i, 5));
  job.spec.priority = static_cast<std::int32_t>(rows.integer(i, 6));
  record.rank = rows.integer(i, 7);
  job.run_at = from_ms(rows.maybe(i, 8));
  job.created_at = from_ms(rows.integer(i, 9));
  record.event = static_cast<JobEvent>(rows.integer(i, 10));
  job.attempt = static_cast<std::uint32_t>(rows.integer(i, 11));
  job.rescues = static_cast<std::uint32_t>(rows.integer(i, 12));
  job.fence = Fence{static_cast<std::uint64_t>(rows.integer(i, 13))};
  job.worker = WorkerId(rows.text(i, 14));
  job.started_at = from_ms(rows.maybe(i, 15));
  job.finished_at = from_ms(rows.maybe(i, 16));
  job.expires_at = from_ms(rows.maybe(i, 17));
  if (const auto granted = rows.maybe(i, 18)) record.granted = Duration(*granted);
  record.cancel_reason = rows.text(i, 19);
  spec_from_text(rows.view(i, 20), job.spec);
  job.spec.payload = {rows.text(i, 21), (flags & kPayloadBytes) != 0 ? Encoding::bytes : Encoding::json};
  if (!rows.null(i, 22)) job.result = Content{rows.text(i, 22), (flags & kResultBytes) != 0 ? Encoding::bytes : Encoding::json};
  if (!rows.null(i, 23)) job.error = error_from_text(rows.view(i, 23));
  if (!rows.null(i, 24)) job.attempts = attempts_from_text(rows.view(i, 24));
  if (!rows.null(i, 25)) {
    job.progress = progress_from_text(rows.view(i, 25));
    if (!rows.null(i, 26)) job.progress->partial = Content{rows.text(i, 26), partial_encoding_from_text(rows.view(i, 25))};
  }
  job.cancel_requested = (flags & kCancelRequested) != 0;
  return record;
}

Plan plan_at(const Rows& rows, std::size_t i) {
  Plan plan;
  plan.spec.ns = NamespaceName(rows.text(i, 1));
  plan.spec.id = PlanId(rows.text(i, 2));
  plan.spec.text = rows.text(i, 3);
  plan.spec.description = rows.text(i, 4);
  plan.spec.tasks = static_cast<std::uint32_t>(rows.integer(i, 5));
  plan.spec.needs = CapabilitySet::from_key(rows.view(i, 6));
  plan.created_at = from_ms(rows.integer(i, 7));
  plan.last_used_at = from_ms(rows.maybe(i, 8));
  plan.actions = static_cast<std::uint64_t>(rows.integer(i, 9));
  plan.jobs = static_cast<std::uint64_t>(rows.integer(i, 10));
  return plan;
}

// Eight bytes each, the highest first.
std::vector<JobKey> keys_in(std::string_view bytes) {
  constexpr std::size_t kWidth = 8;
  std::vector<JobKey> keys;
  for (std::size_t at = 0; at + kWidth <= bytes.size(); at += kWidth) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < kWidth; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    keys.push_back(static_cast<JobKey>(value));
  }
  return keys;
}

transfer::ActionRecord action_at(const Rows& rows, std::size_t i) {
  const auto count = [&rows, i](int column) { return static_cast<std::uint64_t>(rows.integer(i, column)); };
  transfer::ActionRecord record;
  Action& action = record.action;
  action.ns = NamespaceName(rows.text(i, 1));
  action.id = ActionId(rows.text(i, 2));
  action.plan = PlanId(rows.text(i, 3));
  action.created_at = from_ms(rows.integer(i, 4));
  action.jobs = count(5);
  record.settled_at = from_ms(rows.maybe(i, 6));
  action.counts.completed = count(7);
  action.counts.failed = count(8);
  action.counts.dead = count(9);
  action.counts.cancelled = count(10);
  record.jobs = keys_in(rows.view(i, 11));
  return record;
}

transfer::EntryRecord entry_at(const Rows& rows, std::size_t i) {
  transfer::EntryRecord record;
  record.number = rows.integer(i, 0);
  record.ns = NamespaceName(rows.text(i, 1));
  record.space = static_cast<KeySpace>(rows.integer(i, 2));
  record.name = rows.text(i, 3);
  record.type = static_cast<KeyType>(rows.integer(i, 4));
  record.expires_at = from_ms(rows.maybe(i, 5));
  record.count = rows.integer(i, 6);
  record.head = rows.integer(i, 7);
  record.tail = rows.integer(i, 8);
  record.text = rows.text(i, 9);
  return record;
}

transfer::ItemRecord item_at(const Rows& rows, std::size_t i) {
  return {rows.integer(i, 0), rows.integer(i, 1), rows.text(i, 2)};
}
transfer::FieldRecord field_at(const Rows& rows, std::size_t i) { return {rows.integer(i, 0), rows.text(i, 2), rows.text(i, 3)}; }
transfer::ScoreRecord score_at(const Rows& rows, std::size_t i) { return {rows.integer(i, 0), rows.text(i, 2), rows.real(i, 3)}; }

// Job ids inside records are worked out with the salt.
transfer::StepRecord step_at(const Rows& rows, std::size_t i, const IdCodec& ids) {
  transfer::StepRecord record;
  record.ns = NamespaceName(rows.text(i, kStepColumns));
  record.run = rows.integer(i, 0);
  record.place = rows.integer(i, 1);
  record.step = read_bare_step(rows, i);
  if (const auto child = rows.maybe(i, 10)) record.step.child = ids.encode(*child);
  return record;
}

transfer::SignalRecord signal_at(const Rows& rows, std::size_t i) {
  return {rows.integer(i, 0), rows.integer(i, 1), rows.text(i, 3),
          Content{rows.text(i, 4), rows.integer(i, 2) != 0 ? Encoding::bytes : Encoding::json}};
}

Schedule schedule_at(const Rows& rows, std::size_t i, const IdCodec& ids) {
  Schedule schedule = read_schedule(rows, i, NamespaceName(rows.text(i, kScheduleColumns)));
  if (const auto job = last_job_of(rows, i)) schedule.last_job = ids.encode(*job);
  return schedule;
}

template <class Read>
auto all_rows(const Rows& rows, Read read) {
  std::vector<decltype(read(rows, 0))> out;
  out.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(read(rows, i));
  return out;
}

std::int64_t number_in(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Params numbered(const Position& after, std::size_t limit) {
  return std::move(Params().int8(after.first).int8(static_cast<std::int64_t>(limit)));
}
Params keyed(const Position& after, std::size_t limit) {
  return std::move(Params().int8(after.first).bytes(after.second).int8(static_cast<std::int64_t>(limit)));
}

Params placed(const Position& after, std::size_t limit) {
  return std::move(Params().int8(after.first).int8(number_in(after.second)).int8(static_cast<std::int64_t>(limit)));
}

// With the bound on the bytes of a batch.
Params sized(Params params) { return std::move(params.int8(static_cast<std::int64_t>(transfer::kCopyBatchBytesMax))); }

}  // namespace

Result<Rows> TransferReader::ask(Sql statement, Params params) {
  connection_.call(statement, std::move(params));
  auto rows = connection_.exchange();
  if (!rows.ok()) return rows.status();
  return std::move(rows->back());
}

Result<transfer::Numbers> TransferReader::numbers() {
  const auto rows = ask(kNumbers, {});
  if (!rows.ok()) return rows.status();
  if (rows->size() != 1 || rows->null(0, 0)) return Status::corrupt("the schema's meta table has no salt");
  transfer::Numbers out;
  out.salt = std::strtoull(rows->text(0, 0).c_str(), nullptr, 10);
  out.next_job_key = rows->integer(0, 1);
  out.next_fence = rows->integer(0, 2);
  return out;
}

Result<transfer::Counts> TransferReader::counts() {
  const auto rows = ask(kCounts, {});
  if (!rows.ok()) return rows.status();
  transfer::Counts out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint64_t>(rows->integer(0, static_cast<int>(i)));
  return out;
}

// Only records that name jobs by their ids need it.
Status TransferReader::learn_salt(Kind kind) {
  if (ids_ || (kind != Kind::steps && kind != Kind::schedules)) return {};
  const auto known = numbers();
  if (!known.ok()) return known.status();
  ids_ = IdCodec(known->salt);
  return {};
}

Result<Batch> TransferReader::read(Kind kind, const Position& after, std::size_t limit) {
  const auto rows = [&]() -> Result<Rows> {
    switch (kind) {
      case Kind::namespaces: return ask(kNamespaces, numbered(after, limit));
      case Kind::queues: return ask(kQueues, numbered(after, limit));
      case Kind::workers: return ask(kWorkers, numbered(after, limit));
      case Kind::bonds: return ask(kBonds, keyed(after, limit));
      case Kind::jobs: return ask(kJobs, sized(numbered(after, limit)));
      case Kind::keys: return ask(kKeys, keyed(after, limit));
      case Kind::dependencies: {
        Params params;
        params.int8(after.first).int8(number_in(after.second)).int8(static_cast<std::int64_t>(limit));
        return ask(kDependencies, std::move(params));
      }
      case Kind::plans: return ask(kPlans, sized(numbered(after, limit)));
      case Kind::actions: return ask(kActions, sized(numbered(after, limit)));
      case Kind::entries: return ask(kEntries, sized(numbered(after, limit)));
      case Kind::items: {
        // A list's positions may be below zero; before its first record there is nothing.
        Params params;
        params.int8(after.first).int8(after.second.empty() ? INT64_MIN : number_in(after.second));
        return ask(kItems, sized(std::move(params.int8(static_cast<std::int64_t>(limit)))));
      }
      case Kind::fields: return ask(kFields, sized(keyed(after, limit)));
      case Kind::scores: return ask(kScores, sized(keyed(after, limit)));
      case Kind::steps: return ask(kSteps, sized(placed(after, limit)));
      case Kind::signals: return ask(kSignals, sized(placed(after, limit)));
      case Kind::schedules: return ask(kSchedules, sized(numbered(after, limit)));
    }
    unreachable();
  }();
  if (!rows.ok()) return rows.status();
  if (Status status = learn_salt(kind); !status.ok()) return status;
  Batch batch;
  switch (kind) {
    case Kind::namespaces: batch.records = all_rows(*rows, namespace_at); break;
    case Kind::queues: batch.records = all_rows(*rows, queue_at); break;
    case Kind::workers: batch.records = all_rows(*rows, worker_at); break;
    case Kind::bonds: batch.records = all_rows(*rows, bond_at); break;
    case Kind::jobs: batch.records = all_rows(*rows, job_at); break;
    case Kind::keys: batch.records = all_rows(*rows, key_record_at); break;
    case Kind::dependencies: batch.records = all_rows(*rows, dependency_at); break;
    case Kind::plans: batch.records = all_rows(*rows, plan_at); break;
    case Kind::actions: batch.records = all_rows(*rows, action_at); break;
    case Kind::entries: batch.records = all_rows(*rows, entry_at); break;
    case Kind::items: batch.records = all_rows(*rows, item_at); break;
    case Kind::fields: batch.records = all_rows(*rows, field_at); break;
    case Kind::scores: batch.records = all_rows(*rows, score_at); break;
    case Kind::steps:
      batch.records = all_rows(*rows, [this](const Rows& from, std::size_t i) { return step_at(from, i, *ids_); });
      break;
    case Kind::signals: batch.records = all_rows(*rows, signal_at); break;
    case Kind::schedules:
      batch.records = all_rows(*rows, [this](const Rows& from, std::size_t i) { return schedule_at(from, i, *ids_); });
      break;
  }
  if (rows->size() == 0) return batch;
  const std::size_t last = rows->size() - 1;
  batch.last.first = rows->integer(last, 0);
  if (kind == Kind::bonds || kind == Kind::keys || kind == Kind::fields || kind == Kind::scores)
    batch.last.second = rows->text(last, 1);
  if (kind == Kind::dependencies || kind == Kind::items || kind == Kind::steps || kind == Kind::signals)
    batch.last.second = std::to_string(rows->integer(last, 1));
  for (std::size_t i = 0; kind == Kind::jobs && i < rows->size(); ++i)
    if (rows->null(i, 1)) return refusal::no_lane(rows->integer(i, 0));
  return batch;
}

}  // namespace muster::store::postgres
