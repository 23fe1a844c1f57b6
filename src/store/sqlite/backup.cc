#include "store/sqlite/backup.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <sqlite3.h>

#include "store/sqlite/db.h"
#include "store/sqlite/owner_lock.h"

namespace muster::store::sqlite {
namespace {

// One step copies everything under one read transaction: the writer goes on in the log, the copy sees one commit.
Status copy(Connection& source, Connection& target) {
  sqlite3_backup* backup = sqlite3_backup_init(target.handle(), "main", source.handle(), "main");
  if (backup == nullptr) return target.last_error("backup");
  sqlite3_backup_step(backup, -1);
  if (sqlite3_backup_finish(backup) != SQLITE_OK) return target.last_error("backup");
  return {};
}

}  // namespace

Result<BackupReport> backup_file(const std::string& from, const std::string& to, const std::string& vfs, const Clock& clock) {
  const Ticks started = clock.elapsed();
  struct stat found {};
  if (::stat(to.c_str(), &found) == 0)
    return Status::already_exists(fmt::format("{} exists; a backup never overwrites a file", to));
  if (vfs.empty())
    if (const Status made = create_private_file(to); !made.ok()) return made;
  auto source = Connection::open(from, OpenMode::read_only, vfs);
  if (!source.ok()) return source.status();
  auto target = Connection::open(to, OpenMode::create, vfs);
  if (!target.ok()) return target.status();
  Status status = copy(**source, **target);
  if (!status.ok()) {
    target->reset();
    ::unlink(to.c_str());
    return status.annotate(fmt::format("backup to {}", to));
  }
  target->reset();
  ::stat(to.c_str(), &found);
  const auto took = std::chrono::duration_cast<Duration>(clock.elapsed() - started);
  return BackupReport{to, static_cast<std::uint64_t>(found.st_size), took};
}

}  // namespace muster::store::sqlite
