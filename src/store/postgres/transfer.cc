#include "store/postgres/transfer.h"

#include <fmt/format.h>

#include "base/metrics.h"
#include "store/postgres/migrations.h"
#include "store/postgres/moves.h"
#include "store/postgres/node.h"
#include "store/postgres/statements.h"
#include "store/postgres/transfer_agents.h"
#include "store/postgres/transfer_reader.h"
#include "store/postgres/transfer_records.h"
#include "store/postgres/tx.h"

namespace muster::store::postgres {
namespace {

constexpr Duration kStatementWait{600'000};  // counting or re-reading a large store takes its time
constexpr std::int64_t kPlacedTogether = 500;
constexpr int kPlaceTriesMax = 8;  // lanes that had to be made first

using transfer::Bookmark;
using transfer::Records;

std::string name_of(const TransferOptions& options) {
  return fmt::format("{} schema {}", without_secrets(options.url), options.schema);
}

Status about(const TransferOptions& options, const Status& status) {
  return Status(status.code(), fmt::format("{}: {}", name_of(options), status.message()));
}

struct Opened {
  std::unique_ptr<Connection> connection;
  std::uint32_t version = 0;
};

Result<Opened> connect(const TransferOptions& options) {
  ConnectOptions wanted;
  wanted.url = options.url;
  wanted.application = "muster-copy";
  wanted.schema = options.schema;
  wanted.statement_timeout = kStatementWait;
  auto connection = Connection::open(wanted);
  if (!connection.ok()) return connection.status();
  const auto version = schema_version(**connection, options.schema);
  if (!version.ok()) return version.status();
  return Opened{std::move(*connection), *version};
}

Result<std::vector<Rows>> ask(Connection& connection, Sql statement, Params params = {}) {
  connection.call(statement, std::move(params));
  return connection.exchange();
}

Status nobody_works_on(Connection& connection, const char* advice) {
  const auto rows = ask(connection, "transfer_living_node"_sql, std::move(Params().int8(kNodeSilence.count())));
  if (!rows.ok()) return rows.status();
  if (rows->front().size() == 0) return {};
  return Status::conflict(
      fmt::format("node '{}' works on it (heard {} ms ago); {}", rows->front().text(0, 0), rows->front().integer(0, 1), advice));
}

class DatabaseSource final : public transfer::Source {
 public:
  explicit DatabaseSource(std::unique_ptr<Connection> connection) : connection_(std::move(connection)), reader_(*connection_) {}

  Result<transfer::Numbers> numbers() override { return reader_.numbers(); }
  Result<transfer::Counts> counts() override { return reader_.counts(); }
  Result<transfer::Batch> read(transfer::Kind kind, const transfer::Position& after, std::size_t limit) override {
    return reader_.read(kind, after, limit);
  }

 private:
  std::unique_ptr<Connection> connection_;
  TransferReader reader_;
};

class DatabaseSink final : public transfer::Sink {
 public:
  DatabaseSink(TransferOptions options, std::unique_ptr<Connection> connection)
      : options_(std::move(options)),
        connection_(std::move(connection)),
        reader_(*connection_),
        node_({.url = options_.url, .schema = options_.schema, .node = "muster-copy"}, metrics_) {}

  Result<Bookmark> begin(const transfer::Numbers& numbers, const std::string& source) override {
    node_.use_salt(numbers.salt);
    auto known = find_bookmark();
    if (!known.ok()) return known.status();
    if (*known) {
      if (Status status = transfer::may_continue(**known, source, newest_version()); !status.ok()) return about(options_, status);
      Tx tx(*connection_, node_);
      tx.begin();
      names_.load(tx);
      if (Status status = ended(tx); !status.ok()) return status;
      return **known;
    }
    const auto counts = reader_.counts();
    if (!counts.ok()) return counts.status();
    if (Status status = transfer::must_be_empty(*counts); !status.ok()) return about(options_, status);
    const Bookmark bookmark{.source = source, .schema = newest_version()};
    Tx tx(*connection_, node_);
    tx.begin();
    tx.write("transfer_clear"_sql);
    tx.write("transfer_meta_put"_sql, Params().text(kMetaSalt).text(std::to_string(numbers.salt)));
    tx.write("transfer_numbers_put"_sql, Params().int8(numbers.next_job_key).int8(numbers.next_fence));
    tx.write("transfer_meta_put"_sql, Params().text(kMetaVersion).text(std::to_string(transfer::kVersionHalfCopied)));
    if (Status status = move_bookmark(tx, bookmark); !status.ok()) return status;
    return bookmark;
  }

  Status put(const Records& records, const Bookmark& bookmark) override {
    Tx tx(*connection_, node_);
    tx.begin();
    std::visit([&](const auto& list) { put_all(tx, list); }, records);
    if (!names_.problem().ok()) {
      tx.rollback();
      return names_.problem();
    }
    return move_bookmark(tx, bookmark);
  }

  Status finish() override {
    {
      Tx tx(*connection_, node_);
      tx.begin();
      tx.write("directory_bump"_sql);
      if (Status status = ended(tx); !status.ok()) return status;
    }
    if (Status status = place_ready(); !status.ok()) return status;
    Bookmark bookmark = *transfer::bookmark_from_text(bookmark_);
    bookmark.done = true;
    Tx tx(*connection_, node_);
    tx.begin();
    tx.write("transfer_leases"_sql);
    tx.write("transfer_beats"_sql);
    number_entries(tx);
    tx.write("directory_bump"_sql);
    tx.write("transfer_meta_put"_sql, Params().text(kMetaVersion).text(std::to_string(newest_version())));
    if (Status status = move_bookmark(tx, bookmark); !status.ok()) return status;
    // For speed only: without it the server's own housekeeping does it a little later.
    (void)ask(*connection_, "transfer_analyze"_sql).ok();
    return {};
  }

  transfer::Source& contents() override { return reader_; }

 private:
  Result<std::optional<Bookmark>> find_bookmark() {
    const auto rows = ask(*connection_, "transfer_bookmark"_sql, std::move(Params().text(transfer::kMetaBookmark)));
    if (!rows.ok()) return rows.status();
    if (rows->front().size() == 0) return std::optional<Bookmark>();
    bookmark_ = rows->front().text(0, 0);
    auto bookmark = transfer::bookmark_from_text(bookmark_);
    if (!bookmark) return about(options_, Status::corrupt("the bookmark of a copy cannot be read"));
    return bookmark;
  }

  static Status ended(Tx& tx) {
    Status status = tx.failed() ? tx.trouble().status() : tx.commit();
    if (!status.ok()) tx.rollback();
    return status;
  }

  // The last thing of a transaction.
  Status move_bookmark(Tx& tx, const Bookmark& bookmark) {
    const std::string text = transfer::bookmark_to_text(bookmark);
    const Rows moved =
        tx.ask("transfer_bookmark_put"_sql, std::move(Params().text(transfer::kMetaBookmark).text(text).text(bookmark_)));
    if (!tx.failed() && moved.size() == 0) {
      tx.rollback();
      return about(options_, Status::conflict("another copy fills the target at the same time"));
    }
    Status status = ended(tx);
    if (status.ok()) bookmark_ = text;
    return status;
  }

  void put_all(Tx& tx, const std::vector<NamespaceInfo>& records) { names_.put(tx, records); }
  void put_all(Tx& tx, const std::vector<transfer::QueueRecord>& records) { names_.put(tx, records); }
  void put_all(Tx& tx, const std::vector<Worker>& records) { names_.put(tx, records); }
  void put_all(Tx& tx, const std::vector<transfer::JobRecord>& records) { put_jobs(tx, names_, records, days_); }
  void put_all(Tx& tx, const std::vector<transfer::DependencyRecord>& records) { put_dependencies(tx, records); }

  void put_all(Tx& tx, const std::vector<Plan>& records) { put_plans(tx, names_, records); }
  void put_all(Tx& tx, const std::vector<transfer::ActionRecord>& records) { put_actions(tx, names_, records); }
  void put_all(Tx& tx, const std::vector<transfer::EntryRecord>& records) { put_entries(tx, names_, records); }
  void put_all(Tx& tx, const std::vector<transfer::ItemRecord>& records) { put_items(tx, records); }
  void put_all(Tx& tx, const std::vector<transfer::FieldRecord>& records) { put_fields(tx, records); }
  void put_all(Tx& tx, const std::vector<transfer::ScoreRecord>& records) { put_scores(tx, records); }

  void put_all(Tx& tx, const std::vector<transfer::StepRecord>& records) { put_steps(tx, records); }
  void put_all(Tx& tx, const std::vector<transfer::SignalRecord>& records) { put_signals(tx, records); }
  void put_all(Tx& tx, const std::vector<Schedule>& records) { put_schedules(tx, names_, records); }
  // Agents, and what belongs to them.
  template <class Record>
  void put_all(Tx& tx, const std::vector<Record>& records) {
    put_records(tx, names_, records);
  }

  void put_all(Tx& tx, const std::vector<transfer::BondRecord>& records) {
    Table rows({Type::int4, Type::bytes, Type::int4});
    for (const transfer::BondRecord& record : records)
      rows.add(names_.queue(record.ns, record.queue).key, record.key, names_.worker(record.ns, record.worker).key);
    tx.write("transfer_bonds_put"_sql, rows.params());
  }

  void put_all(Tx& tx, const std::vector<transfer::KeyRecord>& records) {
    Table rows = key_table();
    for (const transfer::KeyRecord& record : records) rows.add(names_.ns(record.ns), record.key, record.job);
    tx.write("transfer_keys_put"_sql, rows.params());
  }

  // By the same rule as when a job comes back: for the worker it is bound to, for a preference, with a key that is full, or in
  // its own lane. Doing it again changes nothing.
  Status place_ready() {
    std::int64_t after = 0;
    while (true) {
      const auto last = place_some(after);
      if (!last.ok()) return last.status().annotate("placing the jobs that wait for somebody");
      if (*last == after) return {};
      after = *last;
    }
  }

  // Returns the key of the last one it placed; `after` when there was none.
  Result<std::int64_t> place_some(std::int64_t after) {
    for (int tries = 0; tries < kPlaceTriesMax; ++tries) {
      Tx tx(*connection_, node_);
      tx.begin();
      const Rows rows = tx.ask("transfer_placeable"_sql, std::move(Params().int8(after).int8(kPlacedTogether)));
      std::vector<JobKey> keys;
      for (std::size_t i = 0; i < rows.size(); ++i) keys.push_back(rows.integer(i, 0));
      std::map<JobKey, LiveJob> jobs = lock_jobs(tx, keys);
      Moves moves(tx);
      for (auto& [key, job] : jobs) moves.place(job);
      moves.flush();
      if (!tx.failed() && tx.lacks_names()) {
        tx.rollback();
        Tx making(*connection_, node_);
        making.begin();
        making.make_names(tx);
        if (Status status = ended(making); !status.ok()) return status;
        continue;
      }
      if (Status status = ended(tx); !status.ok()) return status;
      return keys.empty() ? after : keys.back();
    }
    return Status::internal("lanes for jobs that are held do not appear");
  }

  const TransferOptions options_;
  std::unique_ptr<Connection> connection_;
  TransferReader reader_;
  Metrics metrics_;
  Node node_;
  TransferNames names_;
  std::set<std::int64_t> days_;
  std::string bookmark_;  // as the target has it; empty: not yet
};

}  // namespace

Result<std::unique_ptr<transfer::Source>> open_transfer_source(const TransferOptions& options) {
  auto opened = connect(options);
  if (!opened.ok()) return about(options, opened.status());
  if (opened->version == 0) return about(options, Status::not_found("there is no store"));
  if (opened->version == transfer::kVersionHalfCopied)
    return about(options, Status::conflict("it is half of a copy itself; finish that one first"));
  if (opened->version > newest_version())
    return about(options,
                 Status::invalid_argument(fmt::format("it has version {}, this program knows up to {}; use a newer muster",
                                                      opened->version, newest_version())));
  if (opened->version < newest_version())
    return about(options,
                 Status::conflict(fmt::format("it has version {}; bring it up with `muster migrate up`", opened->version)));
  Connection& connection = *opened->connection;
  Status status = connection.start_pipeline();
  if (status.ok() && !options.force) status = nobody_works_on(connection, "stop all nodes, or copy a moment of it with --force");
  if (status.ok()) status = ask(connection, "transfer_begin"_sql).status();
  if (!status.ok()) return about(options, status);
  return std::unique_ptr<transfer::Source>(std::make_unique<DatabaseSource>(std::move(opened->connection)));
}

Result<std::unique_ptr<transfer::Sink>> open_transfer_sink(const TransferOptions& options) {
  auto opened = connect(options);
  if (!opened.ok()) return about(options, opened.status());
  Connection& connection = *opened->connection;
  // A schema that is behind is somebody's, and not for a copy to change.
  if (opened->version > 0 && opened->version < newest_version())
    return about(options, Status::conflict(fmt::format(
                              "the target is not empty: it holds a store of version {}; name an empty one", opened->version)));
  Status status;
  if (opened->version != transfer::kVersionHalfCopied) status = migrate(connection, options.schema);
  if (status.ok()) status = connection.start_pipeline();
  if (status.ok()) status = nobody_works_on(connection, "stop it: a copy needs a target of its own");
  if (!status.ok()) return about(options, status);
  return std::unique_ptr<transfer::Sink>(std::make_unique<DatabaseSink>(options, std::move(opened->connection)));
}

}  // namespace muster::store::postgres
