#include "store/sqlite/transfer_reader.h"

#include <charconv>

#include "store/codec/columns.h"
#include "store/codec/spec_text.h"
#include "store/refusals.h"
#include "store/sqlite/rows.h"

namespace muster::store::sqlite {
namespace {

using transfer::Batch;
using transfer::JobRecord;
using transfer::Kind;
using transfer::Position;

// An instant before all others: a scheduled row is taken as it is written, due or not.
constexpr Instant kNever = Instant::min();

// The lease a running row stands for: what the claim or a renewal asked for, else the job's own, else the worker's. 0 is one that
// was over when it was copied.
std::optional<Duration> granted(const Statement& st, const JobSpec& spec) {
  if (const auto asked = st.optional_integer(20)) return *asked > 0 ? std::optional(Duration(*asked)) : std::nullopt;
  if (spec.lease_ttl) return spec.lease_ttl;
  WorkerSpec worker;
  if (!st.is_null(26)) worker_from_text(st.view(26), worker);
  return worker.policy.value_or(default_policy(Dialect::http)).dead_after;
}

std::size_t contents_of(const Job& job) { return job.spec.payload.data.size() + (job.result ? job.result->data.size() : 0); }

}  // namespace

TransferReader::TransferReader(Connection& connection)
    : db_(connection),
      namespaces_(connection, "transfer_namespaces"),
      queues_(connection, "transfer_queues"),
      workers_(connection, "transfer_workers"),
      bonds_(connection, "transfer_bonds"),
      jobs_(connection, "transfer_jobs"),
      keys_(connection, "transfer_keys"),
      dependencies_(connection, "transfer_dependencies"),
      attempts_(connection, "transfer_attempts"),
      content_(connection, "content_get"),
      progress_(connection, "progress_get"),
      counts_(connection, "transfer_counts"),
      meta_(connection, "meta_get"),
      last_job_(connection, "job_last"),
      plans_(connection),
      keyspace_(connection),
      runs_(connection),
      agents_(connection) {}

std::optional<std::int64_t> TransferReader::meta(const char* name) {
  Rows rows(meta_.bind_text(1, name));
  if (!rows.next()) return std::nullopt;
  return meta_.integer(0);
}

Result<transfer::Numbers> TransferReader::numbers() {
  transfer::Numbers out;
  const auto salt = meta("salt");
  out.next_fence = meta("fences").value_or(1);
  out.next_job_key = meta("job_keys").value_or(1);
  {
    Rows rows(last_job_);
    if (rows.next()) out.next_job_key = std::max(out.next_job_key, last_job_.integer(0) + 1);
  }
  if (!db_.fault().ok()) return db_.fault();
  if (!salt) return Status::corrupt("the file's meta table has no salt");
  out.salt = static_cast<std::uint64_t>(*salt);
  return out;
}

Result<transfer::Counts> TransferReader::counts() {
  transfer::Counts out{};
  {
    Rows rows(counts_);
    if (rows.next())
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint64_t>(counts_.integer(static_cast<int>(i)));
  }
  if (!db_.fault().ok()) return db_.fault();
  return out;
}

Result<Batch> TransferReader::read(Kind kind, const Position& after, std::size_t limit) {
  Batch batch;
  switch (kind) {
    case Kind::namespaces: read_namespaces(batch, after, limit); break;
    case Kind::queues: read_queues(batch, after, limit); break;
    case Kind::workers: read_workers(batch, after, limit); break;
    case Kind::bonds: read_bonds(batch, after, limit); break;
    case Kind::jobs: read_jobs(batch, after, limit); break;
    case Kind::keys: read_keys(batch, after, limit); break;
    case Kind::dependencies: read_dependencies(batch, after, limit); break;
    case Kind::plans: plans_.read_plans(batch, after, limit); break;
    case Kind::actions: plans_.read_actions(batch, after, limit); break;
    case Kind::entries: keyspace_.read_entries(batch, after, limit); break;
    case Kind::items: keyspace_.read_items(batch, after, limit); break;
    case Kind::fields: keyspace_.read_fields(batch, after, limit); break;
    case Kind::scores: keyspace_.read_scores(batch, after, limit); break;
    case Kind::steps: runs_.read_steps(batch, after, limit, ids()); break;
    case Kind::signals: runs_.read_signals(batch, after, limit); break;
    case Kind::schedules: runs_.read_schedules(batch, after, limit, ids()); break;
    case Kind::agents:
    case Kind::tools:
    case Kind::sessions:
    case Kind::agent_runs:
    case Kind::iterations:
    case Kind::executions:
    case Kind::messages:
    case Kind::compactions:
    case Kind::archive:
    case Kind::spending:
    case Kind::blobs: agents_.read(kind, batch, after, limit, ids()); break;
  }
  if (!db_.fault().ok()) return db_.fault();
  return batch;
}

void TransferReader::read_namespaces(Batch& batch, const Position& after, std::size_t limit) {
  Statement& st = namespaces_;
  auto& out = batch.records.emplace<std::vector<NamespaceInfo>>();
  Rows rows(st.bind(1, after.first).bind(2, static_cast<std::int64_t>(limit)));
  while (rows.next()) {
    out.push_back({.name = NamespaceName(st.text(1)),
                   .created_at = from_ms(st.integer(3)),
                   .description = st.text(2),
                   .display_name = st.text(4),
                   .enabled = st.integer(5) != 0,
                   .updated_at = from_ms(st.integer(6))});
    batch.last.first = st.integer(0);
  }
}

void TransferReader::read_queues(Batch& batch, const Position& after, std::size_t limit) {
  Statement& st = queues_;
  auto& out = batch.records.emplace<std::vector<transfer::QueueRecord>>();
  Rows rows(st.bind(1, after.first).bind(2, static_cast<std::int64_t>(limit)));
  while (rows.next()) {
    out.push_back({NamespaceName(st.text(1)), QueueName(st.text(2)), settings_from_text(st.view(3))});
    batch.last.first = st.integer(0);
  }
}

void TransferReader::read_workers(Batch& batch, const Position& after, std::size_t limit) {
  Statement& st = workers_;
  auto& out = batch.records.emplace<std::vector<Worker>>();
  Rows rows(st.bind(1, after.first).bind(2, static_cast<std::int64_t>(limit)));
  while (rows.next()) {
    Worker& worker = out.emplace_back();
    read_worker(st, 5, worker);
    worker.spec.ns = NamespaceName(st.text(1));
    batch.last.first = st.integer(0);
  }
}

void TransferReader::read_bonds(Batch& batch, const Position& after, std::size_t limit) {
  Statement& st = bonds_;
  auto& out = batch.records.emplace<std::vector<transfer::BondRecord>>();
  Rows rows(st.bind(1, after.first).bind_text(2, after.second).bind(3, static_cast<std::int64_t>(limit)));
  while (rows.next()) {
    out.push_back({NamespaceName(st.text(2)), QueueName(st.text(3)), st.text(1), WorkerId(st.text(4))});
    batch.last = {st.integer(0), st.text(1)};
  }
}

void TransferReader::read_keys(Batch& batch, const Position& after, std::size_t limit) {
  Statement& st = keys_;
  auto& out = batch.records.emplace<std::vector<transfer::KeyRecord>>();
  Rows rows(st.bind(1, after.first).bind_text(2, after.second).bind(3, static_cast<std::int64_t>(limit)));
  while (rows.next()) {
    out.push_back({NamespaceName(st.text(2)), st.text(1), st.integer(3)});
    batch.last = {st.integer(0), st.text(1)};
  }
}

void TransferReader::read_dependencies(Batch& batch, const Position& after, std::size_t limit) {
  Statement& st = dependencies_;
  auto& out = batch.records.emplace<std::vector<transfer::DependencyRecord>>();
  const std::string& second = after.second;
  std::int64_t behind = 0;
  std::from_chars(second.data(), second.data() + second.size(), behind);
  Rows rows(st.bind(1, after.first).bind(2, behind).bind(3, static_cast<std::int64_t>(limit)));
  while (rows.next()) {
    out.push_back({st.integer(0), st.integer(1)});
    batch.last = {st.integer(0), std::to_string(st.integer(1))};
  }
}

void TransferReader::read_jobs(Batch& batch, const Position& after, std::size_t limit) {
  auto& out = batch.records.emplace<std::vector<JobRecord>>();
  std::size_t bytes = 0;
  Rows rows(jobs_.bind(1, after.first).bind(2, static_cast<std::int64_t>(limit)));
  while (bytes < transfer::kCopyBatchBytesMax && rows.next()) {
    out.push_back(read_job());
    bytes += contents_of(out.back().job);
    batch.last.first = out.back().key;
  }
}

JobRecord TransferReader::read_job() {
  const Statement& st = jobs_;
  JobRow row = read_row(st, kNever);
  JobRecord record;
  record.key = row.key;
  record.job = std::move(row.job);
  Job& job = record.job;
  if (st.is_null(22)) db_.set_fault(refusal::no_lane(row.key));
  read_columns(st, 22, job.spec.ns, job.spec.queue, job.spec.type, job.worker);
  read_column(st, 19, record.rank);
  read_column(st, 7, record.event);
  if (job.state == JobState::running) {
    record.granted = granted(st, job.spec);
    if (job.cancel_requested) record.cancel_reason = st.text(21);
  }
  if ((row.flags & kPayloadApart) != 0) read_apart(row.key, 0, job.spec.payload.data);
  if ((row.flags & kResultApart) != 0) read_apart(row.key, 1, job.result->data);
  if ((row.flags & kHasProgress) != 0) read_progress(record);
  read_attempts(record);
  return record;
}

void TransferReader::read_apart(JobKey key, std::int64_t kind, std::string& into) {
  Rows rows(content_.bind(1, key).bind(2, kind));
  if (rows.next()) into = content_.text(0);
}

void TransferReader::read_progress(JobRecord& record) {
  Statement& st = progress_;
  Rows rows(st.bind(1, record.key));
  if (!rows.next()) return;
  Progress progress{st.real(0), st.text(1), std::nullopt, from_ms(st.integer(4))};
  if (!st.is_null(2)) progress.partial = Content{st.text(2), static_cast<Encoding>(st.integer(3))};
  record.job.progress = std::move(progress);
}

void TransferReader::read_attempts(JobRecord& record) {
  Statement& st = attempts_;
  Rows rows(st.bind(1, record.key));
  while (rows.next()) {
    AttemptRecord& attempt = record.job.attempts.emplace_back();
    read_columns(st, 0, attempt.attempt, attempt.fence, attempt.worker, attempt.started_at, attempt.ended_at, attempt.outcome);
    attempt.error = error_from_text(st.view(6));
  }
}

}  // namespace muster::store::sqlite
