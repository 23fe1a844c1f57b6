// A million waiting jobs: what they cost in memory, what they do to the rate, and how long a restart takes with them.
//
// They are put there by a child process, so that its memory is theirs alone; the parent then opens what it left behind.
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "bench/rig.h"
#include "bench/row.h"

namespace muster::bench {
namespace {

constexpr std::size_t kJobs = 1'000'000;
constexpr std::size_t kWarm = 100'000;  // fills SQLite's page cache, which does not grow with the backlog
constexpr std::size_t kCallers = 64;

double trimmed_resident() {
  malloc_trim(0);
  return resident_bytes(::getpid());
}

// Bytes of resident memory a waiting job costs, measured by the child.
double fill_elsewhere(const Settings&, const std::string& folder) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = fmt::format("'{}' --child-fill '{}' {}", self, folder, kJobs);
  FILE* pipe = ::popen(command.c_str(), "r");
  double bytes = 0;
  if (pipe == nullptr || std::fscanf(pipe, "%lf", &bytes) != 1) give_up("fill", Status::internal("the child process failed"));
  if (::pclose(pipe) != 0) give_up("fill", Status::internal("the child process failed"));
  return bytes;
}

std::vector<Row> backlog(const Settings& settings) {
  const std::string folder = fresh_folder(settings, "backlog");
  const double bytes = fill_elsewhere(settings, folder);
  const double opening = seconds_now();
  Rig full(sqlite_in(folder));
  const double opened = seconds_now() - opening;
  full.register_workers();
  Rig empty(sqlite_in(fresh_folder(settings, "backlog-empty")));
  empty.register_workers();
  std::vector<double> ours, peer;
  for (int round = 0; round < settings.rounds(); ++round) {
    ours.push_back(full.run(kCallers, settings.seconds()).lives_per_second);
    peer.push_back(empty.run(kCallers, settings.seconds()).lives_per_second);
  }
  return {Row{"backlog.1m.life", median(ours), median(peer), Goal::at_least, 0.7, "jobs/s", "the same load on an empty queue"},
          Row{"restart.1m.seconds", opened, std::nullopt, Goal::at_most, 10, "s", "open and rebuild with 1,000,000 jobs waiting"},
          Row{"memory.waiting.bytes", bytes, std::nullopt, Goal::at_most, 300, "bytes",
              "resident memory per waiting job, SQLite's page cache full before"}};
}

}  // namespace

int fill_in_child(const std::string& folder, std::size_t jobs) {
  Rig rig(sqlite_in(folder));
  rig.fill(kWarm);
  const double before = trimmed_resident();
  rig.fill(jobs - kWarm);
  const double after = trimmed_resident();
  fmt::print("{}\n", (after - before) / static_cast<double>(jobs - kWarm));
  return 0;
}

std::vector<Measurement> backlog_measurements() {
  return {{{"backlog.1m.life", "restart.1m.seconds", "memory.waiting.bytes"}, backlog}};
}

}  // namespace muster::bench
