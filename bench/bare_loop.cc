// SQLite with nothing around it. A failure here is a broken benchmark, so it ends the program.
#include "bench/bare_loop.h"

#include <sqlite3.h>

#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "bench/row.h"

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

}  // namespace

BareLoop::BareLoop(const std::string& folder, std::size_t backlog) : payload_(kPayloadBytes, 'p') {
  const int opened = sqlite3_open_v2((folder + "/bare.db").c_str(), &db_,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  must(opened == SQLITE_OK, db_);
  const char* setup =
      "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY; PRAGMA "
      "locking_mode=EXCLUSIVE;"
      "CREATE TABLE job(id INTEGER PRIMARY KEY, queue INTEGER NOT NULL, type INTEGER NOT NULL, created_at INTEGER NOT NULL,"
      " payload BLOB NOT NULL, state INTEGER NOT NULL, attempt INTEGER NOT NULL DEFAULT 0, fence INTEGER, worker INTEGER,"
      " lease_expires_at INTEGER, finished_at INTEGER)";
  must(sqlite3_exec(db_, setup, nullptr, nullptr, nullptr) == SQLITE_OK, db_);
  begin_ = prepare("BEGIN IMMEDIATE");
  commit_ = prepare("COMMIT");
  insert_ = prepare("INSERT INTO job(id,queue,type,created_at,payload,state) VALUES(?1,?2,?3,?4,?5,1)");
  claim_ = prepare("UPDATE job SET state=2,attempt=attempt+1,fence=?2,worker=1,lease_expires_at=?3 WHERE id=?1");
  complete_ = prepare("UPDATE job SET state=3,lease_expires_at=NULL,finished_at=?2 WHERE id=?1");
  while (backlog > 0) {
    run(begin_);
    for (std::size_t i = 0; i < kBacklogGroup && backlog > 0; ++i, --backlog) insert();
    run(commit_);
  }
}

BareLoop::~BareLoop() {
  for (sqlite3_stmt* statement : {begin_, commit_, insert_, claim_, complete_}) sqlite3_finalize(statement);
  sqlite3_close(db_);
}

sqlite3_stmt* BareLoop::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  must(sqlite3_prepare_v3(db_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) == SQLITE_OK, db_);
  return statement;
}

void BareLoop::run(sqlite3_stmt* statement) {
  must(sqlite3_step(statement) == SQLITE_DONE, db_);
  sqlite3_reset(statement);
}

void BareLoop::insert() {
  const std::int64_t id = ++newest_;
  sqlite3_bind_int64(insert_, 1, id);
  sqlite3_bind_int64(insert_, 2, id % 8);
  sqlite3_bind_int64(insert_, 3, id % 4);
  sqlite3_bind_int64(insert_, 4, kNow + id);
  sqlite3_bind_blob(insert_, 5, payload_.data(), static_cast<int>(payload_.size()), SQLITE_STATIC);
  run(insert_);
  waiting_.push_back(id);
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
      sqlite3_bind_int64(claim_, 1, claimed[i]);
      sqlite3_bind_int64(claim_, 2, ++fence_);
      sqlite3_bind_int64(claim_, 3, kNow + fence_);
      run(claim_);
    }
    if (commits == Commits::one_each) next_commit();
    for (const std::int64_t id : claimed) {
      sqlite3_bind_int64(complete_, 1, id);
      sqlite3_bind_int64(complete_, 2, kNow + id);
      run(complete_);
    }
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
