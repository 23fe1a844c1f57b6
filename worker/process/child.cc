#include "worker/process/child.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace muster::worker::child {
namespace {

constexpr int kFirstOwnFd = 10;  // above the standard streams, whatever the parent had open
constexpr int kExitTrouble = 127;

[[noreturn]] void give_up(const Plan& plan, Stage stage) {
  const Trouble trouble{stage, errno};
  [[maybe_unused]] const ssize_t written = ::write(plan.trouble, &trouble, sizeof trouble);
  ::_exit(kExitTrouble);
}

void require(bool done, const Plan& plan, Stage stage) {
  if (!done) give_up(plan, stage);
}

void limit(int resource, std::uint64_t value, const Plan& plan) {
  if (value == 0) return;
  rlimit bound{value, value};
  rlimit now{};
  // A hard limit below the wish stands: it is the stricter one.
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &now) == 0 && now.rlim_max < bound.rlim_max)
    bound = {now.rlim_max, now.rlim_max};
  require(::setrlimit(static_cast<__rlimit_resource_t>(resource), &bound) == 0, plan, Stage::limits);
}

void default_signals() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal)
    ::sigaction(signal, &action, nullptr);  // refused for KILL and STOP, which is right
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void die_with_parent() { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }

void take_streams(const Plan& plan) {
  const int in = ::fcntl(plan.in, F_DUPFD, kFirstOwnFd);
  const int out = ::fcntl(plan.out, F_DUPFD, kFirstOwnFd);
  const int err = ::fcntl(plan.err, F_DUPFD, kFirstOwnFd);
  require(in >= 0 && out >= 0 && err >= 0, plan, Stage::streams);
  require(::dup2(in, STDIN_FILENO) >= 0 && ::dup2(out, STDOUT_FILENO) >= 0 && ::dup2(err, STDERR_FILENO) >= 0, plan,
          Stage::streams);
}

[[noreturn]] void become_tool(const Plan& plan) {
  die_with_parent();
  take_streams(plan);
  require(::chdir(plan.folder) == 0, plan, Stage::folder);
  limit(RLIMIT_AS, plan.memory_bytes, plan);
  limit(RLIMIT_CPU, plan.cpu_seconds, plan);
  limit(RLIMIT_FSIZE, plan.file_bytes, plan);
  limit(RLIMIT_NOFILE, plan.open_files, plan);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // A tool never gains rights that the worker does not have.
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (plan.landlock >= 0) require(::syscall(SYS_landlock_restrict_self, plan.landlock, 0) == 0, plan, Stage::files);
  ::umask(S_IRWXG | S_IRWXO);
  default_signals();
  // Whatever some library forgot to mark: nothing but the three streams reaches the tool.
  ::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  ::execve(plan.path, plan.argv, plan.environment);
  give_up(plan, Stage::exec);
}

bool write_file(const char* path, const char* text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = ::write(fd, text, std::strlen(text)) == static_cast<ssize_t>(std::strlen(text));
  const int error = errno;
  ::close(fd);
  errno = error;
  return written;
}

void enter_namespaces(const Plan& plan) {
  const int users = plan.own_users ? CLONE_NEWUSER : 0;
  require(::unshare(users | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC) == 0, plan, Stage::namespaces);
  if (!plan.own_users) return;
  // The same ids inside as outside; a kernel that knows setgroups wants it denied before groups are mapped.
  [[maybe_unused]] const bool denied = write_file("/proc/self/setgroups", "deny");
  require(write_file("/proc/self/uid_map", plan.user_map), plan, Stage::identity);
  require(write_file("/proc/self/gid_map", plan.group_map), plan, Stage::identity);
}

void arrange_mounts(const Plan& plan) {
  require(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, plan, Stage::mounts);
  if (plan.read_only) {
    for (const char* const* each = plan.writable; *each != nullptr; ++each)
      require(::mount(*each, *each, nullptr, MS_BIND | MS_REC, nullptr) == 0, plan, Stage::mounts);
    mount_attr set{};
    set.attr_set = MOUNT_ATTR_RDONLY;
    require(::mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &set, sizeof set) == 0, plan, Stage::mounts);
    mount_attr clear{};
    clear.attr_clr = MOUNT_ATTR_RDONLY;
    for (const char* const* each = plan.writable; *each != nullptr; ++each)
      require(::mount_setattr(AT_FDCWD, *each, 0, &clear, sizeof clear) == 0, plan, Stage::mounts);
  }
  require(::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0, plan, Stage::mounts);
}

void close_all_but(int kept) {
  if (kept > 0) ::syscall(SYS_close_range, 0U, static_cast<unsigned>(kept - 1), 0U);
  ::syscall(SYS_close_range, static_cast<unsigned>(kept + 1), ~0U, 0U);
}

// Process 1 of the sandbox. The kernel kills everything in it when this one ends, which it does with the tool.
[[noreturn]] void become_init(const Plan& plan, int report) {
  die_with_parent();
  arrange_mounts(plan);
  const pid_t tool = ::fork();
  require(tool >= 0, plan, Stage::guard);
  if (tool == 0) become_tool(plan);
  close_all_but(report);
  int status = 0;
  while (true) {
    const pid_t ended = ::waitpid(-1, &status, 0);
    if (ended == tool || (ended < 0 && errno != EINTR)) break;
  }
  [[maybe_unused]] const ssize_t written = ::write(report, &status, sizeof status);
  ::_exit(0);
}

// Outside the sandbox, and what the worker knows as the process: ends as the tool ended.
[[noreturn]] void become_guard(const Plan& plan) {
  // The group is told to end; the guard outlives the tool to say how it did.
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGTERM, &ignore, nullptr);
  int report[2];
  require(::pipe2(report, O_CLOEXEC) == 0, plan, Stage::guard);
  enter_namespaces(plan);
  const pid_t init = ::fork();
  require(init >= 0, plan, Stage::guard);
  if (init == 0) become_init(plan, report[1]);
  close_all_but(report[0]);
  int status = 0;
  const bool told = ::read(report[0], &status, sizeof status) == static_cast<ssize_t>(sizeof status);
  ::waitpid(init, nullptr, 0);
  if (told && WIFEXITED(status)) ::_exit(WEXITSTATUS(status));
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  default_signals();
  ::raise(told && WIFSIGNALED(status) ? WTERMSIG(status) : SIGKILL);
  ::_exit(kExitTrouble);
}

}  // namespace

void run(const Plan& plan) {
  die_with_parent();
  if (::getppid() != plan.parent) ::_exit(kExitTrouble);  // the worker was gone before it could be watched
  ::setsid();
  if (plan.sandboxed) become_guard(plan);
  become_tool(plan);
}

}  // namespace muster::worker::child
