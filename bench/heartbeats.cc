// workers.10k.heartbeat: ten thousand idle workers, each beating every ten seconds, spread evenly: what share of a core it takes.
#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "bench/rig.h"
#include "bench/row.h"
#include "engine/engine.h"

namespace muster::bench {
namespace {

constexpr std::size_t kWorkers = 10'000;
constexpr double kInterval = 10;  // seconds

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

WorkerId worker_id(std::size_t i) { return WorkerId(fmt::format("worker-{:05}", i)); }

std::vector<Row> heartbeats(const Settings& settings) {
  Rig rig(fresh_folder(settings, "heartbeats"));
  engine::Engine engine(rig.store(), rig.clock(), rig.metrics(), {});
  std::vector<WorkerSpec> specs(kWorkers);
  for (std::size_t i = 0; i < kWorkers; ++i) {
    specs[i].id = worker_id(i);
    specs[i].capabilities = CapabilitySet({fmt::format("tool:{}", i % 100)});
    specs[i].slots = 4;
  }
  Waiter<store::Each<store::Registered>> waiter;
  engine.workers().register_workers(std::move(specs), waiter.reply());
  auto registered = waiter.wait();
  if (!registered.ok()) give_up("register", registered.status());

  const double wall = settings.quick ? kInterval / 2 : kInterval * 2;
  std::size_t sent = 0;
  double longest_tick = 0;
  double next_tick = 0;
  const double cpu_before = cpu_seconds();
  const double began = seconds_now();
  for (double now = began; now - began < wall; now = seconds_now()) {
    const auto due = static_cast<std::size_t>((now - began) / kInterval * static_cast<double>(kWorkers));
    for (; sent < due; ++sent) {
      store::Beat beat;
      beat.ns = NamespaceName(kDefaultNamespace);
      beat.worker = worker_id(sent % kWorkers);
      beat.session = (*registered)[sent % kWorkers]->session;
      engine.workers().heartbeat({beat}, [](Result<store::Each<store::BeatReply>> result) {
        if (!result.ok()) give_up("heartbeat", result.status());
        if (!(*result)[0].ok()) give_up("heartbeat", (*result)[0].status());
      });
    }
    if (now >= next_tick) {
      const double sleep = std::chrono::duration<double>(engine.tick()).count();
      const double after = seconds_now();
      longest_tick = std::max(longest_tick, after - now);
      next_tick = after + sleep;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const double share = (cpu_seconds() - cpu_before) / (seconds_now() - began);
  engine.stop();
  (void)rig.store().close();
  return {Row{"workers.10k.heartbeat", share * 100, std::nullopt, Goal::at_most, 10, "% of a core",
              fmt::format("{} beats in {:.0f} s; the load generator is included; longest tick {:.1f} ms", sent, wall,
                          longest_tick * 1e3)}};
}

}  // namespace

std::vector<Measurement> worker_measurements() { return {{{"workers.10k.heartbeat"}, heartbeats}}; }

}  // namespace muster::bench
