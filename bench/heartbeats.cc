// workers.10k.heartbeat: ten thousand idle workers, each beating every ten seconds, spread evenly: what share of a core it takes.
#include <sys/resource.h>

#include <fmt/format.h>

#include "bench/beating.h"
#include "bench/row.h"

namespace muster::bench {
namespace {

constexpr std::size_t kWorkers = 10'000;

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::vector<Row> heartbeats(const Settings& settings) {
  Rig rig(sqlite_in(fresh_folder(settings, "heartbeats")));
  const double wall = settings.quick ? kBeatInterval / 2 : kBeatInterval * 2;
  const Beating found = beat_workers(rig, kWorkers, wall, cpu_seconds);
  return {Row{"workers.10k.heartbeat", found.cores * 100, std::nullopt, Goal::at_most, 10, "% of a core",
              fmt::format("{} beats in {:.0f} s; the load generator is included; longest tick {:.1f} ms", found.beats, wall,
                          found.longest_tick * 1e3)}};
}

}  // namespace

std::vector<Measurement> worker_measurements() { return {{{"workers.10k.heartbeat"}, heartbeats}}; }

}  // namespace muster::bench
