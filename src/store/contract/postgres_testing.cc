#include "store/contract/postgres_testing.h"

#include <unistd.h>

#include <filesystem>
#include <future>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/patience_testing.h"
#include "store/postgres/open.h"
#include "store/postgres/store.h"
#include "store/postgres/wire/connection.h"

namespace muster::store::contract {
namespace {

constexpr Instant kStart = Instant(std::chrono::seconds(1'700'000'000));

// Fixed per process, and another one for each store: jitter comes from it.
std::uint64_t next_seed() {
  static std::atomic<std::uint64_t> seed = 0;
  return ++seed;
}

// What tells time in a schema under test: a row instead of the server's clock, so that a case can move it.
constexpr std::string_view kClockSql = R"(
CREATE UNLOGGED TABLE {schema}.test_clock (at bigint NOT NULL) WITH (fillfactor = 10);
INSERT INTO {schema}.test_clock VALUES (0);
CREATE OR REPLACE FUNCTION {schema}.now_ms() RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT at FROM {schema}.test_clock $$;
CREATE TABLE {schema}.test_meta AS TABLE {schema}.meta;
)";

// Moves the time. What the node itself holds by it moves along: cases are about jobs and workers, not about who leads.
constexpr std::string_view kAdvanceSql = R"(
UPDATE {{schema}}.test_clock SET at = at + {0};
UPDATE {{schema}}.leader SET expires_at = expires_at + {0};
UPDATE {{schema}}.nodes SET seen_at = seen_at + {0};
)";

// Every table that holds data, those that refer to others first.
constexpr std::string_view kTablesSql = R"(
SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = '{}' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND c.relname NOT IN ('meta', 'namespaces', 'test_clock', 'test_meta')
ORDER BY CASE c.relname WHEN 'lanes' THEN 0 WHEN 'queues' THEN 1 ELSE 2 END, c.relname
)";

// Rows are deleted rather than tables truncated: a case leaves few of them, and new files cost a sync each.
constexpr std::string_view kEmptySql = R"(
CREATE FUNCTION {{schema}}.test_empty(start bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE part regclass;
BEGIN
  FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = '{{schema}}.history'::regclass
              AND inhrelid <> '{{schema}}.history_rest'::regclass LOOP
    EXECUTE 'DROP TABLE ' || part;
  END LOOP;
  {}
  UPDATE {{schema}}.test_clock SET at = start;
  DELETE FROM {{schema}}.namespaces WHERE name <> 'default';
  UPDATE {{schema}}.namespaces SET created_at = start, description = '', display_name = '', enabled = true, updated_at = NULL;
  DELETE FROM {{schema}}.meta;
  INSERT INTO {{schema}}.meta TABLE {{schema}}.test_meta;
END $$;
)";

// One schema, made once per process and emptied for each case: making two dozen tables for every one would take most of the time.
class Bed {
 public:
  // One that no other harness lies in: a case may have several stores at a time.
  static Result<Bed*> of(const PostgresUrls& urls) {
    static std::vector<std::unique_ptr<Bed>> beds;
    for (const auto& bed : beds)
      if (!bed->taken_ && bed->urls_.url == urls.url) return bed.get();
    auto made = std::make_unique<Bed>(urls, fmt::format("contract_{}_{}", ::getpid(), beds.size()));
    if (Status status = made->make(); !status.ok()) return status;
    return beds.emplace_back(std::move(made)).get();
  }
  void take() { taken_ = true; }
  void leave() { taken_ = false; }

  Bed(PostgresUrls urls, std::string schema) : urls_(std::move(urls)), schema_(std::move(schema)) {}
  ~Bed() {
    if (admin_ == nullptr) return;
    const Status dropped = run("DROP SCHEMA IF EXISTS {schema} CASCADE");
    if (!dropped.ok()) log::warn("the schema of the contract suite could not be removed", {{"reason", dropped.message()}});
  }
  Bed(const Bed&) = delete;
  Bed& operator=(const Bed&) = delete;

  const std::string& schema() const { return schema_; }
  Instant now() const { return now_; }

  Status empty() {
    now_ = kStart;
    return run(fmt::format("SELECT {{schema}}.test_empty({})", to_ms(kStart)));
  }
  void advance(Duration by) {
    const Status moved = run(fmt::format(kAdvanceSql, by.count()));
    check(moved.ok(), moved.message());
    now_ += by;
  }

 private:
  Status make() {
    auto opened = postgres::Connection::open({.url = urls_.direct, .application = "muster-contract", .schema = schema_});
    if (!opened.ok()) return opened.status();
    admin_ = std::move(*opened);
    postgres::Options options;
    options.url = urls_.direct;
    options.schema = schema_;
    if (Status status = postgres::migrate(options); !status.ok()) return status;
    // The harness writes what nobody promised to keep.
    if (Status status = run("SET synchronous_commit = off; SET client_min_messages = warning"); !status.ok()) return status;
    if (Status status = run(std::string(kClockSql)); !status.ok()) return status;
    const auto tables = admin_->query(fmt::format(kTablesSql, schema_));
    if (!tables.ok()) return tables.status();
    std::string deletes;
    for (std::size_t i = 0; i < tables->size(); ++i) deletes += fmt::format("DELETE FROM {{schema}}.{};\n", tables->view(i, 0));
    return run(fmt::format(kEmptySql, deletes));
  }
  Status run(const std::string& text) { return admin_->script(postgres::with_schema(text, schema_)); }

  const PostgresUrls urls_;
  const std::string schema_;
  std::unique_ptr<postgres::Connection> admin_;
  Instant now_ = kStart;
  bool taken_ = false;
};

class PostgresHarness final : public Harness {
 public:
  PostgresHarness(PostgresUrls urls, Bed& bed) : urls_(std::move(urls)), bed_(bed) { bed_.take(); }
  ~PostgresHarness() override {
    store_.reset();
    bed_.leave();
  }

  Status open() {
    postgres::Options options;
    options.url = urls_.url;
    options.listen_url = urls_.direct;
    options.schema = bed_.schema();
    options.node = "contract";
    options.connections = postgres::kConnectionsMin;
    options.statement_timeout = patience();  // a machine that is busy with other things is no failure of the database
    // No poll of its own: cases count wake-ups.
    options.poll_every = options.poll_every_listening = std::chrono::hours(1);
    // Nor an election in between: time jumps here, and cases are not about who leads.
    options.leader_ttl = std::chrono::hours(24 * 365 * 10);
    options.seed = seed_;
    auto opened = postgres::open_on_clock(std::move(options), metrics_, contact_clock_);
    if (!opened.ok()) return opened.status();
    store_ = std::move(*opened);
    if (Status status = await_place_in_cluster(); !status.ok()) return status;
    store_->set_listener(listener_);
    return {};
  }

  Store& store() override { return *store_; }
  Instant now() const override { return bed_.now(); }
  // A node guesses the database's time from what it last heard of it, and no guess foresees a jump: it is let to hear.
  void advance(Duration by) override {
    bed_.advance(by);
    let_hear();
  }

  void pause(Duration by) override {
    bed_.advance(by);
    contact_clock_.advance(by);
    let_hear();
  }

  Status restart() override {
    const Status closed = store_->close();
    store_.reset();
    if (!closed.ok()) return closed;
    return open();
  }

  // The database outlives the process, and calls under way were answered: what is left behind is the node's row and its
  // leadership, which the next process of the same name takes over.
  Status crash() override {
    store_.reset();
    return open();
  }

  bool pump() override { return false; }
  bool threaded() const override { return true; }
  void listen(Listener* listener) override {
    listener_ = listener;
    store_->set_listener(listener);
  }
  std::string scratch_path(std::string_view name) const override {
    return (std::filesystem::temp_directory_path() / fmt::format("{}-{}", bed_.schema(), name)).string();
  }
  bool has_backup() const override { return false; }
  bool has_nodes() const override { return true; }
  Result<std::unique_ptr<Harness>> open_backup(const std::string&) override {
    return Status::invalid_argument("PostgreSQL is backed up by its own tools");
  }

 private:
  void let_hear() {
    std::promise<void> heard;
    store_->list_namespaces([&heard](Result<std::vector<NamespaceInfo>>) { heard.set_value(); });
    heard.get_future().wait();
  }
  // Sweeps belong to the leader, and the first look for work of others must not fall into a case.
  Status await_place_in_cluster() {
    const Gauge& listening = metrics_.gauge("muster_postgres_listening", "");
    const Counter& polls = metrics_.counter("muster_postgres_polls_total", "");
    const std::uint64_t polls_before = polls_;
    if (!eventually([&] { return store_->leading() && listening.value() != 0 && polls.value() != polls_before; }))
      return Status::internal(store_->leading() ? "the store did not hear itself in time" : "the store did not lead in time");
    polls_ = polls.value();
    return {};
  }

  const PostgresUrls urls_;
  Bed& bed_;
  const std::uint64_t seed_ = next_seed();
  Metrics metrics_;
  ManualClock contact_clock_;
  std::uint64_t polls_ = 0;  // looks of earlier stores of this harness
  Listener* listener_ = nullptr;
  std::unique_ptr<postgres::PostgresStore> store_;
};

}  // namespace

HarnessMaker postgres_store(PostgresUrls urls) {
  return [urls = std::move(urls)]() -> Result<std::unique_ptr<Harness>> {
    log::set_level(log::Level::warn);
    const auto bed = Bed::of(urls);
    if (!bed.ok()) return bed.status();
    if (Status status = (*bed)->empty(); !status.ok()) return status;
    auto harness = std::make_unique<PostgresHarness>(urls, **bed);
    if (Status status = harness->open(); !status.ok()) return status;
    return std::unique_ptr<Harness>(std::move(harness));
  };
}

}  // namespace muster::store::contract
