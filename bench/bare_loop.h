// The other side of the store's ratio: a bare loop on SQLite that does the same writes, in groups of the same size, and nothing
// else.
//
// One table with an integer key and no index, order of waiting jobs in memory, prepared statements, one transaction per
// group that holds inserts, claims and completions mixed, as a group commit does. The rows are as lean as a life needs them, or
// those of the store itself, which tells what of a difference is the store's rows and what is the store's code.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace muster::bench {

enum class Commits : std::uint8_t {
  mixed,     // one holds inserts, claims and completions of the group
  one_each,  // what a single caller needs: its next request waits for the answer before it
};

enum class Rows : std::uint8_t { lean, of_the_store };

class BareLoop {
 public:
  BareLoop(const std::string& folder, std::size_t backlog, Rows rows = Rows::lean);
  ~BareLoop();
  BareLoop(const BareLoop&) = delete;
  BareLoop& operator=(const BareLoop&) = delete;

  // Whole lives per second, in groups of `group`.
  double lives_per_second(std::size_t group, Commits commits, double seconds);
  // Seconds one commit of one inserted row takes.
  double commit_one();

 private:
  sqlite3_stmt* prepare(std::string_view sql);
  void run(sqlite3_stmt* statement);
  void make_lean_table();
  void make_store_table();
  void insert();
  void claim(std::int64_t id);
  void complete(std::int64_t id);
  void next_commit();

  const Rows rows_;
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
