// muster_bench [postgres|resp|grpc|ws|agents|web] [--quick] [--folder DIR] [--server PROGRAM] [--peers DIR] [--results FILE]
// [FILTER…]
//
// The first word chooses the suite: `postgres` measures the cluster's store on the server that MUSTER_TEST_POSTGRES names, `resp`
// the RESP wire beside Redis and beanstalkd, `grpc` workflows beside an empty gRPC server and Restate, `ws` AstraFlow's workers
// beside a bare Beast server, `agents` runs of agents beside libcurl alone, `web` what the dashboard costs, no such word
// everything else. Prints the table of goals with both sides of every ratio and appends one JSON line per row to the results
// file. A row is marked with the share of the machine that other processes took while it was measured: ratios hold better than
// figures, but neither holds on a busy machine.
#include <sys/resource.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/log.h"
#include "bench/agents/relay.h"
#include "bench/grpc/echo.h"
#include "bench/grpc/load.h"
#include "bench/http_bare.h"
#include "bench/postgres/connection.h"
#include "bench/row.h"
#include "bench/web/measurements.h"
#include "bench/ws/bare.h"

namespace muster::bench {
namespace {

constexpr double kForeignWarn = 0.3;  // cores
constexpr long kTmpfsMagic = 0x01021994;

struct CpuUse {
  double machine = 0;  // core seconds, everybody
  double ours = 0;     // this process, its ended children and the servers that work for it
};

CpuUse cpu_use(const Settings& settings) {
  CpuUse use;
  std::ifstream stat("/proc/stat");
  std::string word;
  double user = 0, nice = 0, system = 0, idle = 0, io = 0, irq = 0, soft = 0;
  stat >> word >> user >> nice >> system >> idle >> io >> irq >> soft;
  use.machine = (user + nice + system + irq + soft) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    use.ours += static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
  }
  use.ours += settings.servers_cpu();
  return use;
}

// Cores other processes kept busy between the two readings.
double foreign_cores(const CpuUse& before, const CpuUse& after, double seconds) {
  return std::max(0.0, ((after.machine - before.machine) - (after.ours - before.ours)) / std::max(seconds, 1e-9));
}

std::string first_value(const char* file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key)) return line.substr(std::min(line.find(':') + 2, line.size()));
  return "unknown";
}

long file_system_of(const std::string& folder) {
  struct statfs fs {};
  ::statfs(folder.c_str(), &fs);
  return static_cast<long>(fs.f_type);
}

void warn_if_in_memory(const std::string& folder) {
  if (file_system_of(folder) == kTmpfsMagic)
    fmt::print("warning: {} is in memory; a sync costs nothing there and every durable figure is wrong\n", folder);
}

void print_machine(const Settings& settings) {
  const CpuUse before = cpu_use(settings);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  fmt::print("machine: {} cores, {}, memory {}; scratch {} (file system type {:#x})\n", std::thread::hardware_concurrency(),
             first_value("/proc/cpuinfo", "model name"), first_value("/proc/meminfo", "MemTotal"), settings.folder,
             static_cast<unsigned long>(file_system_of(settings.folder)));
  warn_if_in_memory(settings.folder);
  fmt::print("foreign load before the run: {:.2f} cores\n\n", foreign_cores(before, cpu_use(settings), 1.0));
}

std::string figure(double value) { return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value); }

void print_row(const Row& row, double foreign) {
  const std::string goal =
      row.kind == Goal::none ? "-" : fmt::format("{} {:g}", row.kind == Goal::at_least ? ">=" : "<=", row.goal);
  if (!row.measured) {
    fmt::print("{:<30} not measured: {}\n", row.name, row.note);
    return;
  }
  fmt::print("{:<30} {:>10} {:>10} {:>8} {:>9} {:<9} {:<12} {}{}\n", row.name, figure(row.ours),
             row.peer ? figure(*row.peer) : "-", row.peer ? fmt::format("{:.2f}", row.ratio()) : "-", goal,
             row.kind == Goal::none ? "" : (row.met() ? "met" : "NOT MET"), row.unit,
             foreign > kForeignWarn ? fmt::format("[foreign load {:.2f} cores] ", foreign) : "", row.note);
  std::fflush(stdout);
}

void append(const std::string& file, const Row& row, double foreign) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), ignored);
  std::ofstream out(file, std::ios::app);
  out << fmt::format(R"({{"name":"{}","ours":{:.6g},"peer":{},"ratio":{:.4g},"goal":{},"unit":"{}")", row.name, row.ours,
                     row.peer ? fmt::format("{:.6g}", *row.peer) : "null", row.ratio(),
                     row.kind == Goal::none ? "null" : fmt::format("{:g}", row.goal), row.unit)
      << fmt::format(R"(,"goal_is":"{}","met":{},"foreign_cores":{:.2f}}})",
                     row.kind == Goal::at_most    ? "max"
                     : row.kind == Goal::at_least ? "min"
                                                  : "none",
                     row.met(), foreign)
      << '\n';
}

bool wanted(const Measurement& measurement, const std::vector<std::string>& filters) {
  if (filters.empty()) return true;
  for (const std::string& filter : filters)
    for (const std::string_view name : measurement.names)
      if (name.find(filter) != std::string_view::npos) return true;
  return false;
}

std::vector<Measurement> default_measurements() {
  std::vector<Measurement> all;
  for (auto part :
       {store_measurements(), latency_measurements(), backlog_measurements(), worker_measurements(), http_measurements()})
    for (Measurement& measurement : part) all.push_back(std::move(measurement));
  return all;
}

int run(const std::vector<Measurement>& all, const Settings& settings, const std::string& results,
        const std::vector<std::string>& filters) {
  std::filesystem::create_directories(settings.folder);
  print_machine(settings);
  fmt::print("{:<30} {:>10} {:>10} {:>8} {:>9} {:<9} {:<12} {}\n", "name", "ours", "peer", "ratio", "goal", "", "unit", "note");
  std::size_t rows = 0;
  std::size_t missed = 0;
  std::size_t unmeasured = 0;
  for (const Measurement& measurement : all) {
    if (!wanted(measurement, filters)) continue;
    const CpuUse before = cpu_use(settings);
    const double began = seconds_now();
    const std::vector<Row> done = measurement.run(settings);
    const double foreign = foreign_cores(before, cpu_use(settings), seconds_now() - began);
    for (const Row& row : done) {
      print_row(row, foreign);
      ++rows;
      unmeasured += row.measured ? 0 : 1;
      if (!row.measured) continue;
      append(results, row, foreign);
      missed += row.met() ? 0 : 1;
    }
  }
  std::error_code ignored;
  std::filesystem::remove_all(settings.folder, ignored);
  if (rows == 0) {
    fmt::print(stderr, "no measurement has such a name\n");
    return 2;
  }
  fmt::print("\n{} rows, {} goals not met, {} not measured; results appended to {}\n", rows, missed, unmeasured, results);
  return 0;
}

// On a database of its own, made for this run on the server of the environment.
int run_postgres(Settings settings, const std::string& results, const std::vector<std::string>& filters) {
  const char* server = std::getenv("MUSTER_TEST_POSTGRES");
  if (server == nullptr || *server == '\0') {
    fmt::print(stderr,
               "muster_bench postgres: set MUSTER_TEST_POSTGRES to the URL of a server; ./dev bench postgres starts one\n");
    return 2;
  }
  const postgres::OwnDatabase database(server);
  const postgres::ServerCpu cpu(database.url());
  settings.url = database.url();
  settings.servers_cpu = [&cpu] { return cpu.seconds(); };
  fmt::print("{}\n", postgres::Connection(database.url()).value("SELECT version()"));
  if (!cpu.folder().empty()) warn_if_in_memory(cpu.folder());
  return run(postgres_measurements(), settings, results, filters);
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  muster::log::set_level(muster::log::Level::error);
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  muster::bench::Settings settings{
      .folder = (program / "scratch").string(), .server = (program.parent_path() / "muster").string(), .peers = "bench/peers"};
  const std::string_view suite = argc > 1 ? argv[1] : "";
  const bool postgres = suite == "postgres";
  const bool resp = suite == "resp";
  const bool grpc = suite == "grpc";
  const bool ws = suite == "ws";
  const bool agents = suite == "agents";
  const bool web = suite == "web";
  const bool named = postgres || resp || grpc || ws || agents || web;
  if (suite == "grpc-echo") return muster::bench::grpc_suite::serve_echo();
  if (suite == "http-bare") return muster::bench::serve_bare_http();
  if (suite == "grpc-load" && argc == 6) return muster::bench::grpc_suite::load_once(argv + 2);
  if (suite == "ws-bare" && argc == 3) return muster::bench::ws::serve_bare(std::strtoul(argv[2], nullptr, 10));
  if (suite == "agents-relay" && argc == 3) return muster::bench::agents::serve_relay(std::atoi(argv[2]));
  std::string results = fmt::format("bench/results/{}.jsonl", named ? suite : "latest");
  std::vector<std::string> filters;
  for (int i = named ? 2 : 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const bool more = i + 1 < argc;
    if (name == "--child-fill" && i + 2 < argc)
      return muster::bench::fill_in_child(argv[i + 1], std::strtoul(argv[i + 2], nullptr, 10));
    if (name == "--quick")
      settings.quick = true;
    else if (name == "--folder" && more)
      settings.folder = std::string(argv[++i]) + "/muster-bench";
    else if (name == "--server" && more)
      settings.server = argv[++i];
    else if (name == "--peers" && more)
      settings.peers = argv[++i];
    else if (name == "--results" && more)
      results = argv[++i];
    else if (!name.starts_with("--"))
      filters.emplace_back(name);
    else {
      fmt::print(
          stderr,
          "usage: muster_bench [postgres|resp|grpc|ws|agents|web] [--quick] [--folder DIR] [--server PROGRAM] [--peers DIR] "
          "[--results FILE] "
          "[FILTER...]\n");
      return 2;
    }
  }
  if (postgres) return muster::bench::run_postgres(settings, results, filters);
  if (resp) return muster::bench::run(muster::bench::resp_measurements(), settings, results, filters);
  if (grpc) return muster::bench::run(muster::bench::grpc_measurements(), settings, results, filters);
  if (ws) return muster::bench::run(muster::bench::ws_measurements(), settings, results, filters);
  if (agents) return muster::bench::run(muster::bench::agent_measurements(), settings, results, filters);
  if (web) return muster::bench::run(muster::bench::web::measurements(), settings, results, filters);
  return muster::bench::run(muster::bench::default_measurements(), settings, results, filters);
}
