// Runs an engine with its ticks as the server does, and times what happens at its seams.
#include "bench/arrival.h"

#include <atomic>
#include <semaphore>
#include <thread>

#include <fmt/format.h>

#include "bench/row.h"
#include "engine/engine.h"

namespace muster::bench {
namespace {

constexpr int kWarmUp = 50;
constexpr Duration kTickMax{20};

// Keeps the engine ticking as the server does.
class Ticker {
 public:
  explicit Ticker(engine::Engine& engine)
      : thread_([this, &engine] {
          while (!stopping_) std::this_thread::sleep_for(std::min(kTickMax, engine.tick()));
        }) {}
  ~Ticker() {
    stopping_ = true;
    thread_.join();
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

struct Parked {
  std::binary_semaphore answered{0};
  double at = 0;
  std::vector<Grant> grants;
};

double arrival(engine::Engine& engine, std::size_t number) {
  Parked parked;
  store::ClaimRequest request;
  request.ns = NamespaceName(kDefaultNamespace);
  request.worker = WorkerId("bench-0");
  request.queues.push_back(QueueName("parked"));
  engine.claims().claim(std::move(request), limits::kClaimWaitMax, [&parked](Result<store::ClaimReply> result) {
    parked.at = seconds_now();
    if (!result.ok()) give_up("claim", result.status());
    parked.grants = std::move(result->grants);
    parked.answered.release();
  });
  while (engine.claims().parked() == 0) std::this_thread::yield();
  JobSpec spec = Rig::job(number);
  spec.queue = QueueName("parked");
  const double began = seconds_now();
  engine.jobs().enqueue({spec}, [](Result<std::vector<store::Enqueued>> result) {
    if (!result.ok()) give_up("enqueue", result.status());
  });
  parked.answered.acquire();
  if (parked.grants.empty()) give_up("claim", Status::internal("a parked claim came back empty"));
  Waiter<store::Each<store::Settled>> done;
  engine.jobs().complete({{{parked.grants[0].id, parked.grants[0].fence}, std::nullopt}}, done.reply());
  (void)done.wait();
  return parked.at - began;
}

double enqueue_alone(engine::Engine& engine, std::size_t number) {
  Waiter<std::vector<store::Enqueued>> waiter;
  JobSpec spec = Rig::job(number);
  const double began = seconds_now();
  engine.jobs().enqueue({spec}, waiter.reply());
  auto result = waiter.wait();
  if (!result.ok()) give_up("enqueue", result.status());
  return seconds_now() - began;
}

}  // namespace

Arrivals measure_arrivals(Rig& rig, int count, const std::function<double()>& commit_one) {
  engine::Engine engine(rig.store(), rig.clock(), rig.metrics(), {});
  Arrivals found;
  {
    const Ticker ticker(engine);
    for (int i = 0; i < count + kWarmUp; ++i) {
      const double a = arrival(engine, static_cast<std::size_t>(i));
      const double e = enqueue_alone(engine, static_cast<std::size_t>(i));
      const double c = commit_one();
      if (i < kWarmUp) continue;
      found.arrivals.push_back(a * 1e6);
      found.enqueues.push_back(e * 1e6);
      found.commits.push_back(c * 1e6);
    }
  }
  engine.stop();
  (void)rig.store().close();
  return found;
}

}  // namespace muster::bench
