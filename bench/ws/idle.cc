// ws.idle.*: ten thousand workers that have a session and nothing to do, each beating every 30 s as the real one does: what they
// take of a core and of memory.
#include <algorithm>

#include <fmt/format.h>

#include "bench/resp/measurements.h"
#include "bench/rig.h"
#include "bench/ws/load.h"
#include "bench/ws/measurements.h"

namespace muster::bench::ws {
namespace {

constexpr std::size_t kFirst = 500;  // what they allocate once is not theirs
constexpr std::size_t kSessions = 10'000;
constexpr double kBeatEvery = 30.0;  // seconds

std::vector<Row> idle(const Settings& settings) {
  resp::raise_file_limit();
  const resp::ProcessPtr server = start_ours(settings, "ws-idle");
  Workers workers(server->port());
  workers.join(kFirst, 1);
  const double before = resident_bytes(server->pid());
  workers.join(kSessions - kFirst, 1);
  const double joined = resident_bytes(server->pid());
  const double cpu = server->cpu_seconds();
  const Outcome outcome = workers.beat(settings.quick ? kBeatEvery / 3 : kBeatEvery, kBeatEvery);
  const double share = (server->cpu_seconds() - cpu) / outcome.seconds;
  const double most = std::max(joined, resident_bytes(server->pid()));
  std::vector<Row> rows{{"ws.idle.10k.cpu", share * 100, std::nullopt, Goal::at_most, 15, "% of a core",
                         fmt::format("{} sessions, {:.0f} beats in {:.0f} s, each once in {:.0f} s; the server's processor time",
                                     kSessions, outcome.tasks, outcome.seconds, kBeatEvery)},
                        {"ws.idle.10k.bytes", (most - before) / static_cast<double>(kSessions - kFirst), std::nullopt,
                         Goal::at_most, 30'000, "bytes", "resident memory per idle session, after the beats"}};
  for (Row& row : rows) {
    if (workers.trouble().empty()) continue;
    row.measured = false;
    row.note = workers.trouble();
  }
  return rows;
}

}  // namespace

std::vector<Measurement> idle_measurements() { return {{{"ws.idle.10k.cpu", "ws.idle.10k.bytes"}, idle}}; }

}  // namespace muster::bench::ws
