// SQLite with nothing around it. A failure here is a broken benchmark, so it ends the program.
#include "bench/bare_loop.h"

#include <sqlite3.h>

#include <cstdlib>
#include <initializer_list>
#include <vector>

#include <fmt/format.h>

#include "bench/row.h"
#include "store/sqlite/migrations_text.h"
#include "store/sqlite/statements.h"

namespace muster::bench {
namespace {

constexpr std::size_t kPayloadBytes = 128;
constexpr std::size_t kBacklogGroup = 10'000;
constexpr std::int64_t kNow = 1'700'000'000'000;

void must(bool holds, sqlite3* db) {
  if (holds) return;
  fmt::print(stderr, "bare loop: {}\n", sqlite3_errmsg(db));
  std::abort();
}

// Parameters from 1 on; what is not given stays NULL.
void bind_numbers(sqlite3_stmt* statement, std::initializer_list<std::int64_t> values) {
  int at = 0;
  for (const std::int64_t value : values) sqlite3_bind_int64(statement, ++at, value);
}

}  // namespace

BareLoop::BareLoop(const std::string& folder, std::size_t backlog, Rows rows) : rows_(rows), payload_(kPayloadBytes, 'p') {
  const int opened = sqlite3_open_v2((folder + "/bare.db").c_str(), &db_,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  must(opened == SQLITE_OK, db_);
  const char* pragmas =
      "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY; PRAGMA "
      "locking_mode=EXCLUSIVE";
  must(sqlite3_exec(db_, pragmas, nullptr, nullptr, nullptr) == SQLITE_OK, db_);
  begin_ = prepare("BEGIN IMMEDIATE");
  commit_ = prepare("COMMIT");
  rows_ == Rows::lean ? make_lean_table() : make_store_table();
  while (backlog > 0) {
    run(begin_);
    for (std::size_t i = 0; i < kBacklogGroup && backlog > 0; ++i, --backlog) insert();
    run(commit_);
  }
}

void BareLoop::make_lean_table() {
  const char* table =
      "CREATE TABLE job(id INTEGER PRIMARY KEY, queue INTEGER NOT NULL, type INTEGER NOT NULL, created_at INTEGER NOT NULL,"
      " payload BLOB NOT NULL, state INTEGER NOT NULL, attempt INTEGER NOT NULL DEFAULT 0, fence INTEGER, worker INTEGER,"
      " lease_expires_at INTEGER, finished_at INTEGER)";
  must(sqlite3_exec(db_, table, nullptr, nullptr, nullptr) == SQLITE_OK, db_);
  insert_ = prepare("INSERT INTO job(id,queue,type,created_at,payload,state) VALUES(?1,?2,?3,?4,?5,1)");
  claim_ = prepare("UPDATE job SET state=2,attempt=attempt+1,fence=?2,worker=1,lease_expires_at=?3 WHERE id=?1");
  complete_ = prepare("UPDATE job SET state=3,lease_expires_at=NULL,finished_at=?2 WHERE id=?1");
}

void BareLoop::make_store_table() {
  for (const auto& file : embedded::migrations_text())
    must(sqlite3_exec(db_, std::string(file.text).c_str(), nullptr, nullptr, nullptr) == SQLITE_OK, db_);
  insert_ = prepare(store::sqlite::statement_text("job_insert"));
  claim_ = prepare(store::sqlite::statement_text("job_claim"));
  complete_ = prepare(store::sqlite::statement_text("job_complete"));
}

BareLoop::~BareLoop() {
  for (sqlite3_stmt* statement : {begin_, commit_, insert_, claim_, complete_}) sqlite3_finalize(statement);
  sqlite3_close(db_);
}

sqlite3_stmt* BareLoop::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  must(sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &statement, nullptr) ==
           SQLITE_OK,
       db_);
  return statement;
}

void BareLoop::run(sqlite3_stmt* statement) {
  must(sqlite3_step(statement) == SQLITE_DONE, db_);
  sqlite3_reset(statement);
}

void BareLoop::insert() {
  const std::int64_t id = ++newest_;
  if (rows_ == Rows::lean) {
    bind_numbers(insert_, {id, id % 8, id % 4, kNow + id});
    sqlite3_bind_blob(insert_, 5, payload_.data(), static_cast<int>(payload_.size()), SQLITE_STATIC);
  } else {
    constexpr std::int64_t kReady = 1;
    bind_numbers(insert_, {id, id % 32, kReady, 0, 0, (kNow + id) * 1000, kNow + id, kNow + id});
    sqlite3_bind_blob(insert_, sqlite3_bind_parameter_count(insert_), payload_.data(), static_cast<int>(payload_.size()),
                      SQLITE_STATIC);
  }
  run(insert_);
  waiting_.push_back(id);
}

void BareLoop::claim(std::int64_t id) {
  ++fence_;
  if (rows_ == Rows::lean)
    bind_numbers(claim_, {id, fence_, kNow + fence_});
  else
    bind_numbers(claim_, {id, 1, fence_, 1, kNow + fence_});
  run(claim_);
}

void BareLoop::complete(std::int64_t id) {
  if (rows_ == Rows::lean)
    bind_numbers(complete_, {id, kNow + id});
  else
    bind_numbers(complete_, {id, 0, kNow + id});
  run(complete_);
}

void BareLoop::next_commit() {
  run(commit_);
  run(begin_);
}

double BareLoop::lives_per_second(std::size_t group, Commits commits, double seconds) {
  std::vector<std::int64_t> claimed(group);
  std::size_t lives = 0;
  const double began = seconds_now();
  double now = began;
  while (now - began < seconds) {
    run(begin_);
    for (std::size_t i = 0; i < group; ++i) insert();
    if (commits == Commits::one_each) next_commit();
    for (std::size_t i = 0; i < group; ++i) {
      claimed[i] = waiting_.front();
      waiting_.pop_front();
      claim(claimed[i]);
    }
    if (commits == Commits::one_each) next_commit();
    for (const std::int64_t id : claimed) complete(id);
    run(commit_);
    lives += group;
    now = seconds_now();
  }
  return static_cast<double>(lives) / (now - began);
}

double BareLoop::commit_one() {
  const double began = seconds_now();
  run(begin_);
  insert();
  run(commit_);
  return seconds_now() - began;
}

}  // namespace muster::bench
