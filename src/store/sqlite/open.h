// The file itself: who owns it, how it is opened, how it is copied while it is used.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "store/sqlite/db.h"
#include "store/sqlite/redo/redo_files.h"
#include "store/sqlite/store.h"
#include "store/verbs.h"

namespace muster::store::sqlite {

// One process owns the file: an advisory lock on <path>.lock, held for the life of the store and let go by the kernel when
// the process ends, however it ends.

class OwnerLock {
 public:
  // conflict: another process holds it; the message names its process id. unavailable: the folder cannot be written.
  static Result<std::unique_ptr<OwnerLock>> take(const std::string& database_path);
  ~OwnerLock();
  OwnerLock(const OwnerLock&) = delete;
  OwnerLock& operator=(const OwnerLock&) = delete;

 private:
  explicit OwnerLock(int fd) : fd_(fd) {}
  int fd_;
};

// Creates an empty file only its owner can read, unless there is one already.
Status create_private_file(const std::string& path);

// A consistent copy of the database while work goes on.

// Blocks until the copy is complete and synced; call from a thread that may. already_exists: `to` is there.
Result<BackupReport> backup_file(const std::string& from, const std::string& to, const std::string& vfs, const Clock& clock);

// Opening the file: ownership, pragmas, migration, the check after an unclean end, and what a new file starts with.

struct Opened {
  std::unique_ptr<OwnerLock> lock;  // null with a named vfs
  std::unique_ptr<Connection> connection;
  std::unique_ptr<RedoFiles> redo;        // with room
  std::unique_ptr<Connection> log_mover;  // for Connection::move_log() beside the writer
};
Result<Opened> open_file(const Options& options, const Clock& clock);
// A further connection for a reader.
Result<std::unique_ptr<Connection>> open_reader(const Options& options);
// The file that a path means. What stands beside it is called after it, as SQLite calls the log, whatever link led there.
std::string name_of_file(const std::string& path);
// Opens or makes the redo files of a database, and plays what its rows do not have. corrupt: one is missing that may have held
// something. REQUIRES: the database has a schema.
Result<std::unique_ptr<RedoFiles>> open_redo(Connection& connection, const std::string& path, const std::string& vfs);
// Says in the file, durably, that it was closed in order; the next open then skips the check.
Status mark_clean(Connection& connection, bool clean);

}  // namespace muster::store::sqlite
