// The disk's memory of what is synced, and what a crash leaves of the rest.
#include "tests/sim/disk.h"

#include <algorithm>
#include <cstring>

namespace muster::sim {
namespace {

constexpr std::size_t kSectorSizes[] = {512, 4096};

void put(std::string& file, std::size_t offset, const char* bytes, std::size_t size) {
  if (file.size() < offset + size) file.resize(offset + size, '\0');
  std::memcpy(file.data() + offset, bytes, size);
}

void apply(std::string& file, const Disk::Inode::Change& change) {
  if (change.truncates)
    file.resize(std::min(file.size(), change.offset));
  else
    put(file, change.offset, change.bytes.data(), change.bytes.size());
}

}  // namespace

Disk::InodeRef Disk::open(const std::string& name, bool create) {
  if (const auto at = files_.find(name); at != files_.end()) return at->second;
  if (!create || dead_) return nullptr;
  return files_.emplace(name, std::make_shared<Inode>()).first->second;
}

bool Disk::dies_now() {
  if (operations_left_ == 0 || --operations_left_ > 0) return false;
  dead_ = true;
  return true;
}

Io Disk::remove(const std::string& name) {
  if (dead_ || dies_now()) return Io::failed;
  files_.erase(name);
  return Io::ok;
}

Io Disk::read(const Inode& inode, std::size_t offset, char* to, std::size_t size) {
  if (dead_) return Io::failed;
  if (faults.read_failure > 0 && random_.chance(faults.read_failure)) {
    ++injected_;
    return Io::failed;
  }
  const std::size_t have = offset < inode.now.size() ? std::min(size, inode.now.size() - offset) : 0;
  std::memcpy(to, inode.now.data() + std::min(offset, inode.now.size()), have);
  std::memset(to + have, 0, size - have);
  return have == size ? Io::ok : Io::short_read;
}

bool Disk::has_room(std::size_t growth) const { return growth == 0 || (!faults.full && growth <= faults.room.value_or(growth)); }

Io Disk::write(Inode& inode, std::size_t offset, const char* from, std::size_t size) {
  if (dead_) return Io::failed;
  std::size_t written = size;
  Io result = Io::ok;
  if (dies_now()) {
    written = random_.below(size + 1);
    result = Io::failed;
  } else if (const std::size_t growth = std::max(offset + size, inode.now.size()) - inode.now.size(); !has_room(growth)) {
    ++injected_;
    written = 0;
    result = Io::full;
  } else if (faults.room) {
    *faults.room -= growth;
  }
  if (written > 0) {
    put(inode.now, offset, from, written);
    inode.unsynced.push_back({offset, std::string(from, written), false});
  }
  return result;
}

Io Disk::truncate(Inode& inode, std::size_t size) {
  if (dead_ || dies_now()) return Io::failed;
  if (size > inode.now.size()) return Io::ok;  // SQLite only shortens; growth is a hint that may be ignored
  if (faults.room) *faults.room += inode.now.size() - size;
  inode.now.resize(size);
  inode.unsynced.push_back({size, {}, true});
  return Io::ok;
}

Io Disk::sync(Inode& inode) {
  ++syncs_;
  if (dead_) return Io::failed;
  if (dies_now()) {
    // The sync was under way: the machine may or may not have finished it.
    if (random_.chance(0.5)) lose(inode, Loss::torn);
    return Io::failed;
  }
  if (faults.sync_failure > 0 && random_.chance(faults.sync_failure)) {
    ++injected_;
    // The kernel marks pages clean after a failed write-back: a later sync succeeds and says nothing about them. The process
    // still reads its own bytes, so only `durable` is decided here.
    for (const Inode::Change& change : inode.unsynced)
      if (random_.chance(0.5)) apply(inode.durable, change);
    inode.unsynced.clear();
    return Io::failed;
  }
  for (const Inode::Change& change : inode.unsynced) apply(inode.durable, change);
  inode.unsynced.clear();
  // Syncing any file of the one folder here also makes the folder's entries durable, as SQLite arranges it.
  for (auto& [name, file] : files_) file->entry_durable = true;
  return Io::ok;
}

void Disk::settle_sector(std::string& durable, std::size_t offset, const char* bytes, std::size_t size) {
  switch (random_.below(8)) {
    case 0: put(durable, offset, bytes, random_.below(size)); return;  // the head of the sector only
    case 1:
    case 2:
    case 3: return;  // never reached the platter
    default: put(durable, offset, bytes, size);
  }
}

void Disk::lose(Inode& inode, Loss loss) {
  const std::size_t sector = kSectorSizes[random_.below(std::size(kSectorSizes))];
  for (const Inode::Change& change : inode.unsynced) {
    if (loss == Loss::unsynced) break;
    if (change.truncates) {
      if (random_.chance(0.5)) apply(inode.durable, change);
      continue;
    }
    for (std::size_t at = 0; at < change.bytes.size();) {
      const std::size_t in_sector = sector - (change.offset + at) % sector;
      const std::size_t size = std::min(in_sector, change.bytes.size() - at);
      settle_sector(inode.durable, change.offset + at, change.bytes.data() + at, size);
      at += size;
    }
  }
  inode.unsynced.clear();
}

void Disk::revive(Loss loss) {
  for (auto file = files_.begin(); file != files_.end();) {
    Inode& inode = *file->second;
    if (loss == Loss::none) {
      inode.durable = inode.now;
      inode.unsynced.clear();
      inode.entry_durable = true;
    } else {
      lose(inode, loss);
      // A name that was never synced may be gone with everything in it.
      if (!inode.entry_durable && random_.chance(0.5)) {
        file = files_.erase(file);
        continue;
      }
    }
    // Handles of the life before keep the old inode; the next life gets one of its own.
    auto next = std::make_shared<Inode>();
    next->now = inode.durable;
    next->durable = inode.durable;
    next->entry_durable = inode.entry_durable;
    file->second = std::move(next);
    ++file;
  }
  operations_left_ = 0;
  dead_ = false;
  ++life_;
}

std::string Disk::content(const std::string& name) const {
  const auto at = files_.find(name);
  return at == files_.end() ? std::string() : at->second->now;
}

}  // namespace muster::sim
