// A thin face of SQLite's C API: connections and prepared statements. No other file of this folder includes sqlite3.h
// but db.cc, open.cc, redo/redo_file.cc and the tests.
//
// Errors latch: the first failing call of a connection is kept in fault(), and every later step is a no-op that finds no row, so
// that a verb can be written as a straight line and judged once at its end. clear_fault() starts over.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "store/sqlite/redo/recording.h"

struct sqlite3;
struct sqlite3_stmt;

namespace muster::store::sqlite {

enum class OpenMode : std::uint8_t { create, read_write, read_only };

class Connection {
 public:
  static Result<std::unique_ptr<Connection>> open(const std::string& path, OpenMode mode, const std::string& vfs);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Runs one or more statements that return nothing of interest.
  Status exec(const char* sql);
  // The first column of the first row, as text; empty when there is none.
  Result<std::string> query_text(const char* sql);

  // From here on commits are in the log and wait for no disk, and nothing is moved from the log into the file but by the calls
  // below: a sync that fails inside of SQLite would be told nobody.
  Status sync_by_hand();
  // Syncs the log: what was committed is durable. After a failure only restart_log() helps.
  Status sync_log();
  // Moves what nobody reads any more from the log into the file. If that is all of it when the next transaction begins, the log
  // starts over. Fails like sync_log().
  Status move_log();
  int log_pages() const { return log_pages_; }  // after the last commit
  // Writes all of the log again, so that the next sync of it is about all of it.
  Status rewrite_log();
  // Moves the whole log into the file and starts it over, after a sync of it has failed. unavailable: somebody still reads from
  // it.
  Status restart_log();

  // Statements that change rows are added to it as they run; nullptr: to nothing.
  void record(Recording* recording) { recording_ = recording; }
  Recording* recording() { return recording_; }

  // Turns the last error of this connection into what the caller should do.
  Status last_error(std::string_view what) const;

  const Status& fault() const { return fault_; }
  void set_fault(Status status) {
    if (fault_.ok()) fault_ = std::move(status);
  }
  void clear_fault() { fault_ = Status(); }

  std::int64_t changes() const;
  bool in_transaction() const;
  sqlite3* handle() { return handle_; }
  std::uint16_t next_statement_number() { return statements_++; }

 private:
  explicit Connection(sqlite3* handle) : handle_(handle) {}
  sqlite3* handle_;
  Status fault_;
  Recording* recording_ = nullptr;
  std::uint16_t statements_ = 0;
  int log_pages_ = 0;
};

// How SQLite keeps what is counted here.
inline std::int64_t as_integer(std::uint64_t count) { return static_cast<std::int64_t>(count); }

// One prepared statement. bind() from 1; columns from 0, valid until the next step or reset. Not for nested use.
class Statement {
 public:
  // Prepares the statement of that name in sql/. A typo latches a fault at open, not at a request.
  Statement(Connection& connection, std::string_view name);
  // Prepares that text, which outlives the statement.
  Statement(Connection& connection, std::string_view name, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, double value);
  Statement& bind_text(int index, std::string_view value);  // the bytes must live until reset
  Statement& bind_blob(int index, std::string_view value);  // the bytes must live until reset
  Statement& bind_null(int index);
  template <class Optional>
  Statement& bind_optional(int index, const Optional& value) {
    return value ? bind(index, static_cast<std::int64_t>(*value)) : bind_null(index);
  }
  Statement& bind_text_or_null(int index, std::string_view value) {
    return value.empty() ? bind_null(index) : bind_text(index, value);
  }

  // True: there is a row. A failure latches in the connection and reads as the end.
  bool step();
  // For statements without rows: step and reset.
  void run();
  void reset();

  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  std::string_view view(int column) const;
  bool is_null(int column) const;
  std::optional<std::int64_t> optional_integer(int column) const;

 private:
  void note(int index, const Bound& value) {
    if (records_) bound_[static_cast<std::size_t>(index) - 1] = value;
  }

  Connection& connection_;
  sqlite3_stmt* handle_ = nullptr;
  std::string name_;
  const std::string_view sql_;
  const std::uint16_t number_;  // in recordings
  bool records_ = false;        // it changes rows
  bool under_way_ = false;      // stepped and not yet reset
  std::vector<Bound> bound_;    // what is bound now, if it records
};

// Resets the statement at the end of a scope that reads several rows.
class Rows {
 public:
  explicit Rows(Statement& statement) : statement_(statement) {}
  ~Rows() { statement_.reset(); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  bool next() { return statement_.step(); }

 private:
  Statement& statement_;
};

}  // namespace muster::store::sqlite
