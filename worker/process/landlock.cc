#include "worker/process/landlock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace muster::worker {
namespace {

// By number: the headers of the oldest system we build on end before it.
constexpr std::uint64_t kTruncate = 1ULL << 14;
constexpr int kKnowsRefer = 2;
constexpr int kKnowsTruncate = 3;

constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWrite = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                 LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                                 LANDLOCK_ACCESS_FS_MAKE_SYM;
// The others mean something for folders only, and the kernel refuses them on a file.
constexpr std::uint64_t kOfFiles =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;

// Programs, their libraries, and the few files that the C library opens by itself. Not /proc: it shows other processes.
constexpr std::array kSystem{
    "/usr",           "/bin",      "/sbin",     "/lib",        "/lib32",      "/lib64", "/etc/ld.so.cache",
    "/etc/localtime", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
constexpr const char* kSink = "/dev/null";

std::uint64_t write_rights(int version) {
  std::uint64_t rights = kWrite;
  if (version >= kKnowsRefer) rights |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= kKnowsTruncate) rights |= kTruncate;
  return rights;
}

Status trouble(const char* doing) {
  return Status::unavailable(fmt::format("landlock: cannot {}: {}", doing, std::strerror(errno)));
}

Status add(int ruleset, const LandlockRule& rule) {
  const Fd path(::open(rule.path.c_str(), O_PATH | O_CLOEXEC));
  if (!path.valid()) return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? Status() : trouble("open a path");
  struct stat found {};
  if (::fstat(path.get(), &found) != 0) return trouble("look at a path");
  landlock_path_beneath_attr beneath{};
  beneath.parent_fd = path.get();
  beneath.allowed_access = S_ISDIR(found.st_mode) ? rule.rights : rule.rights & kOfFiles;
  if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) != 0) return trouble("add a rule");
  return {};
}

}  // namespace

int landlock_version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version > 0 ? static_cast<int>(version) : 0;
}

LandlockRules landlock_rules(const FileRights& rights, int version) {
  LandlockRules out;
  if (version <= 0) return out;
  if (!rights.reads_everything) out.handled |= kRead;
  if (!rights.writes_everything) out.handled |= write_rights(version);
  const auto give = [&out](std::string path, std::uint64_t wanted) {
    if (const std::uint64_t given = wanted & out.handled; given != 0) out.rules.push_back({std::move(path), given});
  };
  for (const char* path : kSystem) give(path, kRead);
  give(kSink, kRead | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate);
  for (const std::string& path : rights.readable) give(path, kRead);
  for (const std::string& path : rights.writable) give(path, kRead | write_rights(version));
  return out;
}

Result<Fd> make_landlock(const LandlockRules& rules) {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = rules.handled;
  Fd ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
  if (!ruleset.valid()) return trouble("make rules");
  for (const LandlockRule& rule : rules.rules)
    if (Status added = add(ruleset.get(), rule); !added.ok()) return added;
  return ruleset;
}

}  // namespace muster::worker
