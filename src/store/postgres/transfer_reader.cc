#include "store/postgres/transfer_reader.h"

#include <charconv>

#include "store/codec/columns.h"
#include "store/codec/spec_text.h"
#include "store/postgres/moves.h"
#include "store/postgres/read_rows.h"
#include "store/postgres/transfer_agents.h"
#include "store/postgres/tx.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

using transfer::Batch;
using transfer::Kind;
using transfer::Position;

transfer::QueueRecord queue_at(const Rows& rows, std::size_t i) {
  return {NamespaceName(rows.text(i, 1)), QueueName(rows.text(i, 2)), settings_from_text(rows.view(i, 3))};
}

Worker worker_at(const Rows& rows, std::size_t i) {
  Worker worker;
  read_worker(rows.at(i), 5, worker);
  worker.spec.ns = NamespaceName(rows.text(i, 1));
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
  Job& job = record.job;
  std::uint16_t flags = 0;
  read_columns(rows.at(i), 0, record.key, job.spec.ns, job.spec.queue, job.spec.type, job.state, flags, job.spec.priority,
               record.rank, job.run_at, job.created_at, record.event, job.attempt, job.rescues, job.fence, job.worker,
               job.started_at, job.finished_at, job.expires_at, record.granted, record.cancel_reason);
  spec_from_text(rows.view(i, 20), job.spec);
  job.spec.payload = {rows.text(i, 21), encoding_of((flags & kPayloadBytes) != 0)};
  job.result = read_content(rows.at(i), 22, (flags & kResultBytes) != 0);
  if (!rows.null(i, 23)) job.error = error_from_text(rows.view(i, 23));
  read_story(rows.at(i), 24, job);
  job.cancel_requested = (flags & kCancelRequested) != 0;
  return record;
}

Plan plan_at(const Rows& rows, std::size_t i) {
  Plan plan;
  plan.spec.ns = NamespaceName(rows.text(i, 1));
  read_plan(rows.at(i), 2, plan);
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
  transfer::ActionRecord record;
  record.action.ns = NamespaceName(rows.text(i, 1));
  read_action(rows.at(i), 2, record.action, record.settled_at);
  record.jobs = keys_in(rows.view(i, 11));
  return record;
}

transfer::EntryRecord entry_at(const Rows& rows, std::size_t i) {
  transfer::EntryRecord record;
  read_columns(rows.at(i), 0, record.number, record.ns, record.space, record.name, record.type, record.expires_at, record.count,
               record.head, record.tail, record.text);
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
  Schedule schedule;
  schedule.spec.ns = NamespaceName(rows.text(i, kScheduleColumns));
  if (const auto job = read_schedule(rows.at(i), schedule)) schedule.last_job = ids.encode(*job);
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
  const auto rows = ask("transfer_numbers"_sql, {});
  if (!rows.ok()) return rows.status();
  if (rows->size() != 1 || rows->null(0, 0)) return Status::corrupt("the schema's meta table has no salt");
  transfer::Numbers out;
  out.salt = std::strtoull(rows->text(0, 0).c_str(), nullptr, 10);
  out.next_job_key = rows->integer(0, 1);
  out.next_fence = rows->integer(0, 2);
  return out;
}

Result<transfer::Counts> TransferReader::counts() {
  const auto rows = ask("transfer_counts"_sql, {});
  if (!rows.ok()) return rows.status();
  transfer::Counts out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint64_t>(rows->integer(0, static_cast<int>(i)));
  return out;
}

// Only records that name jobs by their ids need it.
Status TransferReader::learn_salt(Kind kind) {
  if (ids_ || (kind != Kind::steps && kind != Kind::schedules && !is_about_agents(kind))) return {};
  const auto known = numbers();
  if (!known.ok()) return known.status();
  ids_ = IdCodec(known->salt);
  return {};
}

Result<Batch> TransferReader::read(Kind kind, const Position& after, std::size_t limit) {
  if (is_about_agents(kind)) {
    if (Status status = learn_salt(kind); !status.ok()) return status;
    const AskRows asking = [this](Sql statement, Params params) { return ask(statement, std::move(params)); };
    return read_agent_records(asking, kind, after, limit, *ids_);
  }
  const auto rows = [&]() -> Result<Rows> {
    switch (kind) {
      case Kind::namespaces: return ask("transfer_namespaces"_sql, numbered(after, limit));
      case Kind::queues: return ask("transfer_queues"_sql, numbered(after, limit));
      case Kind::workers: return ask("transfer_workers"_sql, numbered(after, limit));
      case Kind::bonds: return ask("transfer_bonds"_sql, keyed(after, limit));
      case Kind::jobs: return ask("transfer_jobs"_sql, sized(numbered(after, limit)));
      case Kind::keys: return ask("transfer_keys"_sql, keyed(after, limit));
      case Kind::dependencies: {
        Params params;
        params.int8(after.first).int8(number_in(after.second)).int8(static_cast<std::int64_t>(limit));
        return ask("transfer_dependencies"_sql, std::move(params));
      }
      case Kind::plans: return ask("transfer_plans"_sql, sized(numbered(after, limit)));
      case Kind::actions: return ask("transfer_actions"_sql, sized(numbered(after, limit)));
      case Kind::entries: return ask("transfer_entries"_sql, sized(numbered(after, limit)));
      case Kind::items: {
        // A list's positions may be below zero; before its first record there is nothing.
        Params params;
        params.int8(after.first).int8(after.second.empty() ? INT64_MIN : number_in(after.second));
        return ask("transfer_items"_sql, sized(std::move(params.int8(static_cast<std::int64_t>(limit)))));
      }
      case Kind::fields: return ask("transfer_fields"_sql, sized(keyed(after, limit)));
      case Kind::scores: return ask("transfer_scores"_sql, sized(keyed(after, limit)));
      case Kind::steps: return ask("transfer_steps"_sql, sized(placed(after, limit)));
      case Kind::signals: return ask("transfer_signals"_sql, sized(placed(after, limit)));
      case Kind::schedules: return ask("transfer_schedules"_sql, sized(numbered(after, limit)));
      default: break;
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
    default: break;
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
