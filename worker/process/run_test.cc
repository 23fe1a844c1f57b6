// One tool from start to end: what it gets, what is kept of what it says, and that nothing of it is left.
#include "worker/process/run.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <set>
#include <thread>

#include "base/patience_testing.h"
#include "base/temp_folder_testing.h"

namespace muster::worker {
namespace {

using namespace std::chrono_literals;

constexpr auto kShellStarts = 2s;  // more than a shell needs on a busy machine to set its traps and say its first word

struct RunTest : testing::Test {
  RunRequest request(std::string path, std::vector<std::string> args = {}) {
    RunRequest out;
    out.launch = {.path = path,
                  .argv = {path},
                  .folder = folder.path(),
                  .search_path = "/usr/bin:/bin",
                  .language = "C.UTF-8",
                  .limits = {},
                  .writable = {}};
    out.launch.argv.insert(out.launch.argv.end(), args.begin(), args.end());
    out.timeout = 20s;
    out.kill_grace = 5s;
    out.bounds = {.memory_max = 64 * 1024, .total_max = 0, .folder = folder.path()};
    return out;
  }
  RunRequest shell(const std::string& body) { return request("/bin/sh", {"-c", body}); }
  RunResult go(const RunRequest& what) { return run(what, cancel, clock); }

  TempFolder folder;
  Cancel cancel;
  RealClock clock;
};

// Whether a process is gone, or at least dead, within a few seconds.
bool ends(pid_t pid) {
  const auto deadline = std::chrono::steady_clock::now() + 5s;
  while (std::chrono::steady_clock::now() < deadline) {
    if (::kill(pid, 0) != 0) return true;
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    std::getline(in, line);
    if (line.find(") Z ") != line.npos) return true;
    std::this_thread::yield();
  }
  return false;
}

std::set<int> open_descriptors() {
  std::set<int> out;
  for (int fd = 0; fd < 1024; ++fd)
    if (::fcntl(fd, F_GETFD) >= 0) out.insert(fd);
  return out;
}

TEST_F(RunTest, KeepsBothOutputsByteForByte) {
  const RunResult result = go(shell(R"(printf 'a\000\377\r\nb'; printf 'err\n' >&2; exit 3)"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out.head(), std::string("a\0\xff\r\nb", 6));
  EXPECT_EQ(result.err.head(), "err\n");
  EXPECT_FALSE(result.timed_out);
  EXPECT_FALSE(result.succeeded());
}

TEST_F(RunTest, SpillsWhatIsMoreThanTheCapAndKeepsAllOfIt) {
  const RunResult result = go(shell("head -c 3000000 /dev/zero | tr '\\000' x; printf end"));
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(result.out.size(), 3'000'003U);
  EXPECT_TRUE(result.out.spilled());
  EXPECT_EQ(result.out.head().size(), 64U * 1024);
  EXPECT_EQ(result.out.read(10'000'000).substr(2'999'998), "xxend");
  EXPECT_EQ(folder.entries(), 0U) << "the spill has no name";
}

TEST_F(RunTest, EndsAToolWhoseOutputHasNoPlace) {
  auto what = shell("yes");
  what.bounds.total_max = 1'000'000;
  const RunResult result = go(what);
  EXPECT_EQ(result.kept.code(), Code::exhausted);
  EXPECT_LE(result.out.size(), 1'000'000U);
}

TEST_F(RunTest, FeedsInputFromMemoryAndFromASpill) {
  for (const std::size_t size : {std::size_t{1000}, std::size_t{60'000}, std::size_t{5'000'000}}) {
    Capture input({.memory_max = 64 * 1024, .total_max = 0, .folder = folder.path()});
    ASSERT_TRUE(input.append(std::string(size, 'q')).ok());
    auto what = request("/usr/bin/wc", {"-c"});
    what.input = &input;
    const RunResult result = go(what);
    EXPECT_EQ(result.out.head(), std::to_string(size) + "\n");
  }
}

TEST_F(RunTest, IsNotHeldUpByAToolThatDoesNotReadItsInput) {
  Capture input({.memory_max = 64 * 1024 * 1024, .total_max = 0, .folder = folder.path()});
  ASSERT_TRUE(input.append(std::string(10'000'000, 'q')).ok());
  auto what = request("/usr/bin/head", {"-c", "3"});
  what.input = &input;
  const RunResult result = go(what);
  EXPECT_EQ(result.out.head(), "qqq");
  EXPECT_TRUE(result.succeeded());
}

TEST_F(RunTest, GivesNothingToReadWithoutAnInput) {
  const RunResult result = go(request("/usr/bin/wc", {"-c"}));
  EXPECT_EQ(result.out.head(), "0\n");
}

TEST_F(RunTest, KillsGrandchildrenWhenTheTimeIsOver) {
  auto what = shell("sleep 300 & echo $!; sleep 300");
  what.timeout = kShellStarts;
  const RunResult result = go(what);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_code, -1);
  EXPECT_LT(result.took, patience());
  EXPECT_TRUE(ends(std::stoi(std::string(result.out.head()))));
}

TEST_F(RunTest, KillsWhatIgnoresTheRequestToEnd) {
  auto what = shell("trap '' TERM; echo $$; while true; do sleep 0.05; done");
  what.timeout = kShellStarts;
  what.kill_grace = 300ms;
  const RunResult result = go(what);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_GE(result.took, kShellStarts + what.kill_grace);
  EXPECT_TRUE(ends(std::stoi(std::string(result.out.head()))));
}

TEST_F(RunTest, LetsAToolTidyUpBeforeItIsKilled) {
  auto what = shell("trap 'echo tidy; exit 0' TERM; echo up; while true; do sleep 0.05; done");
  what.timeout = kShellStarts;
  const RunResult result = go(what);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.out.head(), "up\ntidy\n");
  EXPECT_FALSE(result.succeeded());
}

TEST_F(RunTest, EndsWhatAToolLeavesBehind) {
  const RunResult result = go(shell("sleep 300 & echo $!"));
  EXPECT_TRUE(result.succeeded());
  EXPECT_LT(result.took, patience()) << "it does not wait for who holds its outputs";
  EXPECT_TRUE(ends(std::stoi(std::string(result.out.head()))));
}

TEST_F(RunTest, StopsAtOnceWhenCancelled) {
  std::thread other([this] { cancel.cancel(); });
  const RunResult result = go(shell("sleep 300"));
  other.join();
  EXPECT_TRUE(result.cancelled);
  EXPECT_LT(result.took, patience());
}

TEST_F(RunTest, SaysWhyAToolDoesNotRun) {
  EXPECT_EQ(go(request(folder.path("nothing"))).started.code(), Code::not_found);
  EXPECT_EQ(go(request(folder.write("plain", "x"))).started.code(), Code::permission_denied);
  EXPECT_EQ(go(request(folder.path("nothing"))).started.message(), "No such file or directory");
}

TEST_F(RunTest, GivesACleanEnvironmentAndItsOwnFolder) {
  ::setenv("MUSTER_AUTH_SESSION_KEY", "secret", 1);
  const RunResult result = go(request("/usr/bin/env"));
  ::unsetenv("MUSTER_AUTH_SESSION_KEY");
  EXPECT_EQ(result.out.head(), "PATH=/usr/bin:/bin\nHOME=" + folder.path() + "\nTMPDIR=" + folder.path() + "\nLANG=C.UTF-8\n");
  EXPECT_EQ(go(request("/bin/pwd")).out.head(), folder.path() + "\n");
}

TEST_F(RunTest, LeaksNoDescriptors) {
  int pair[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);  // not marked close-on-exec, as a library might forget to
  const auto before = open_descriptors();
  const RunResult result = go(shell("ls /proc/self/fd | wc -l"));
  // 0, 1, 2 and the one with which ls reads the folder.
  EXPECT_EQ(result.out.head(), "4\n");
  EXPECT_EQ(open_descriptors(), before);
  ::close(pair[0]);
  ::close(pair[1]);
}

TEST_F(RunTest, HasDefaultSignalsAndASessionOfItsOwn) {
  const RunResult result = go(shell("grep -E 'SigBlk|SigIgn' /proc/self/status; ps -o sid= -p $$ | tr -d ' '; echo $$"));
  const std::string text(result.out.head());
  EXPECT_NE(text.find("SigBlk:\t0000000000000000"), text.npos) << text;
  EXPECT_NE(text.find("SigIgn:\t0000000000000000"), text.npos) << text;
}

TEST_F(RunTest, EnforcesLimits) {
  auto what = shell("ulimit -v; ulimit -t; ulimit -f; ulimit -n; ulimit -c");
  what.launch.limits = {.memory_bytes = 512ULL * 1024 * 1024, .cpu_seconds = 7, .file_bytes = 1024 * 1024, .open_files = 64};
  EXPECT_EQ(go(what).out.head(), "524288\n7\n2048\n64\n0\n");

  auto writer = shell("head -c 100000 /dev/zero > big");
  writer.launch.limits = {.file_bytes = 4096};
  EXPECT_FALSE(go(writer).succeeded());
  EXPECT_EQ(std::filesystem::file_size(folder.path("big")), 4096U);

  auto spinner = shell("while true; do :; done");
  spinner.launch.limits = {.cpu_seconds = 1};
  const RunResult spun = go(spinner);
  EXPECT_TRUE(spun.signal == SIGXCPU || spun.signal == SIGKILL) << spun.signal;

  auto eater = request("/usr/bin/head", {"-c", "1000000000", "/dev/zero"});
  eater.launch.path = "/usr/bin/sort";
  eater.launch.argv = {"sort", "-S", "900M", "/dev/zero"};
  eater.launch.limits = {.memory_bytes = 64ULL * 1024 * 1024};
  eater.timeout = 10s;
  const RunResult ate = go(eater);
  EXPECT_FALSE(ate.succeeded());
  EXPECT_FALSE(ate.timed_out);
}

struct SandboxTest : RunTest {
  void SetUp() override {
    if (const Status probe = probe_sandbox(folder.path()); !probe.ok()) GTEST_SKIP() << "no namespaces here: " << probe.message();
  }
  RunRequest boxed(const std::string& body) {
    auto out = shell(body);
    out.launch.sandboxed = true;
    return out;
  }
};

TEST_F(SandboxTest, ShowsAToolOnlyItsOwnProcesses) {
  const RunResult result = go(boxed("ls /proc | grep -c '^[0-9]'"));
  EXPECT_TRUE(result.succeeded()) << result.err.head();
  EXPECT_LE(std::stoi(std::string(result.out.head())), 6);
}

TEST_F(SandboxTest, PassesOnHowTheToolEnded) {
  EXPECT_EQ(go(boxed("exit 7")).exit_code, 7);
  EXPECT_EQ(go(boxed("kill -9 $$")).signal, SIGKILL);
  EXPECT_EQ(go(boxed("kill -15 $$")).signal, SIGTERM);
  auto missing = boxed("");
  missing.launch.path = folder.path("nothing");
  EXPECT_EQ(go(missing).started.message(), "No such file or directory");
}

TEST_F(SandboxTest, EndsEvenWhatLeftTheGroup) {
  auto what = boxed("setsid sleep 4242 & sleep 300");
  what.timeout = kShellStarts;
  const RunResult result = go(what);
  EXPECT_TRUE(result.timed_out);
  EXPECT_LT(result.took, patience());
  bool left = false;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream in(entry.path() / "cmdline");
    std::string line;
    std::getline(in, line);
    left = left || line.find(std::string("sleep\0004242", 10)) != line.npos;
  }
  EXPECT_FALSE(left);
}

TEST_F(SandboxTest, WritesOnlyWhereItMay) {
  TempFolder other;
  TempFolder allowed;
  auto what = boxed("echo x > " + other.path("f") + "; echo y > " + allowed.path("f") + "; echo z > f; cat f");
  what.launch.read_only = true;
  what.launch.writable = {allowed.path()};
  const RunResult result = go(what);
  EXPECT_EQ(other.entries(), 0U);
  EXPECT_EQ(allowed.read("f"), "y\n");
  EXPECT_EQ(result.out.head(), "z\n");
}

}  // namespace
}  // namespace muster::worker
