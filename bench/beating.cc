// One thread sends the beats that are due and ticks the engine, as a server's ticker would.
#include "bench/beating.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "bench/row.h"
#include "engine/engine.h"

namespace muster::bench {
namespace {

WorkerId worker_id(std::size_t i) { return WorkerId(fmt::format("worker-{:05}", i)); }

store::Each<store::Registered> register_all(engine::Engine& engine, std::size_t workers) {
  std::vector<WorkerSpec> specs(workers);
  for (std::size_t i = 0; i < workers; ++i) {
    specs[i].id = worker_id(i);
    specs[i].capabilities = CapabilitySet({fmt::format("tool:{}", i % 100)});
    specs[i].slots = 4;
  }
  Waiter<store::Each<store::Registered>> waiter;
  engine.workers().register_workers(std::move(specs), waiter.reply());
  auto registered = waiter.wait();
  if (!registered.ok()) give_up("register", registered.status());
  return std::move(*registered);
}

void beat_once(engine::Engine& engine, std::size_t worker, SessionId session) {
  store::Beat beat;
  beat.ns = NamespaceName(kDefaultNamespace);
  beat.worker = worker_id(worker);
  beat.session = session;
  engine.workers().heartbeat({beat}, [](Result<store::Each<store::BeatReply>> result) {
    if (!result.ok()) give_up("heartbeat", result.status());
    if (!(*result)[0].ok()) give_up("heartbeat", (*result)[0].status());
  });
}

}  // namespace

Beating beat_workers(Rig& rig, std::size_t workers, double wall, const std::function<double()>& cpu_seconds,
                     const std::function<void()>& settle) {
  engine::Engine engine(rig.store(), rig.clock(), rig.metrics(), {});
  const auto registered = register_all(engine, workers);
  settle();
  Beating found;
  double next_tick = 0;
  const double cpu_before = cpu_seconds();
  const double began = seconds_now();
  for (double now = began; now - began < wall; now = seconds_now()) {
    const auto due = static_cast<std::size_t>((now - began) / kBeatInterval * static_cast<double>(workers));
    for (; found.beats < due; ++found.beats) beat_once(engine, found.beats % workers, registered[found.beats % workers]->session);
    if (now >= next_tick) {
      const double sleep = std::chrono::duration<double>(engine.tick()).count();
      const double after = seconds_now();
      found.longest_tick = std::max(found.longest_tick, after - now);
      next_tick = after + sleep;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  found.cores = (cpu_seconds() - cpu_before) / (seconds_now() - began);
  engine.stop();
  (void)rig.store().close();
  return found;
}

}  // namespace muster::bench
