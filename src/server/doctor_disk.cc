#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "server/doctor.h"

namespace muster::server {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::uint64_t kFreeWarn = 1024 * kMiB;
constexpr std::uint64_t kFreeFail = 64 * kMiB;
constexpr int kSyncRounds = 11;
constexpr std::size_t kSyncBytes = 4096;
constexpr auto kSyncWarn = std::chrono::milliseconds(20);

Finding check_space(const std::string& folder) {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0)
    return {.name = "disk space",
            .grade = Grade::fail,
            .text = fmt::format("{}: {}", folder, std::strerror(errno)),
            .remedy = "make the data folder readable for this user"};
  const std::uint64_t free = static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
  const std::string text = fmt::format("{} MiB free in {}", free / kMiB, folder);
  if (free < kFreeFail)
    return {.name = "disk space",
            .grade = Grade::fail,
            .text = text,
            .remedy = "free space or move the data folder; writes are about to fail"};
  if (free < kFreeWarn)
    return {.name = "disk space",
            .grade = Grade::warn,
            .text = text,
            .remedy = "keep at least 1 GiB free for the database and its log"};
  return good("disk space", text);
}

// The median time of a small write and its sync: the floor of every acknowledged request.
Finding check_sync(const std::string& folder) {
  std::string path = folder + "/.doctor-XXXXXX";
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0)
    return {.name = "disk sync",
            .grade = Grade::fail,
            .text = fmt::format("cannot write in {}: {}", folder, std::strerror(errno)),
            .remedy = "make the data folder writable for this user, or give another --data-dir"};
  ::unlink(path.c_str());  // a check that is cut off leaves nothing
  const RealClock clock;
  const std::array<char, kSyncBytes> block{};
  std::array<Ticks, kSyncRounds> times{};
  bool worked = true;
  for (Ticks& time : times) {
    const Ticks begun = clock.elapsed();
    worked = worked && ::write(fd, block.data(), block.size()) == static_cast<ssize_t>(block.size()) && ::fdatasync(fd) == 0;
    time = clock.elapsed() - begun;
  }
  const int error = errno;
  ::close(fd);
  if (!worked)
    return {.name = "disk sync",
            .grade = Grade::fail,
            .text = fmt::format("a synced write failed: {}", std::strerror(error)),
            .remedy = "look at the disk and at its free space"};
  std::sort(times.begin(), times.end());
  const Ticks median = times[kSyncRounds / 2];
  const std::string text =
      fmt::format("a synced write takes {:.2f} ms", std::chrono::duration<double, std::milli>(median).count());
  if (median > kSyncWarn)
    return {.name = "disk sync",
            .grade = Grade::warn,
            .text = text,
            .remedy =
                "use a disk with a faster flush, or --durability normal if losing the last commits in a power cut is acceptable"};
  return good("disk sync", text);
}

}  // namespace

std::vector<Finding> check_data_dir(const Config& config) {
  const std::string folder = config.data_dir();
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0)
    return {errno == ENOENT ? good("data folder", fmt::format("{} does not exist; `muster serve` makes it", folder))
                            : Finding{.name = "data folder",
                                      .grade = Grade::fail,
                                      .text = fmt::format("{}: {}", folder, std::strerror(errno)),
                                      .remedy = "make the folder reachable for this user, or give another --data-dir"}};
  if (!S_ISDIR(info.st_mode))
    return {{.name = "data folder",
             .grade = Grade::fail,
             .text = fmt::format("{} is not a folder", folder),
             .remedy = "give another --data-dir"}};
  std::vector<Finding> findings;
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    findings.push_back({.name = "data folder",
                        .grade = Grade::warn,
                        .text = fmt::format("{} can be written by others (mode {:o})", folder, info.st_mode & 07777u),
                        .remedy = fmt::format("chmod go-w {}", folder)});
  else
    findings.push_back(good("data folder", folder));
  // On PostgreSQL the folder holds a key file and nothing that is synced; the database's disk is the database's to look at.
  if (config.on_postgres()) return findings;
  findings.push_back(check_space(folder));
  findings.push_back(check_sync(folder));
  return findings;
}

}  // namespace muster::server
