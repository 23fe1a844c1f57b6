#include "store/sqlite/transfer.h"

#include <sys/stat.h>

#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/uuid.h"
#include "model/lane.h"
#include "model/rank.h"
#include "store/codec/spec_text.h"
#include "store/refusals.h"
#include "store/sqlite/core.h"
#include "store/sqlite/migrations.h"
#include "store/sqlite/open.h"
#include "store/sqlite/redo/recovery.h"
#include "store/sqlite/transfer_agents.h"
#include "store/sqlite/transfer_parts.h"
#include "store/sqlite/transfer_reader.h"

namespace muster::store::sqlite {
namespace {

using transfer::Bookmark;
using transfer::JobRecord;
using transfer::Records;

constexpr const char* kReadPragmas = "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536;";
constexpr const char* kWritePragmas =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;"
    "PRAGMA foreign_keys = OFF;";

// A file on its own: nobody else opens it while this lives.
struct OwnedFile {
  std::string path;
  std::unique_ptr<OwnerLock> lock;
  std::unique_ptr<Connection> connection;
  std::uint32_t version = 0;
};

Status about(const std::string& path, const Status& status) {
  if (status.code() == Code::corrupt) return Status::corrupt(fmt::format("{} is damaged: {}", path, status.message()));
  return status.annotate(path);
}

Result<OwnedFile> own(const std::string& link, OpenMode mode, const char* pragmas) {
  const std::string path = name_of_file(link);
  OwnedFile out{.path = path};
  auto lock = OwnerLock::take(path);
  if (!lock.ok()) return lock.status();
  out.lock = std::move(*lock);
  if (mode == OpenMode::create)
    if (Status made = create_private_file(path); !made.ok()) return made;
  auto opened = Connection::open(path, mode, {});
  if (!opened.ok()) return about(path, opened.status());
  out.connection = std::move(*opened);
  if (const Status set = out.connection->exec(pragmas); !set.ok()) return about(path, set);
  const auto version = file_version(*out.connection);
  if (!version.ok()) return about(path, version.status());
  out.version = *version;
  return out;
}

class FileSource final : public transfer::Source {
 public:
  explicit FileSource(OwnedFile file) : file_(std::move(file)), reader_(*file_.connection) {}
  Status prepared() const { return file_.connection->fault(); }

  Result<transfer::Numbers> numbers() override { return reader_.numbers(); }
  Result<transfer::Counts> counts() override { return reader_.counts(); }
  Result<transfer::Batch> read(transfer::Kind kind, const transfer::Position& after, std::size_t limit) override {
    return reader_.read(kind, after, limit);
  }

 private:
  OwnedFile file_;
  TransferReader reader_;
};

// Names that are in, by which the records refer to each other. Rows of names are numbered anew.
struct Names {
  struct Known {
    std::int64_t row = 0;
    Duration dead_after{};
  };
  std::map<std::string, std::int64_t> namespaces;
  std::map<std::pair<std::int64_t, std::string>, std::int64_t> queues;
  std::map<std::tuple<std::int64_t, std::string, std::string>, std::int64_t> lanes;  // queue, type, needs
  std::map<std::pair<std::int64_t, std::string>, Known> workers;
  std::int64_t next_namespace = 1;
  std::int64_t next_queue = 1;
  std::int64_t next_lane = 1;
  std::int64_t next_worker = 1;
};

template <class Map, class Key>
std::int64_t row_of(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? 0 : found->second;
}

std::uint16_t flags_of(const Job& job) {
  std::uint16_t flags = 0;
  if (job.spec.payload.encoding == Encoding::bytes) flags |= kPayloadBytes;
  if (job.spec.payload.data.size() > kInlineBytesMax) flags |= kPayloadApart;
  if (job.result && job.result->encoding == Encoding::bytes) flags |= kResultBytes;
  if (job.result && job.result->data.size() > kInlineBytesMax) flags |= kResultApart;
  if (job.cancel_requested) flags |= kCancelRequested;
  if (job.progress) flags |= kHasProgress;
  if (job.spec.run) flags |= kIsRun;
  if (job.spec.run && job.spec.run->parent) flags |= kHasParent;
  return flags;
}

class FileSink final : public transfer::Sink {
 public:
  // REQUIRES: the file has this program's schema.
  explicit FileSink(OwnedFile file)
      : file_(std::move(file)),
        db_(*file_.connection),
        sql_(db_),
        job_put_(db_, "transfer_job_put"),
        oldest_live_(db_, "transfer_oldest_live"),
        clear_(db_, "transfer_clear"),
        plans_(db_),
        keyspace_(db_),
        runs_(db_),
        agents_(db_),
        reader_(db_) {}
  Status prepared() const { return db_.fault(); }

  Result<Bookmark> begin(const transfer::Numbers& numbers, const std::string& source) override {
    auto known = find_bookmark();
    if (!known.ok()) return known.status();
    if (*known) {
      if (Status status = transfer::may_continue(**known, source, newest_version()); !status.ok()) return refuse(status);
      load_names();
      if (!db_.fault().ok()) return db_.fault();
      return **known;
    }
    const auto counts = reader_.counts();
    if (!counts.ok()) return counts.status();
    if (Status status = transfer::must_be_empty(*counts); !status.ok()) return refuse(status);
    Bookmark bookmark{.source = source, .schema = newest_version()};
    const Status status = in_transaction([&] {
      clear_.run();
      put_meta("salt", static_cast<std::int64_t>(numbers.salt));
      put_meta("job_keys", numbers.next_job_key);
      put_meta("fences", numbers.next_fence);
      put_meta(kClean, 0);
      // A new database, to which no redo file that lies there belongs.
      put_meta(kRedoDatabase, static_cast<std::int64_t>(random_seed() >> 1));
      put_meta(kRedoDone, 0);
      put_bookmark(bookmark);
      set_version(transfer::kVersionHalfCopied);
    });
    if (!status.ok()) return status;
    return bookmark_ = bookmark;
  }

  Status put(const Records& records, const Bookmark& bookmark) override {
    return in_transaction([&] {
      std::visit([this](const auto& list) { put_all(list); }, records);
      put_bookmark(bookmark);
      bookmark_ = bookmark;
    });
  }

  Status finish() override {
    return in_transaction([&] {
      put_watermark();
      Bookmark bookmark = bookmark_;
      bookmark.done = true;
      put_bookmark(bookmark);
      put_meta(kClean, 1);
      set_version(newest_version());
    });
  }

  transfer::Source& contents() override { return reader_; }

 private:
  template <class Body>
  Status in_transaction(Body body) {
    if (Status begun = db_.exec("BEGIN IMMEDIATE"); !begun.ok()) return begun;
    body();
    Status status = db_.fault();
    if (status.ok()) status = db_.exec("COMMIT");
    // The first error says what happened; what a rollback adds to it is of no use.
    if (!status.ok() && db_.in_transaction()) (void)db_.exec("ROLLBACK").ok();
    return status;
  }

  void run(const char* sql) {
    if (!db_.fault().ok()) return;
    if (const Status status = db_.exec(sql); !status.ok()) db_.set_fault(status);
  }
  void set_version(std::uint32_t version) { run(fmt::format("PRAGMA user_version = {}", version).c_str()); }
  void put_meta(const char* name, std::int64_t value) { sql_.meta_put.bind_text(1, name).bind(2, value).run(); }
  void put_bookmark(const Bookmark& bookmark) {
    const std::string text = transfer::bookmark_to_text(bookmark);
    sql_.meta_put.bind_text(1, transfer::kMetaBookmark).bind_text(2, text).run();
  }
  void lost(const std::string& what) { db_.set_fault(Status::corrupt(what)); }
  Status refuse(const Status& status) const { return Status(status.code(), fmt::format("{}: {}", file_.path, status.message())); }

  Result<std::optional<Bookmark>> find_bookmark() {
    std::optional<std::string> text;
    {
      Rows rows(sql_.meta_get.bind_text(1, transfer::kMetaBookmark));
      if (rows.next()) text = sql_.meta_get.text(0);
    }
    if (!db_.fault().ok()) return db_.fault();
    if (!text) return std::optional<Bookmark>();
    auto bookmark = transfer::bookmark_from_text(*text);
    if (!bookmark) return Status::corrupt(fmt::format("{}: the bookmark of a copy cannot be read", file_.path));
    bookmark_ = *bookmark;
    return bookmark;
  }

  void load_names() {
    {
      Rows rows(sql_.namespace_all);
      while (rows.next()) add_namespace(sql_.namespace_all.text(1), sql_.namespace_all.integer(0));
    }
    {
      Rows rows(sql_.queue_all);
      while (rows.next()) add_queue(sql_.queue_all.integer(1), sql_.queue_all.text(2), sql_.queue_all.integer(0));
    }
    {
      Statement& st = sql_.lane_all;
      Rows rows(st);
      while (rows.next()) add_lane(st.integer(1), st.text(2), st.text(3), st.integer(0));
    }
    Statement& st = sql_.worker_all;
    Rows rows(st);
    while (rows.next()) {
      WorkerSpec spec;
      worker_from_text(st.view(5), spec);
      add_worker(st.integer(1), st.text(2), {st.integer(0), spec.policy->dead_after});
    }
  }

  void add_namespace(const std::string& name, std::int64_t row) {
    names_.namespaces[name] = row;
    names_.next_namespace = std::max(names_.next_namespace, row + 1);
  }
  void add_queue(std::int64_t ns, const std::string& name, std::int64_t row) {
    names_.queues[{ns, name}] = row;
    names_.next_queue = std::max(names_.next_queue, row + 1);
  }
  void add_lane(std::int64_t queue, const std::string& type, const std::string& needs, std::int64_t row) {
    names_.lanes[{queue, type, needs}] = row;
    names_.next_lane = std::max(names_.next_lane, row + 1);
  }
  void add_worker(std::int64_t ns, const std::string& name, Names::Known known) {
    names_.workers[{ns, name}] = known;
    names_.next_worker = std::max(names_.next_worker, known.row + 1);
  }

  std::int64_t namespace_row(const NamespaceName& name) {
    const std::int64_t row = row_of(names_.namespaces, name.text());
    if (row == 0) db_.set_fault(refusal::source_lacks("namespace", name.text()));
    return row;
  }
  std::int64_t queue_row(const NamespaceName& ns, const QueueName& name) {
    const std::int64_t row = row_of(names_.queues, std::pair(namespace_row(ns), name.text()));
    if (row == 0) db_.set_fault(refusal::source_lacks("queue", name.text()));
    return row;
  }
  // Row 0: the store does not know it any more.
  Names::Known worker_row(const NamespaceName& ns, const WorkerId& id) {
    const auto found = names_.workers.find({namespace_row(ns), id.text()});
    return found == names_.workers.end() ? Names::Known() : found->second;
  }
  std::int64_t lane_row(const JobSpec& spec) {
    const std::int64_t queue = queue_row(spec.ns, spec.queue);
    const std::string needs = plain_needs(spec).key();
    if (const std::int64_t row = row_of(names_.lanes, std::tuple(queue, spec.type.text(), needs)); row != 0) return row;
    const std::int64_t row = names_.next_lane;
    sql_.lane_insert.bind(1, row).bind(2, queue).bind_text(3, spec.type.text()).bind_text(4, needs).run();
    add_lane(queue, spec.type.text(), needs, row);
    return row;
  }

  template <class Record>
  void put_all(const std::vector<Record>& records) {
    for (const Record& record : records) put_one(record);
  }

  void put_one(const NamespaceInfo& info) {
    const std::int64_t row = names_.next_namespace;
    sql_.namespace_insert.bind(1, row).bind_text(2, info.name.text()).bind_text(3, info.description);
    sql_.namespace_insert.bind(4, to_ms(info.created_at)).bind_text(5, info.display_name);
    sql_.namespace_insert.bind(6, std::int64_t{info.enabled}).bind(7, to_ms(info.updated_at)).run();
    add_namespace(info.name.text(), row);
  }

  void put_one(const transfer::QueueRecord& record) {
    const std::int64_t ns = namespace_row(record.ns);
    const std::int64_t row = names_.next_queue;
    const std::string settings = record.settings == QueueSettings() ? std::string() : settings_to_text(record.settings);
    sql_.queue_insert.bind(1, row).bind(2, ns).bind_text(3, record.name.text()).bind_text_or_null(4, settings).run();
    add_queue(ns, record.name.text(), row);
  }

  void put_one(const Worker& worker) {
    const std::int64_t ns = namespace_row(worker.spec.ns);
    const std::int64_t row = names_.next_worker;
    const std::string spec = worker_to_text(worker.spec);
    Statement& st = sql_.worker_put;
    st.bind(1, row).bind(2, ns).bind_text(3, worker.spec.id.text());
    st.bind(4, static_cast<std::int64_t>(to_number(worker.session))).bind(5, static_cast<std::int64_t>(worker.state));
    st.bind_text(6, spec).bind(7, to_ms(worker.registered_at)).bind(8, to_ms(worker.last_seen_at));
    st.bind_optional(9, to_ms(worker.offline_at));
    st.bind_text(10, worker.offline_cause);
    st.bind_optional(11, to_ms(worker.drain_deadline));
    st.bind_text(12, worker.drain_reason).bind(13, static_cast<std::int64_t>(worker.drain_origin));
    st.bind(14, static_cast<std::int64_t>(worker.completed)).bind(15, static_cast<std::int64_t>(worker.failed));
    st.bind_text(16, worker.stats);
    st.run();
    const HeartbeatPolicy policy = worker.spec.policy.value_or(default_policy(worker.spec.dialect));
    add_worker(ns, worker.spec.id.text(), {row, policy.dead_after});
  }

  void put_one(const transfer::BondRecord& record) {
    const std::int64_t worker = worker_row(record.ns, record.worker).row;
    sql_.sticky_put.bind(1, queue_row(record.ns, record.queue)).bind_text(2, record.key).bind(3, worker).run();
  }

  void put_one(const transfer::KeyRecord& record) {
    sql_.idempotency_insert.bind(1, namespace_row(record.ns)).bind_text(2, record.key).bind(3, record.job).run();
  }

  void put_one(const transfer::DependencyRecord& record) {
    sql_.dependency_insert.bind(1, record.job).bind(2, record.after).run();
  }

  void put_one(const Plan& plan) { plans_.put(plan, namespace_row(plan.spec.ns)); }
  void put_one(const transfer::ActionRecord& record) { plans_.put(record, namespace_row(record.action.ns)); }
  void put_one(const transfer::EntryRecord& record) { keyspace_.put(record, namespace_row(record.ns)); }
  void put_one(const transfer::ItemRecord& record) { keyspace_.put(record); }
  void put_one(const transfer::FieldRecord& record) { keyspace_.put(record); }
  void put_one(const transfer::ScoreRecord& record) { keyspace_.put(record); }
  void put_one(const transfer::StepRecord& record) { runs_.put(record, worker_row(record.ns, record.step.worker).row, ids()); }
  void put_one(const transfer::SignalRecord& record) { runs_.put(record); }
  void put_one(const Schedule& schedule) { runs_.put(schedule, namespace_row(schedule.spec.ns), ids()); }
  void put_one(const Agent& agent) { agents_.put(agent, namespace_row(agent.spec.ns), ids()); }
  void put_one(const Tool& tool) { agents_.put(tool, namespace_row(tool.spec.ns), ids()); }
  void put_one(const SessionRow& row) { agents_.put(row, namespace_row(row.session.ns), ids()); }
  void put_one(const AgentRun& run) { agents_.put(run, namespace_row(run.ns), ids()); }
  void put_one(const Iteration& iteration) { agents_.put(iteration, ids()); }
  void put_one(const transfer::ExecutionRecord& record) { agents_.put(record, namespace_row(record.ns), ids()); }
  void put_one(const MessageRow& row) { agents_.put(row, ids()); }
  void put_one(const CompactionEvent& event) { agents_.put(event, ids()); }
  void put_one(const transfer::ArchiveRecord& record) { agents_.put(record, ids()); }
  void put_one(const transfer::SpendingRecord& record) { agents_.put(record, namespace_row(record.ns), ids()); }
  void put_one(const transfer::BlobRecord& record) { agents_.put(record, ids()); }

  // Steps, schedules and runs of agents name jobs by their ids, whose salt came with the numbers.
  const IdCodec& ids() {
    if (!ids_) {
      Rows rows(sql_.meta_get.bind_text(1, "salt"));
      ids_.emplace(rows.next() ? static_cast<std::uint64_t>(sql_.meta_get.integer(0)) : 0);
    }
    return *ids_;
  }

  void put_one(const JobRecord& record) {
    const Job& job = record.job;
    const Names::Known worker = job.worker.empty() ? Names::Known() : worker_row(job.spec.ns, job.worker);
    if (job.state == JobState::running && worker.row == 0)
      return lost(fmt::format("job row {} runs on a worker that the source does not have", record.key));
    const std::string spec = spec_to_text(job.spec);
    const std::string error = job.error ? error_to_text(*job.error) : std::string();
    const std::uint16_t flags = flags_of(job);
    Statement& st = job_put_;
    st.bind(1, record.key).bind(2, lane_row(job.spec)).bind(3, static_cast<std::int64_t>(job.state));
    st.bind(4, std::int64_t{flags}).bind(5, std::int64_t{job.spec.priority}).bind(6, rank_to_write(record));
    st.bind_optional(7, to_ms(job.run_at));
    st.bind(8, to_ms(job.created_at)).bind(9, static_cast<std::int64_t>(record.event));
    st.bind(10, std::int64_t{job.attempt}).bind(11, std::int64_t{job.rescues});
    st.bind(12, static_cast<std::int64_t>(to_number(job.fence)));
    worker.row != 0 ? st.bind(13, worker.row) : st.bind_null(13);
    st.bind_optional(14, to_ms(job.started_at));
    st.bind_optional(15, to_ms(job.finished_at));
    st.bind_optional(16, to_ms(job.expires_at));
    st.bind_optional(17, lease_to_write(record, worker.dead_after));
    st.bind_text_or_null(18, record.cancel_reason).bind_text_or_null(19, spec);
    (flags & kPayloadApart) != 0 ? st.bind_null(20) : st.bind_blob(20, job.spec.payload.data);
    job.result && (flags & kResultApart) == 0 ? st.bind_blob(21, job.result->data) : st.bind_null(21);
    st.bind_text_or_null(22, error).run();
    if ((flags & kPayloadApart) != 0) put_content(record.key, 0, job.spec.payload.data);
    if ((flags & kResultApart) != 0) put_content(record.key, 1, job.result->data);
    if (job.progress) put_progress(record.key, *job.progress);
    for (const AttemptRecord& attempt : job.attempts) put_attempt(record, attempt);
  }

  // A finished job stands in no order, and not every store remembers where it stood.
  static Rank rank_to_write(const JobRecord& record) {
    if (!is_finished(record.job.state)) return record.rank;
    return rank_of(record.job.run_at.value_or(record.job.created_at), record.job.spec.priority);
  }

  // Written only when it is not what a start works out by itself; 0 when it is over.
  static std::optional<std::int64_t> lease_to_write(const JobRecord& record, Duration dead_after) {
    if (record.job.state != JobState::running) return std::nullopt;
    if (!record.granted) return 0;
    if (*record.granted == record.job.spec.lease_ttl.value_or(dead_after)) return std::nullopt;
    return record.granted->count();
  }

  void put_content(JobKey key, std::int64_t kind, const std::string& data) {
    sql_.content_put.bind(1, key).bind(2, kind).bind_blob(3, data).run();
  }

  void put_progress(JobKey key, const Progress& progress) {
    Statement& st = sql_.progress_put;
    st.bind(1, key).bind(2, progress.fraction).bind_text(3, progress.message);
    progress.partial ? st.bind_blob(4, progress.partial->data) : st.bind_null(4);
    st.bind(5, progress.partial ? static_cast<std::int64_t>(progress.partial->encoding) : std::int64_t{0});
    st.bind(6, to_ms(progress.at)).run();
  }

  // A worker that is gone leaves no name behind in this store.
  void put_attempt(const JobRecord& record, const AttemptRecord& attempt) {
    const std::int64_t worker = worker_row(record.job.spec.ns, attempt.worker).row;
    const std::string error = error_to_text(attempt.error);
    Statement& st = sql_.attempt_insert;
    st.bind(1, record.key).bind(2, std::int64_t{attempt.attempt}).bind(3, static_cast<std::int64_t>(to_number(attempt.fence)));
    st.bind(4, worker).bind(5, to_ms(attempt.started_at)).bind(6, to_ms(attempt.ended_at));
    st.bind(7, static_cast<std::int64_t>(attempt.outcome)).bind_text(8, error).run();
  }

  void put_watermark() {
    std::int64_t next = 1;
    {
      Rows rows(sql_.meta_get.bind_text(1, "job_keys"));
      if (rows.next()) next = sql_.meta_get.integer(0);
    }
    std::int64_t oldest = 0, below = 0;
    {
      Rows rows(oldest_live_.bind(1, next));
      if (!rows.next()) return;
      oldest = oldest_live_.integer(0);
      below = oldest_live_.integer(1);
    }
    put_meta("oldest_live", oldest);
    put_meta("finished_below", below);
  }

  OwnedFile file_;
  Connection& db_;
  Statements sql_;
  Statement job_put_;
  Statement oldest_live_;
  Statement clear_;
  PlanWriter plans_;
  KeyspaceWriter keyspace_;
  RunWriter runs_;
  AgentRecordWriter agents_;
  TransferReader reader_;
  std::optional<IdCodec> ids_;
  Names names_;
  Bookmark bookmark_;
};

}  // namespace

namespace {

// What was acknowledged by a server that was killed may be in the redo files alone.
Status play_redo(const OwnedFile& file) {
  Connection& connection = *file.connection;
  const auto clean = meta_number(connection, kClean);
  if (!clean.ok() || *clean == 1) return clean.status();
  const auto sound = connection.query_text("PRAGMA quick_check(1)");
  if (!sound.ok()) return sound.status();
  if (*sound != "ok") return Status::corrupt(*sound);
  if (Status writable = connection.exec("PRAGMA query_only = OFF; PRAGMA synchronous = FULL"); !writable.ok()) return writable;
  return open_redo(connection, file.path, {}).status();
}

}  // namespace

Result<std::unique_ptr<transfer::Source>> open_transfer_source(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return Status::not_found(fmt::format("there is no store at {}", path));
  auto file = own(path, OpenMode::read_write, kReadPragmas);
  if (!file.ok()) return file.status();
  if (file->version == 0) return Status::not_found(fmt::format("there is no store in {}", path));
  if (file->version == transfer::kVersionHalfCopied)
    return Status::conflict(fmt::format("{} is half of a copy itself; finish that one first", path));
  if (file->version > newest_version())
    return Status::invalid_argument(fmt::format("{} has schema version {}, this program knows up to {}; use a newer muster", path,
                                                file->version, newest_version()));
  if (file->version < newest_version())
    return Status::conflict(fmt::format("{} has schema version {}; bring it up with `muster migrate up --store sqlite:{}`", path,
                                        file->version, path));
  Status played = play_redo(*file);
  if (played.ok()) played = file->connection->exec("PRAGMA query_only = ON");
  if (!played.ok()) return about(path, played);
  auto source = std::make_unique<FileSource>(std::move(*file));
  if (Status status = source->prepared(); !status.ok()) return about(path, status);
  return std::unique_ptr<transfer::Source>(std::move(source));
}

Result<std::unique_ptr<transfer::Sink>> open_transfer_sink(const std::string& path) {
  auto file = own(path, OpenMode::create, kWritePragmas);
  if (!file.ok()) return file.status();
  // A store that is behind is somebody's, and not for a copy to change.
  if (file->version > 0 && file->version < newest_version())
    return Status::conflict(fmt::format("{}: the target is not empty: it holds a store of schema version {}; name an empty one",
                                        path, file->version));
  if (file->version == newest_version())  // whether it is empty shows when all is in it that was acknowledged
    if (const Status played = play_redo(*file); !played.ok()) return about(path, played);
  if (file->version != transfer::kVersionHalfCopied)
    if (const Status status = migrate(*file->connection); !status.ok()) return about(path, status);
  auto sink = std::make_unique<FileSink>(std::move(*file));
  if (Status status = sink->prepared(); !status.ok()) return about(path, status);
  return std::unique_ptr<transfer::Sink>(std::move(sink));
}

}  // namespace muster::store::sqlite
