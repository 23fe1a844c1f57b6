// Finished results on disk until the server has them: one file each, whole or not there at all.
//
// A file is written beside its place, synced, renamed into it, and the folder is synced: a crash at any instant leaves either
// nothing or the whole result. The folder also remembers which worker it belongs to, so that a restarted worker is the same one
// and may deliver what the earlier process finished. One process at a time: the folder is locked. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/status.h"
#include "worker/report.h"

namespace muster::worker {

inline constexpr std::size_t kSpoolFilesMax = 10'000;  // undelivered results; beyond, no more jobs are pulled
inline constexpr std::size_t kSpoolFolders = 64;       // default spools of workers on one machine

class Spool {
 public:
  // Makes the folder when it is not there. conflict: another process has it.
  static Result<std::unique_ptr<Spool>> open(const std::string& folder);
  // The first of <parent>/1, <parent>/2, … that nobody has.
  static Result<std::unique_ptr<Spool>> open_any(const std::string& parent);

  // The id kept here; nullopt in a fresh folder.
  std::optional<std::string> identity() const;
  Status keep_identity(const std::string& id);

  // Durable when it returns. The name is for remove() and read().
  Result<std::string> put(const Report& report);
  // Names, oldest first.
  std::vector<std::string> list() const;
  // corrupt: not a result; it was moved aside.
  Result<Report> read(const std::string& name);
  void remove(const std::string& name);
  // Out of the way but not lost: `<name>.refused`.
  void set_aside(const std::string& name);

  const std::string& folder() const { return folder_; }

 private:
  Spool(std::string folder, Fd lock) : folder_(std::move(folder)), lock_(std::move(lock)) {}
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  Status write_file(const std::string& name, std::string_view bytes);

  std::string folder_;
  Fd lock_;
  std::atomic<std::uint64_t> next_{0};
};

}  // namespace muster::worker
