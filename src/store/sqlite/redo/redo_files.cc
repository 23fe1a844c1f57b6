#include "store/sqlite/redo/redo_files.h"

#include <algorithm>

#include <fmt/format.h>

namespace muster::store::sqlite {

std::string redo_path(const std::string& database_path, std::size_t which) {
  return fmt::format("{}-redo{}", database_path, which);
}

Result<std::unique_ptr<RedoFiles>> RedoFiles::open(const std::string& database_path, const std::string& vfs) {
  auto out = std::make_unique<RedoFiles>();
  for (std::size_t i = 0; i < out->files_.size(); ++i) {
    auto file = RedoFile::open(redo_path(database_path, i), vfs);
    if (!file.ok()) return file.status();
    out->files_[i] = std::move(*file);
  }
  return out;
}

Result<std::vector<std::string>> RedoFiles::missing(const std::string& database_path, const std::string& vfs) {
  std::vector<std::string> out;
  for (const std::size_t which : {0, 1}) {
    const auto there = RedoFile::exists(redo_path(database_path, which), vfs);
    if (!there.ok()) return there.status();
    if (!*there) out.push_back(redo_path(database_path, which));
  }
  return out;
}

Status RedoFiles::remove(const std::string& database_path, const std::string& vfs) {
  for (const std::size_t which : {0, 1})
    if (Status removed = RedoFile::remove(redo_path(database_path, which), vfs); !removed.ok()) return removed;
  return {};
}

Result<std::vector<RedoFile::Group>> RedoFiles::read(std::uint64_t database) {
  std::vector<RedoFile::Group> out;
  for (const auto& file : files_) {
    auto groups = file->read(database);
    if (!groups.ok()) return groups.status();
    std::move(groups->begin(), groups->end(), std::back_inserter(out));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return out;
}

Status RedoFiles::reserve(std::uint64_t database, std::size_t bytes) {
  for (const auto& file : files_)
    if (Status reserved = file->reserve(database, bytes / files_.size()); !reserved.ok()) return reserved;
  return {};
}

Status RedoFiles::turn() {
  if (Status synced = current().sync(); !synced.ok()) return synced;
  current_ = 1 - current_;
  return {};
}

void RedoFiles::restart() {
  for (const auto& file : files_) file->restart();
}

}  // namespace muster::store::sqlite
