// resp.life.calls: system calls of the server a life, counted by strace, which slows them all down: the figure says how often the
// server asks the kernel, never how fast it is.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "bench/resp/load.h"
#include "bench/resp/measurements.h"
#include "bench/resp/wires.h"

namespace muster::bench::resp {
namespace {

constexpr std::size_t kConnections = 50;

// `strace -c` on a server until it is stopped.
class Counted {
 public:
  Counted(const Process& server, std::string file) : file_(std::move(file)), pid_(::fork()) {
    if (pid_ == 0) {
      ::execlp("strace", "strace", "-f", "-c", "-o", file_.c_str(), "-p", std::to_string(server.pid()).c_str(), nullptr);
      ::_exit(127);
    }
    // Attached once the server is traced.
    for (int i = 0; i < 500 && !traced(server); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  double stop() {
    ::kill(pid_, SIGINT);
    ::waitpid(pid_, nullptr, 0);
    std::ifstream in(file_);
    double calls = 0;
    for (std::string line; std::getline(in, line);) {
      if (!line.ends_with(" total")) continue;
      std::istringstream words(line);
      std::string share, seconds, each;
      words >> share >> seconds >> each >> calls;
    }
    return calls;
  }

 private:
  static bool traced(const Process& server) {
    std::ifstream in(fmt::format("/proc/{}/status", server.pid()));
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("TracerPid:")) return line != "TracerPid:\t0";
    return false;
  }

  std::string file_;
  pid_t pid_;
};

double calls_a_life(const Settings& settings, const Process& server, Wire& wire, std::size_t depth) {
  Load load{.connections = kConnections, .cycle = {}, .lives_per_cycle = depth, .seconds = settings.seconds()};
  for (std::size_t step = 0; step < 3; ++step) load.cycle.push_back({.step = step, .count = depth});
  Counted counted(server, fresh_folder(settings, "calls") + "/strace");
  const Outcome outcome = run(server, wire, load);
  const double calls = counted.stop();
  return outcome.lives == 0 ? 0 : calls / outcome.lives;
}

std::vector<Row> calls(const Settings& settings) {
  std::vector<Row> rows;
  for (const std::size_t depth : {std::size_t{1}, std::size_t{16}}) {
    Row row{fmt::format("resp.life.c{}.p{}.calls", kConnections, depth), 0, 0.0, Goal::none, 0, "calls",
            "system calls of the server a life, beside Redis everysec's"};
    row.measured = is_installed("strace") && is_installed("redis-check-rdb");
    if (row.measured) {
      const ProcessPtr ours = start_muster(settings.server, fresh_folder(settings, "calls-ours"));
      const WirePtr wire = muster_life(ours->key());
      row.ours = calls_a_life(settings, *ours, *wire, depth);
      const ProcessPtr redis = start_redis(fresh_folder(settings, "calls-redis"), "everysec");
      const WirePtr reliable = redis_reliable();
      row.peer = calls_a_life(settings, *redis, *reliable, depth);
    } else {
      row.note = "strace or Redis is not installed";
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<Measurement> calls_measurements() { return {{{"resp.life.calls"}, calls}}; }

}  // namespace muster::bench::resp
