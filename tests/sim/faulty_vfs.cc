// The table of C functions SQLite calls; each is a few lines on top of Disk. Lock and shared-memory rules follow SQLite's
// documentation of sqlite3_io_methods, for several connections of one process.
#include "tests/sim/faulty_vfs.h"

#include <sqlite3.h>

#include <array>
#include <cstring>
#include <vector>

namespace muster::sim {

// What connections of one life share about one file.
struct Disk::Shared {
  static constexpr int kShmLocks = 8;  // SQLITE_SHM_NLOCK
  int readers = 0;                     // handles at SHARED or above
  const void* reserved = nullptr;
  const void* pending = nullptr;
  const void* exclusive = nullptr;
  std::vector<std::unique_ptr<char[]>> regions;
  std::array<int, kShmLocks> shm_readers{};
  std::array<const void*, kShmLocks> shm_writer{};
};

namespace {

struct Handle {
  Disk* disk;
  Disk::InodeRef inode;
  std::shared_ptr<Disk::Shared> shared;
  std::uint64_t life;
  std::string delete_on_close;
  int level = SQLITE_LOCK_NONE;
  unsigned shm_shared = 0;  // bits of the locks held
  unsigned shm_exclusive = 0;

  bool void_now() const { return disk->dead() || life != disk->life(); }
};

struct File {
  sqlite3_file base;
  Handle* handle;
};

Handle& handle_of(sqlite3_file* file) { return *reinterpret_cast<File*>(file)->handle; }
Disk& disk_of(sqlite3_vfs* vfs);

int sync_code(Io io) { return io == Io::ok ? SQLITE_OK : SQLITE_IOERR_FSYNC; }

int file_read(sqlite3_file* file, void* to, int size, sqlite3_int64 offset) {
  Handle& h = handle_of(file);
  if (h.void_now()) return SQLITE_IOERR_READ;
  switch (h.disk->read(*h.inode, static_cast<std::size_t>(offset), static_cast<char*>(to), static_cast<std::size_t>(size))) {
    case Io::ok: return SQLITE_OK;
    case Io::short_read: return SQLITE_IOERR_SHORT_READ;
    case Io::failed:
    case Io::full: return SQLITE_IOERR_READ;
  }
  return SQLITE_IOERR_READ;
}

int file_write(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
  Handle& h = handle_of(file);
  if (h.void_now()) return SQLITE_IOERR_WRITE;
  switch (
      h.disk->write(*h.inode, static_cast<std::size_t>(offset), static_cast<const char*>(from), static_cast<std::size_t>(size))) {
    case Io::ok: return SQLITE_OK;
    case Io::full: return SQLITE_FULL;
    case Io::short_read:
    case Io::failed: return SQLITE_IOERR_WRITE;
  }
  return SQLITE_IOERR_WRITE;
}

int file_truncate(sqlite3_file* file, sqlite3_int64 size) {
  Handle& h = handle_of(file);
  if (h.void_now()) return SQLITE_IOERR_TRUNCATE;
  return h.disk->truncate(*h.inode, static_cast<std::size_t>(size)) == Io::ok ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

int file_sync(sqlite3_file* file, int) {
  Handle& h = handle_of(file);
  return h.void_now() ? SQLITE_IOERR_FSYNC : sync_code(h.disk->sync(*h.inode));
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  Handle& h = handle_of(file);
  if (h.void_now()) return SQLITE_IOERR_FSTAT;
  *size = static_cast<sqlite3_int64>(h.inode->now.size());
  return SQLITE_OK;
}

int file_lock(sqlite3_file* file, int level) {
  Handle& h = handle_of(file);
  if (h.void_now()) return SQLITE_IOERR_LOCK;
  Disk::Shared& s = *h.shared;
  if (level <= h.level) return SQLITE_OK;
  if (h.level == SQLITE_LOCK_NONE) {
    if (s.pending != nullptr || s.exclusive != nullptr) return SQLITE_BUSY;
    ++s.readers;
    h.level = SQLITE_LOCK_SHARED;
  }
  if (level >= SQLITE_LOCK_RESERVED && h.level < SQLITE_LOCK_RESERVED) {
    if (s.reserved != nullptr && s.reserved != &h) return SQLITE_BUSY;
    if (level == SQLITE_LOCK_RESERVED) {
      s.reserved = &h;
      h.level = SQLITE_LOCK_RESERVED;
    }
  }
  if (level == SQLITE_LOCK_EXCLUSIVE) {
    if (s.pending != nullptr && s.pending != &h) return SQLITE_BUSY;
    s.pending = &h;  // kept on failure: no new readers while this one waits
    if (s.readers > 1) return SQLITE_BUSY;
    s.exclusive = &h;
    h.level = SQLITE_LOCK_EXCLUSIVE;
  }
  return SQLITE_OK;
}

int file_unlock(sqlite3_file* file, int level) {
  Handle& h = handle_of(file);
  Disk::Shared& s = *h.shared;
  if (s.exclusive == &h) s.exclusive = nullptr;
  if (s.pending == &h) s.pending = nullptr;
  if (s.reserved == &h) s.reserved = nullptr;
  if (level == SQLITE_LOCK_NONE && h.level > SQLITE_LOCK_NONE) --s.readers;
  h.level = std::min(h.level, level);
  return SQLITE_OK;
}

int file_check_reserved(sqlite3_file* file, int* out) {
  Handle& h = handle_of(file);
  *out = h.shared->reserved != nullptr || h.shared->exclusive != nullptr;
  return SQLITE_OK;
}

int file_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int file_sector_size(sqlite3_file*) { return 4096; }
// A write never harms the bytes beside it, as SQLite assumes of every Linux file system by default.
int file_characteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

int shm_map(sqlite3_file* file, int region, int size, int extend, void volatile** out) {
  Handle& h = handle_of(file);
  *out = nullptr;
  if (h.void_now()) return SQLITE_IOERR_SHMMAP;
  auto& regions = h.shared->regions;
  while (regions.size() <= static_cast<std::size_t>(region)) {
    if (extend == 0) return SQLITE_OK;
    regions.push_back(std::make_unique<char[]>(static_cast<std::size_t>(size)));  // zeroed
  }
  *out = regions[static_cast<std::size_t>(region)].get();
  return SQLITE_OK;
}

int shm_lock(sqlite3_file* file, int first, int count, int flags) {
  Handle& h = handle_of(file);
  if (h.void_now()) return (flags & SQLITE_SHM_UNLOCK) != 0 ? SQLITE_OK : SQLITE_IOERR_SHMLOCK;
  Disk::Shared& s = *h.shared;
  for (int pass = 0; pass < 2; ++pass) {  // first look at all of them, then take all of them
    for (int i = first; i < first + count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const unsigned bit = 1U << i;
      if ((flags & SQLITE_SHM_UNLOCK) != 0) {
        if (pass == 0) continue;
        if ((h.shm_shared & bit) != 0) --s.shm_readers[at];
        if ((h.shm_exclusive & bit) != 0) s.shm_writer[at] = nullptr;
        h.shm_shared &= ~bit;
        h.shm_exclusive &= ~bit;
      } else if ((flags & SQLITE_SHM_SHARED) != 0) {
        if (pass == 0 && s.shm_writer[at] != nullptr && s.shm_writer[at] != &h) return SQLITE_BUSY;
        if (pass == 0 || (h.shm_shared & bit) != 0) continue;
        ++s.shm_readers[at];
        h.shm_shared |= bit;
      } else {
        const int own = (h.shm_shared & bit) != 0 ? 1 : 0;
        if (pass == 0 && (s.shm_readers[at] > own || (s.shm_writer[at] != nullptr && s.shm_writer[at] != &h))) return SQLITE_BUSY;
        if (pass == 0) continue;
        s.shm_writer[at] = &h;
        h.shm_exclusive |= bit;
      }
    }
  }
  return SQLITE_OK;
}

void shm_barrier(sqlite3_file*) {}

int shm_unmap(sqlite3_file* file, int) {
  Handle& h = handle_of(file);
  for (int i = 0; i < Disk::Shared::kShmLocks; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if ((h.shm_shared & (1U << i)) != 0) --h.shared->shm_readers[at];
    if ((h.shm_exclusive & (1U << i)) != 0) h.shared->shm_writer[at] = nullptr;
  }
  h.shm_shared = h.shm_exclusive = 0;
  return SQLITE_OK;
}

int file_close(sqlite3_file* file) {
  Handle* h = reinterpret_cast<File*>(file)->handle;
  shm_unmap(file, 0);
  file_unlock(file, SQLITE_LOCK_NONE);
  // The last handle takes the shared memory with it: the next one starts from zeros, as after a real last close.
  if (h->shared.use_count() == 2) h->shared->regions.clear();
  if (!h->delete_on_close.empty() && !h->void_now()) (void)h->disk->remove(h->delete_on_close);
  delete h;
  return SQLITE_OK;
}

const sqlite3_io_methods kMethods = {2,
                                     file_close,
                                     file_read,
                                     file_write,
                                     file_truncate,
                                     file_sync,
                                     file_size,
                                     file_lock,
                                     file_unlock,
                                     file_check_reserved,
                                     file_control,
                                     file_sector_size,
                                     file_characteristics,
                                     shm_map,
                                     shm_lock,
                                     shm_barrier,
                                     shm_unmap,
                                     nullptr,
                                     nullptr};

int vfs_open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  File* opened = reinterpret_cast<File*>(file);
  opened->base.pMethods = nullptr;
  Disk& disk = disk_of(vfs);
  if (disk.dead()) return SQLITE_CANTOPEN;
  Disk::InodeRef inode = name == nullptr ? disk.open_unnamed() : disk.open(name, (flags & SQLITE_OPEN_CREATE) != 0);
  if (inode == nullptr) return SQLITE_CANTOPEN;
  if (inode->shared == nullptr) inode->shared = std::make_shared<Disk::Shared>();
  const bool temporary = name != nullptr && (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
  opened->handle = new Handle{&disk, inode, inode->shared, disk.life(), temporary ? name : ""};
  opened->base.pMethods = &kMethods;
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

int vfs_delete(sqlite3_vfs* vfs, const char* name, int) {
  Disk& disk = disk_of(vfs);
  if (!disk.exists(name)) return SQLITE_IOERR_DELETE_NOENT;
  return disk.remove(name) == Io::ok ? SQLITE_OK : SQLITE_IOERR_DELETE;
}

int vfs_access(sqlite3_vfs* vfs, const char* name, int, int* out) {
  *out = disk_of(vfs).exists(name) ? 1 : 0;
  return SQLITE_OK;
}

int vfs_full_pathname(sqlite3_vfs*, const char* name, int size, char* out) {
  if (std::strlen(name) + 1 > static_cast<std::size_t>(size)) return SQLITE_CANTOPEN;
  std::strcpy(out, name);
  return SQLITE_OK;
}

int vfs_randomness(sqlite3_vfs* vfs, int size, char* out) {
  Disk& disk = disk_of(vfs);
  for (int i = 0; i < size; ++i) out[i] = static_cast<char>(disk.random_word());
  return size;
}

// Waiting for a lock cannot help where one thread does everything; the caller's busy count ends it.
int vfs_sleep(sqlite3_vfs*, int microseconds) { return microseconds; }
int vfs_last_error(sqlite3_vfs*, int, char*) { return 0; }

}  // namespace

struct FaultyVfs::State {
  sqlite3_vfs vfs{};
};

namespace {

Disk& disk_of(sqlite3_vfs* vfs) { return *static_cast<Disk*>(vfs->pAppData); }

// Julian days in milliseconds at a fixed instant: rules take time from the Clock, so SQLite's own is never asked for more.
constexpr sqlite3_int64 kFixedJulianMs = 210'866'803'200'000LL;
int vfs_current_time64(sqlite3_vfs*, sqlite3_int64* out) {
  *out = kFixedJulianMs;
  return SQLITE_OK;
}
int vfs_current_time(sqlite3_vfs*, double* out) {
  *out = static_cast<double>(kFixedJulianMs) / 86'400'000.0;
  return SQLITE_OK;
}

constexpr int kPathMax = 512;

}  // namespace

FaultyVfs::FaultyVfs(std::string name, Disk& disk) : name_(std::move(name)), state_(std::make_unique<State>()) {
  sqlite3_vfs& vfs = state_->vfs;
  vfs.iVersion = 2;
  vfs.szOsFile = sizeof(File);
  vfs.mxPathname = kPathMax;
  vfs.zName = name_.c_str();
  vfs.pAppData = &disk;
  vfs.xOpen = vfs_open;
  vfs.xDelete = vfs_delete;
  vfs.xAccess = vfs_access;
  vfs.xFullPathname = vfs_full_pathname;
  vfs.xRandomness = vfs_randomness;
  vfs.xSleep = vfs_sleep;
  vfs.xCurrentTime = vfs_current_time;
  vfs.xGetLastError = vfs_last_error;
  vfs.xCurrentTimeInt64 = vfs_current_time64;
  sqlite3_vfs_register(&vfs, 0);
}

FaultyVfs::~FaultyVfs() { sqlite3_vfs_unregister(&state_->vfs); }

}  // namespace muster::sim
