// The two redo files of a database, of which one takes what is written. The other's groups are on their way into the database
// meanwhile, or it is free.
//
//    file 0:  5 6 7 8 9 ─ turn ─► the rows are committed and synced ─► free
//    file 1:              10 11 12 …
//
// Not thread-safe, but for free_other() while append() goes on.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "store/sqlite/redo/redo_file.h"

namespace muster::store::sqlite {

// What each is called.
std::string redo_path(const std::string& database_path, std::size_t which);

class RedoFiles {
 public:
  // Opens both, or makes empty ones. `vfs`: as for the database; empty: the operating system.
  static Result<std::unique_ptr<RedoFiles>> open(const std::string& database_path, const std::string& vfs);
  // What is missing of the two; empty: nothing.
  static Result<std::vector<std::string>> missing(const std::string& database_path, const std::string& vfs);
  // REQUIRES: the database has all groups and is synced, and nobody writes to the files any more.
  static Status remove(const std::string& database_path, const std::string& vfs);

  // The groups of both, in their order.
  Result<std::vector<RedoFile::Group>> read(std::uint64_t database);
  // Makes them so long together. Before the first prepare().
  Status reserve(std::uint64_t database, std::size_t bytes);

  Status append(std::uint64_t number, std::string& record, bool synced) { return current().append(number, record, synced); }

  // What follows is written to the other file. All that was written so far is synced first, or groups that follow could be found
  // without it. REQUIRES: the other one is free.
  Status turn();
  // The database has the groups of the other file, and is synced.
  void free_other() { files_[1 - current_]->restart(); }
  // The database has all groups, and is synced.
  void restart();
  // unavailable: the disk has no room for so many bytes more.
  Status room_for(std::size_t bytes) { return current().room_for(bytes); }

 private:
  RedoFile& current() { return *files_[current_]; }
  std::array<std::unique_ptr<RedoFile>, 2> files_;
  std::size_t current_ = 0;
};

}  // namespace muster::store::sqlite
