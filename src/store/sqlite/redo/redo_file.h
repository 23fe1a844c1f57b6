// A redo file beside the database: what groups changed, written and synced before any of them is acknowledged.
//
// Rows change in a transaction of SQLite that stays open over many groups, and each group's recording is appended here. That one
// write and its sync make the group durable; the rows may reach the database later, many groups at once. Opening the store plays
// what the rows do not have yet.
//
//    group 7 ─► rows in the open transaction ─────────────────────┐ every so often: committed, and SQLite's log synced
//        └────► recording ─► redo file, synced ─► acknowledged    ▼
//    redo file:  | 5 | 6 | 7 |    free    |                  database: "has all up to 4"
//
// The file keeps its length, so that a sync writes data and nothing else. Groups stand one behind another from the beginning;
// once the database has them all and is synced, the next one is written at the beginning again. Each carries the number of the
// first one of its row, so what is left of an earlier row is told apart, a checksum, and the number of the database it belongs
// to: a file that was left beside another database is not played into it.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

struct sqlite3_file;
struct sqlite3_vfs;

namespace muster::store::sqlite {

class RedoFile {
 public:
  // Opens the file, or makes an empty one. `vfs`: as for the database; empty: the operating system.
  static Result<std::unique_ptr<RedoFile>> open(const std::string& path, const std::string& vfs);
  static Result<bool> exists(const std::string& path, const std::string& vfs);
  // REQUIRES: the database has all groups, is synced, and nobody has the file open.
  static Status remove(const std::string& path, const std::string& vfs);
  ~RedoFile();
  RedoFile(const RedoFile&) = delete;
  RedoFile& operator=(const RedoFile&) = delete;

  struct Group {
    std::uint64_t number = 0;
    std::string recorded;
  };
  // The groups of that database, in their order, up to the first that is not whole.
  Result<std::vector<Group>> read(std::uint64_t database);

  // Makes it at least so long. Before the first append().
  Status reserve(std::uint64_t database, std::size_t bytes);
  // A record is what was recorded behind so many bytes for what the file adds. Numbers grow by one, but for the first behind
  // restart(). unavailable: the disk is full, and nothing of it will be read. outcome_unknown: it may be read, until the file was
  // started over.
  static constexpr std::size_t kHeaderBytes = 48;
  Status append(std::uint64_t number, std::string& record, bool synced);
  // outcome_unknown: as above.
  Status sync();
  // The database has all groups, and is synced: the next one is written at the beginning.
  void restart();
  // unavailable: the disk has no room for so many bytes more. They are written behind the end, and cut off again.
  Status room_for(std::size_t bytes);

 private:
  RedoFile(sqlite3_vfs* vfs, std::string path);
  Status failed(int code, std::string_view what) const;

  std::string path_;
  std::unique_ptr<char[]> memory_;  // of file_, whose size only the vfs knows
  sqlite3_file* file_;
  std::uint64_t database_ = 0;
  std::size_t reserved_ = 0;
  std::size_t used_ = 0;
  bool unsynced_ = false;
  std::uint64_t first_ = 0;  // number of the group at the beginning
};

}  // namespace muster::store::sqlite
