#include "store/sqlite/open.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/log.h"
#include "store/sqlite/db.h"
#include "store/sqlite/migrations.h"
#include "store/sqlite/redo/recovery.h"

namespace muster::store::sqlite {
namespace {

constexpr int kOwnerOnly = 0600;

Status cannot(const char* what, const std::string& path) {
  return Status::unavailable(
      fmt::format("cannot {} {}: {}; check that the folder exists and is writable", what, path, std::strerror(errno)));
}

std::string holder_of(int fd) {
  std::array<char, 32> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size() - 1, 0);
  return got > 0 ? std::string(text.data(), static_cast<std::size_t>(got)) : std::string("unknown");
}

}  // namespace

Result<std::unique_ptr<OwnerLock>> OwnerLock::take(const std::string& database_path) {
  const std::string path = database_path + ".lock";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly);
  if (fd < 0) return cannot("open", path);
  auto lock = std::unique_ptr<OwnerLock>(new OwnerLock(fd));
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return cannot("lock", path);
    return Status::conflict(fmt::format("{} is owned by another process (pid {}); stop it or name another file with --store",
                                        database_path, holder_of(fd)));
  }
  // The pid is for people; the lock itself is what counts, so a full disk here is no reason to refuse.
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(fd, 0) == 0 && ::pwrite(fd, pid.data(), pid.size(), 0) < 0) errno = 0;
  return lock;
}

OwnerLock::~OwnerLock() { ::close(fd_); }

Status create_private_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly);
  if (fd < 0) return cannot("open", path);
  ::close(fd);
  return {};
}

namespace {

// One step copies everything under one read transaction: the writer goes on in the log, the copy sees one commit.
Status copy(Connection& source, Connection& target) {
  sqlite3_backup* backup = sqlite3_backup_init(target.handle(), "main", source.handle(), "main");
  if (backup == nullptr) return target.last_error("backup");
  sqlite3_backup_step(backup, -1);
  if (sqlite3_backup_finish(backup) != SQLITE_OK) return target.last_error("backup");
  return {};
}

// Put in the place of the database one day, it must not be taken for the one that the redo files there belong to; and it has none
// of its own. The last line moves that out of its log, into the file that will be put there.
std::string made_its_own() {
  return fmt::format(
      "UPDATE meta SET value = {} WHERE name = '{}'; UPDATE meta SET value = 0 WHERE name = '{}';"
      "PRAGMA journal_mode = DELETE",
      random_seed() >> 1, kRedoDatabase, kRedoDone);
}

Status copy(const std::string& from, const std::string& to, const std::string& vfs) {
  auto source = Connection::open(from, OpenMode::read_only, vfs);
  if (!source.ok()) return source.status();
  auto target = Connection::open(to, OpenMode::create, vfs);
  if (!target.ok()) return target.status();
  if (Status copied = copy(**source, **target); !copied.ok()) return copied;
  return (*target)->exec(made_its_own().c_str());
}

}  // namespace

Result<BackupReport> backup_file(const std::string& from, const std::string& to, const std::string& vfs, const Clock& clock) {
  const Ticks started = clock.elapsed();
  struct stat found {};
  if (::stat(to.c_str(), &found) == 0)
    return Status::already_exists(fmt::format("{} exists; a backup never overwrites a file", to));
  if (vfs.empty())
    if (const Status made = create_private_file(to); !made.ok()) return made;
  if (const Status copied = copy(from, to, vfs); !copied.ok()) {
    for (const char* end : {"", "-wal", "-shm"}) ::unlink((to + end).c_str());
    return copied.annotate(fmt::format("backup to {}", to));
  }
  ::stat(to.c_str(), &found);
  const auto took = std::chrono::duration_cast<Duration>(clock.elapsed() - started);
  return BackupReport{to, static_cast<std::uint64_t>(found.st_size), took};
}

namespace {

constexpr const char* kPragmas =
    "PRAGMA journal_mode = WAL; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;"
    "PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = OFF;";

const char* synchronous(Durability durability) {
  return durability == Durability::full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL";
}

// Damage is told apart from everything else: an operator must look, and a retry cannot help.
Status damaged(const std::string& path, const std::string& what) {
  return Status::corrupt(
      fmt::format("{} is damaged ({}); nothing was changed; restore a backup, or move it away with {}-wal, -shm, -redo0 and "
                  "-redo1 to start empty",
                  path, what, path));
}

Status check_integrity(Connection& connection, const std::string& path) {
  log::info("the store was not closed in order, checking it", {{"path", path}});
  const auto verdict = connection.query_text("PRAGMA quick_check(1)");
  if (!verdict.ok()) return damaged(path, verdict.status().message());
  if (*verdict != "ok") return damaged(path, *verdict);
  return {};
}

Status prepare_new(Connection& connection, const Clock& clock, std::uint64_t seed) {
  const std::uint64_t salt = (seed != 0 ? mix64(seed) : random_seed()) >> 1;
  const std::string script = fmt::format(
      "BEGIN IMMEDIATE;"
      "INSERT OR IGNORE INTO meta (name, value) VALUES ('salt', {});"
      "INSERT OR IGNORE INTO meta (name, value) VALUES ('{}', {});"
      "INSERT OR IGNORE INTO namespaces (id, name, description, created_at, updated_at) "
      "VALUES (1, '{}', 'made with the store', {}, {});"
      "COMMIT;",
      salt, kRedoDatabase, mix64(salt) >> 1, kDefaultNamespace, to_ms(clock.now()), to_ms(clock.now()));
  return connection.exec(script.c_str());
}

Status as_open_error(const Status& status, const std::string& path) {
  if (status.code() == Code::corrupt) return damaged(path, status.message());
  return status.annotate(fmt::format("opening {}", path));
}

// Without them nobody could tell whether they held anything.
Status all_redo_files_are_there(Connection& connection, const std::string& path, const std::string& vfs) {
  const auto clean = meta_number(connection, kClean);
  const auto done = meta_number(connection, kRedoDone);
  if (!clean.ok() || !done.ok()) return clean.ok() ? done.status() : clean.status();
  if (*clean == 1 || *done == 0) return {};  // closed in order, or never served with such files
  const auto missing = RedoFiles::missing(path, vfs);
  if (!missing.ok()) return missing.status();
  if (missing->empty()) return {};
  return Status::corrupt(
      fmt::format("{} was not closed in order and {} is missing or not ours, so changes that were acknowledged last may be lost; "
                  "put it back beside the database, or make an empty file of that name to go on without",
                  path, fmt::join(*missing, " and ")));
}

}  // namespace

std::string name_of_file(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_symlink(path, failed)) return path;
  const auto real = std::filesystem::canonical(path, failed);
  return failed ? path : real.string();
}

Result<std::unique_ptr<RedoFiles>> open_redo(Connection& connection, const std::string& path, const std::string& vfs) {
  if (Status whole = all_redo_files_are_there(connection, path, vfs); !whole.ok()) return whole;
  for (const std::size_t which : {0, 1})
    if (vfs.empty())
      if (const Status made = create_private_file(redo_path(path, which)); !made.ok()) return made;
  auto redo = RedoFiles::open(path, vfs);
  if (!redo.ok()) return redo.status();
  if (const Status recovered = recover(connection, **redo, path); !recovered.ok()) return recovered;
  return redo;
}

Status mark_clean(Connection& connection, bool clean) {
  if (const Status synced = connection.exec("PRAGMA synchronous = FULL"); !synced.ok()) return synced;
  const std::string marked = fmt::format("INSERT OR REPLACE INTO meta (name, value) VALUES ('{}', {})", kClean, clean ? 1 : 0);
  return connection.exec(marked.c_str());
}

Result<Opened> open_file(const Options& options, const Clock& clock) {
  Opened out;
  if (options.vfs.empty()) {
    auto lock = OwnerLock::take(options.path);
    if (!lock.ok()) return lock.status();
    out.lock = std::move(*lock);
    if (const Status made = create_private_file(options.path); !made.ok()) return made;
  }
  auto opened = Connection::open(options.path, OpenMode::create, options.vfs);
  if (!opened.ok()) return as_open_error(opened.status(), options.path);
  Connection& connection = **opened;
  Status status = connection.exec(kPragmas);
  if (status.ok()) status = connection.exec(synchronous(options.durability));
  if (!status.ok()) return as_open_error(status, options.path);

  const auto version = file_version(connection);
  if (!version.ok()) return as_open_error(version.status(), options.path);
  if (*version > 0) {
    const auto clean = meta_number(connection, kClean);
    if (!clean.ok()) return as_open_error(clean.status(), options.path);
    if (*clean != 1)
      if (const Status sound = check_integrity(connection, options.path); !sound.ok()) return sound;
  }
  if (status = connection.rewrite_log(); !status.ok()) return as_open_error(status, options.path);
  // A commit whose sync failed may still be read from the log, though it never reached the disk. Before anything is built on it,
  // what is seen is written to the database file and synced, and the log starts over.
  const auto blocked = connection.query_text("PRAGMA wal_checkpoint(TRUNCATE)");
  if (!blocked.ok()) return as_open_error(blocked.status(), options.path);
  if (*blocked != "0")
    return Status::unavailable(
        fmt::format("opening {}: the log could not be written back; another process reads it", options.path));

  if (*version > 0 && *version <= newest_version()) {  // migrate() refuses what is newer
    // With the schema that it was recorded with.
    auto redo = open_redo(connection, options.path, options.vfs);
    if (!redo.ok()) return as_open_error(redo.status(), options.path);
    out.redo = std::move(*redo);
  }
  status = migrate(connection);
  if (status.ok()) status = prepare_new(connection, clock, options.seed);
  if (!status.ok()) return as_open_error(status, options.path);
  if (out.redo == nullptr) {
    auto redo = open_redo(connection, options.path, options.vfs);
    if (!redo.ok()) return as_open_error(redo.status(), options.path);
    out.redo = std::move(*redo);
  }
  const auto database = meta_number(connection, kRedoDatabase);
  status = database.ok() ? out.redo->reserve(*database, options.redo_bytes) : database.status();
  if (status.ok()) status = mark_clean(connection, false);  // now that both files are there, come what may
  if (status.ok()) status = connection.sync_by_hand();
  if (!status.ok()) return as_open_error(status, options.path);
  auto log_mover = Connection::open(options.path, OpenMode::read_write, options.vfs);
  if (!log_mover.ok()) return as_open_error(log_mover.status(), options.path);
  out.log_mover = std::move(*log_mover);
  if (status = out.log_mover->sync_by_hand(); !status.ok()) return as_open_error(status, options.path);
  out.connection = std::move(*opened);
  return out;
}

Result<std::unique_ptr<Connection>> open_reader(const Options& options) {
  auto opened = Connection::open(options.path, OpenMode::read_write, options.vfs);
  if (!opened.ok()) return opened.status();
  const Status status = (*opened)->exec(
      "PRAGMA query_only = ON; PRAGMA busy_timeout = 5000; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384");
  if (!status.ok()) return status;
  return opened;
}

Result<SchemaStatus> schema_status(const std::string& path) {
  SchemaStatus out{0, newest_version()};
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return out;
  auto opened = Connection::open(path, OpenMode::read_only, {});
  if (!opened.ok()) return opened.status();
  const auto version = file_version(**opened);
  if (!version.ok()) return version.status();
  out.version = *version;
  return out;
}

}  // namespace muster::store::sqlite
