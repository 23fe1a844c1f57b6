#include "worker/folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/log.h"

namespace muster::worker {
namespace {

namespace fs = std::filesystem;

// A tool may leave folders that even their owner cannot enter.
void open_up(const fs::path& root) {
  std::error_code ignored;
  fs::permissions(root, fs::perms::owner_all, fs::perm_options::add, ignored);
  for (const fs::directory_entry& entry : fs::directory_iterator(root, ignored))
    if (entry.is_directory(ignored) && !entry.is_symlink(ignored)) open_up(entry.path());
}

}  // namespace

Result<Folder> Folder::make(const std::string& parent) {
  std::string pattern = parent + "/muster-job-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr)
    return Status::unavailable(fmt::format("cannot make a folder in {}: {}", parent, std::strerror(errno)));
  return Folder(std::move(pattern));
}

Folder::~Folder() {
  if (path_.empty()) return;
  std::error_code error;
  fs::remove_all(path_, error);
  if (!error) return;
  open_up(path_);
  fs::remove_all(path_, error);
  if (error) log::warn("a job's folder stays behind", {{"folder", path_}, {"error", error.message()}});
}

}  // namespace muster::worker
