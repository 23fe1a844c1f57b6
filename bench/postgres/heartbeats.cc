// postgres.workers.5k.heartbeat: five thousand idle workers, each beating every ten seconds through one store: what share of a
// core the server's processes take. What the node itself takes is not in the goal and stands in the note.
#include <sys/resource.h>

#include <thread>

#include <fmt/format.h>

#include "bench/beating.h"
#include "bench/postgres/connection.h"
#include "bench/postgres/measurements.h"
#include "bench/postgres/open.h"

namespace muster::bench::postgres {
namespace {

constexpr std::size_t kWorkers = 5'000;

double own_cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

std::vector<Row> heartbeats(const Settings& settings) {
  const ServerCpu server(settings.url);
  Rig rig(store_in(settings.url, "bench_heartbeats"));
  const double wall = settings.quick ? kBeatInterval : kBeatInterval * 2;
  double own_before = 0;
  const auto settle = [&] {
    // The checkpoint of what earlier rows wrote is not the beats'.
    Connection(settings.url).checkpoint();
    own_before = own_cpu_seconds();
  };
  const Beating found = beat_workers(
      rig, kWorkers, wall, [&server] { return server.seconds(); }, settle);
  const double own = (own_cpu_seconds() - own_before) / wall;
  Row row{"postgres.workers.5k.heartbeat",
          found.cores * 100,
          std::nullopt,
          Goal::at_most,
          5,
          "% of a core",
          fmt::format("PostgreSQL's processes, {} beats in {:.0f} s; this node and its load generator besides: {:.1f} %",
                      found.beats, wall, own * 100)};
  if (!server.known()) {
    row.measured = false;
    row.note = "PostgreSQL runs on another machine, its processor time cannot be read";
  }
  return {row};
}

}  // namespace

std::vector<Measurement> worker_measurements() { return {{{"postgres.workers.5k.heartbeat"}, heartbeats}}; }

}  // namespace muster::bench::postgres
