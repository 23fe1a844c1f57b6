#include "worker/process/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>

#include "worker/process/child.h"

namespace muster::worker {
namespace {

// Arrays as execve wants them, over strings that outlive them.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::string_view doing(child::Stage stage) {
  switch (stage) {
    case child::Stage::streams: return "set up its streams";
    case child::Stage::folder: return "enter its folder";
    case child::Stage::limits: return "set its limits";
    case child::Stage::namespaces: return "make namespaces";
    case child::Stage::identity: return "map its user";
    case child::Stage::mounts: return "arrange its mounts";
    case child::Stage::guard: return "start inside the sandbox";
    case child::Stage::files: return "be kept to its files";
    case child::Stage::exec: return "execute";
  }
  return "start";
}

Status explain(const child::Trouble& trouble) {
  const std::string text = trouble.stage == child::Stage::exec
                               ? std::string(std::strerror(trouble.error))
                               : fmt::format("cannot {}: {}", doing(trouble.stage), std::strerror(trouble.error));
  if (trouble.error == ENOENT) return Status::not_found(text);
  if (trouble.error == EACCES || trouble.error == EPERM) return Status::permission_denied(text);
  return Status::unavailable(text);
}

// What went wrong before the tool ran; nullopt when it runs.
std::optional<child::Trouble> read_trouble(int fd) {
  child::Trouble trouble{};
  while (true) {
    const ssize_t got = ::read(fd, &trouble, sizeof trouble);
    if (got < 0 && errno == EINTR) continue;
    if (got == static_cast<ssize_t>(sizeof trouble)) return trouble;
    return std::nullopt;
  }
}

void ignore_closed_pipes() {
  // A tool that does not read its input is an answer of write(), not the end of the worker.
  static std::once_flag once;
  std::call_once(once, [] { std::signal(SIGPIPE, SIG_IGN); });
}

}  // namespace

Result<Process> spawn(const Launch& launch, const Streams& streams) {
  ignore_closed_pipes();
  std::vector<std::string> argv = launch.argv;
  std::vector<std::string> environment{"PATH=" + launch.search_path, "HOME=" + launch.folder, "TMPDIR=" + launch.folder,
                                       "LANG=" + launch.language};
  const std::vector<char*> argv_pointers = pointers(argv);
  const std::vector<char*> environment_pointers = pointers(environment);
  std::vector<const char*> writable{launch.folder.c_str()};
  for (const std::string& path : launch.writable) writable.push_back(path.c_str());
  writable.push_back(nullptr);
  const std::string user_map = fmt::format("{0} {0} 1\n", ::geteuid());
  const std::string group_map = fmt::format("{0} {0} 1\n", ::getegid());

  Fd landlock;
  if (launch.files) {
    const LandlockRules rules = landlock_rules(*launch.files, landlock_version());
    if (rules.handled != 0) {
      auto made = make_landlock(rules);
      if (!made.ok()) return made.status();
      landlock = std::move(*made);
    }
  }
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Status::unavailable(std::strerror(errno));
  const Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  const child::Plan plan{.path = launch.path.c_str(),
                         .argv = argv_pointers.data(),
                         .environment = environment_pointers.data(),
                         .folder = launch.folder.c_str(),
                         .in = streams.in,
                         .out = streams.out,
                         .err = streams.err,
                         .trouble = write_end.get(),
                         .parent = ::getpid(),
                         .memory_bytes = launch.limits.memory_bytes,
                         .cpu_seconds = launch.limits.cpu_seconds,
                         .file_bytes = launch.limits.file_bytes,
                         .open_files = launch.limits.open_files,
                         .sandboxed = launch.sandboxed,
                         .own_users = ::geteuid() != 0,
                         .user_map = user_map.c_str(),
                         .group_map = group_map.c_str(),
                         .read_only = launch.read_only,
                         .writable = writable.data(),
                         .landlock = landlock.get()};
  const pid_t pid = ::fork();
  if (pid < 0) return Status::unavailable(std::strerror(errno));
  if (pid == 0) child::run(plan);
  write_end.reset();
  const auto trouble = read_trouble(read_end.get());
  Process process{.pid = pid, .handle = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)))};
  if (!trouble && process.handle.valid()) return process;
  const int error = errno;
  ::kill(pid, SIGKILL);  // by pid: it may not lead a group yet
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return trouble ? explain(*trouble) : Status::unavailable(std::strerror(error));
}

Status probe_sandbox(const std::string& folder) {
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null.valid()) return Status::unavailable(std::strerror(errno));
  const Launch launch{.path = "/bin/true",
                      .argv = {"true"},
                      .folder = folder,
                      .search_path = "/bin",
                      .language = "C",
                      .sandboxed = true,
                      .read_only = true};
  const auto process = spawn(launch, {.in = null.get(), .out = null.get(), .err = null.get()});
  if (!process.ok()) return process.status();
  const Ending ending = reap(*process);
  if (ending.exit_code != 0) return Status::unavailable(fmt::format("a trial ended with code {}", ending.exit_code));
  return {};
}

void signal_group(const Process& process, int signal) { ::kill(-process.pid, signal); }

Ending reap(const Process& process) {
  int status = 0;
  while (::waitpid(process.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {.exit_code = -1, .signal = WTERMSIG(status)};
  return {.exit_code = WEXITSTATUS(status), .signal = 0};
}

}  // namespace muster::worker
