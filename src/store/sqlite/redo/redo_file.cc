#include "store/sqlite/redo/redo_file.h"

#include <algorithm>
#include <cstring>
#include <span>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/uuid.h"

namespace muster::store::sqlite {
namespace {

constexpr std::uint64_t kMagic = 0x3130'6f64'6572'756dULL;  // "muredo01"
constexpr std::size_t kAtOnce = 1 << 16;  // of reading and writing: SQLite's files take no more than twice as much

struct Header {
  std::uint64_t magic = kMagic;
  std::uint64_t database = 0;
  std::uint64_t first = 0;
  std::uint64_t number = 0;
  std::uint64_t size = 0;
  std::uint64_t checksum = 0;  // of the five above and what follows
};
static_assert(sizeof(Header) == RedoFile::kHeaderBytes);

std::uint64_t checksum(const Header& header, std::string_view recorded) {
  std::uint64_t sum = kMagic;
  const auto mix = [&sum](std::uint64_t word) { sum = mix64(sum ^ word); };
  mix(header.database);
  mix(header.first);
  mix(header.number);
  mix(header.size);
  while (!recorded.empty()) {
    std::uint64_t word = 0;
    const std::size_t size = std::min(sizeof word, recorded.size());
    std::memcpy(&word, recorded.data(), size);
    recorded.remove_prefix(size);
    mix(word);
  }
  return sum;
}

struct Place {
  sqlite3_vfs* vfs;
  std::string path;
};

Result<Place> place_of(const std::string& path, const std::string& vfs_name) {
  sqlite3_vfs* const vfs = sqlite3_vfs_find(vfs_name.empty() ? nullptr : vfs_name.c_str());
  if (vfs == nullptr) return Status::internal(fmt::format("there is no file system {}", vfs_name));
  std::string full(static_cast<std::size_t>(vfs->mxPathname) + 1, '\0');
  const int code = vfs->xFullPathname(vfs, path.c_str(), vfs->mxPathname + 1, full.data());
  if (code != SQLITE_OK && code != SQLITE_OK_SYMLINK)  // the latter: a folder on the way is a link
    return Status::unavailable(fmt::format("{}: the path is too long or cannot be followed", path));
  full.resize(std::strlen(full.c_str()));
  return Place{vfs, std::move(full)};
}

using Address = sqlite3_int64;

template <class Byte, class Method>
int in_parts(sqlite3_file* file, Method method, Byte* bytes, std::size_t size, Address at) {
  for (std::size_t done = 0; done < size;) {
    const std::size_t part = std::min(size - done, kAtOnce);
    if (const int code = method(file, bytes + done, static_cast<int>(part), at + static_cast<Address>(done)); code != SQLITE_OK)
      return code;
    done += part;
  }
  return SQLITE_OK;
}

}  // namespace

RedoFile::RedoFile(sqlite3_vfs* vfs, std::string path)
    : path_(std::move(path)),
      memory_(std::make_unique<char[]>(static_cast<std::size_t>(vfs->szOsFile))),
      file_(reinterpret_cast<sqlite3_file*>(memory_.get())) {}

RedoFile::~RedoFile() {
  if (file_->pMethods != nullptr) file_->pMethods->xClose(file_);
}

Status RedoFile::failed(int code, std::string_view what) const {
  const std::string text = fmt::format("{} {}: {}", what, path_, sqlite3_errstr(code));
  if ((code & 0xff) == SQLITE_FULL) return Status::unavailable(text + "; free space on the disk, the store recovers by itself");
  return Status::unavailable(text);
}

Result<std::unique_ptr<RedoFile>> RedoFile::open(const std::string& path, const std::string& vfs_name) {
  auto place = place_of(path, vfs_name);
  if (!place.ok()) return place.status();
  sqlite3_vfs* const vfs = place->vfs;
  auto out = std::unique_ptr<RedoFile>(new RedoFile(vfs, std::move(place->path)));
  // To SQLite it is a journal: no locks, and the folder is synced with its first sync.
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_SUPER_JOURNAL;
  const int code = vfs->xOpen(vfs, out->path_.c_str(), out->file_, flags, nullptr);
  if (code != SQLITE_OK) return out->failed(code, "opening");
  return out;
}

Result<bool> RedoFile::exists(const std::string& path, const std::string& vfs_name) {
  const auto place = place_of(path, vfs_name);
  if (!place.ok()) return place.status();
  int found = 0;
  // To SQLite an empty file does not exist, but it can be written.
  const int code = place->vfs->xAccess(place->vfs, place->path.c_str(), SQLITE_ACCESS_READWRITE, &found);
  if (code != SQLITE_OK) return Status::unavailable(fmt::format("looking for {}: {}", path, sqlite3_errstr(code)));
  return found != 0;
}

Status RedoFile::remove(const std::string& path, const std::string& vfs_name) {
  const auto place = place_of(path, vfs_name);
  if (!place.ok()) return place.status();
  const int code = place->vfs->xDelete(place->vfs, place->path.c_str(), 0);
  return code == SQLITE_OK || code == SQLITE_IOERR_DELETE_NOENT ? Status()
                                                                : Status::unavailable(fmt::format("removing {}", path));
}

Result<std::vector<RedoFile::Group>> RedoFile::read(std::uint64_t database) {
  Address length = 0;
  if (const int code = file_->pMethods->xFileSize(file_, &length); code != SQLITE_OK) return failed(code, "measuring");
  std::vector<Group> out;
  std::uint64_t first = 0;
  for (Address at = 0; at + static_cast<Address>(sizeof(Header)) <= length;) {
    Header header;
    if (const int code = file_->pMethods->xRead(file_, &header, sizeof header, at); code != SQLITE_OK)
      return failed(code, "reading");
    at += static_cast<Address>(sizeof header);
    if (out.empty()) first = header.number;
    const bool next = header.magic == kMagic && header.database == database && header.first == first &&
                      header.number == first + out.size() && header.size <= static_cast<std::uint64_t>(length - at);
    if (!next) break;
    std::string recorded(header.size, '\0');
    const int code = in_parts(file_, file_->pMethods->xRead, recorded.data(), recorded.size(), at);
    if (code != SQLITE_OK) return failed(code, "reading");
    if (checksum(header, recorded) != header.checksum) break;
    at += static_cast<Address>(header.size);
    out.push_back({header.number, std::move(recorded)});
  }
  return out;
}

Status RedoFile::reserve(std::uint64_t database, std::size_t bytes) {
  database_ = database;
  reserved_ = bytes;
  Address length = 0;
  if (const int code = file_->pMethods->xFileSize(file_, &length); code != SQLITE_OK) return failed(code, "measuring");
  const auto there = static_cast<std::size_t>(length);
  if (there < bytes) {
    const std::string zeroes(bytes - there, '\0');
    const int code = in_parts(file_, file_->pMethods->xWrite, zeroes.data(), zeroes.size(), length);
    if (code != SQLITE_OK) return failed(code, "making room in");
  }
  const int code = file_->pMethods->xSync(file_, SQLITE_SYNC_NORMAL);
  return code == SQLITE_OK ? Status() : failed(code, "syncing");
}

Status RedoFile::sync() {
  if (!unsynced_) return {};
  const int code = file_->pMethods->xSync(file_, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
  unsynced_ = code != SQLITE_OK;
  return code == SQLITE_OK ? Status() : Status::outcome_unknown(failed(code, "syncing").message());
}

Status RedoFile::append(std::uint64_t number, std::string& record, bool synced) {
  if (used_ == 0) first_ = number;
  const std::string_view recorded = std::string_view(record).substr(kHeaderBytes);
  Header header{.database = database_, .first = first_, .number = number, .size = recorded.size()};
  header.checksum = checksum(header, recorded);
  std::memcpy(record.data(), &header, sizeof header);
  const int code = in_parts(file_, file_->pMethods->xWrite, record.data(), record.size(), static_cast<Address>(used_));
  if ((code & 0xff) == SQLITE_FULL) {
    // Or what could be written of a long record would keep the disk full, and nothing would be tried again.
    (void)file_->pMethods->xTruncate(file_, static_cast<Address>(std::max(used_, reserved_)));
    return failed(code, "writing to");
  }
  if (code != SQLITE_OK) return Status::outcome_unknown(failed(code, "writing to").message());
  used_ += record.size();
  unsynced_ = true;
  return synced ? sync() : Status();
}

Status RedoFile::room_for(std::size_t bytes) {
  Address end = 0;
  if (const int code = file_->pMethods->xFileSize(file_, &end); code != SQLITE_OK) return failed(code, "measuring");
  const std::string zeroes(bytes, '\0');
  const int code = in_parts(file_, file_->pMethods->xWrite, zeroes.data(), zeroes.size(), end);
  (void)file_->pMethods->xTruncate(file_, end);
  return code == SQLITE_OK ? Status() : failed(code, "making room behind");
}

void RedoFile::restart() {
  // A group of unusual size made it longer, perhaps before the process was killed. That it stays so would only cost room.
  Address length = 0;
  if (file_->pMethods->xFileSize(file_, &length) == SQLITE_OK && length > static_cast<Address>(reserved_))
    (void)file_->pMethods->xTruncate(file_, static_cast<Address>(reserved_));
  used_ = 0;
  unsynced_ = false;
}

}  // namespace muster::store::sqlite
