// The other side of the store's ratio: a bare loop on SQLite that does the same writes, in groups of the same size, and nothing
// else.
//
// One table with an integer key and no index, order of waiting jobs in memory, prepared statements, one transaction per
// group that holds inserts, claims and completions mixed, as a group commit does.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace muster::bench {

enum class Commits : std::uint8_t {
  mixed,     // one holds inserts, claims and completions of the group
  one_each,  // what a single caller needs: its next request waits for the answer before it
};

class BareLoop {
 public:
  BareLoop(const std::string& folder, std::size_t backlog);
  ~BareLoop();
  BareLoop(const BareLoop&) = delete;
  BareLoop& operator=(const BareLoop&) = delete;

  // Whole lives per second, in groups of `group`.
  double lives_per_second(std::size_t group, Commits commits, double seconds);
  // Seconds one commit of one inserted row takes.
  double commit_one();

 private:
  sqlite3_stmt* prepare(const char* sql);
  void run(sqlite3_stmt* statement);
  void insert();
  void next_commit();

  sqlite3* db_ = nullptr;
  sqlite3_stmt* begin_ = nullptr;
  sqlite3_stmt* commit_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  sqlite3_stmt* claim_ = nullptr;
  sqlite3_stmt* complete_ = nullptr;
  std::deque<std::int64_t> waiting_;
  std::int64_t newest_ = 0;
  std::int64_t fence_ = 0;
  std::string payload_;
};

}  // namespace muster::bench
