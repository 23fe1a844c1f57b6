// claim.latency: from the call that submits a job to the answer of a claim that was parked for it, against one commit.
//
// Three things take turns in one run, so that they meet the same disk: a job for a parked claim, one enqueue that nobody waits
// for (one commit of ours), and one row committed by bare SQLite.
#include <atomic>
#include <semaphore>
#include <thread>

#include <fmt/format.h>

#include "bench/bare_loop.h"
#include "bench/rig.h"
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
  request.worker = WorkerId("bench");
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

std::vector<Row> latency(const Settings& settings) {
  Rig rig(fresh_folder(settings, "latency"));
  rig.register_worker();
  BareLoop bare(fresh_folder(settings, "latency-bare"), 0);
  engine::Engine engine(rig.store(), rig.clock(), rig.metrics(), {});
  std::vector<double> arrivals, enqueues, commits;
  {
    const Ticker ticker(engine);
    const int count = settings.quick ? 2'000 : 10'000;
    for (int i = 0; i < count + kWarmUp; ++i) {
      const double a = arrival(engine, static_cast<std::size_t>(i));
      const double e = enqueue_alone(engine, static_cast<std::size_t>(i));
      const double c = bare.commit_one();
      if (i < kWarmUp) continue;
      arrivals.push_back(a * 1e6);
      enqueues.push_back(e * 1e6);
      commits.push_back(c * 1e6);
    }
  }
  engine.stop();
  (void)rig.store().close();
  return {Row{"claim.latency.p50", median(arrivals), median(enqueues), Goal::at_most, 1.5, "us",
              "one enqueue on the idle store, p50"},
          Row{"claim.latency.p99", percentile(arrivals, 0.99), median(enqueues), Goal::at_most, 10, "us",
              "one enqueue on the idle store, p50"},
          Row{"claim.latency.bare", median(enqueues), median(commits), Goal::none, 0, "us",
              "ours: one enqueue; peer: one row committed by bare SQLite"}};
}

}  // namespace

std::vector<Measurement> latency_measurements() {
  return {{{"claim.latency.p50", "claim.latency.p99", "claim.latency.bare"}, latency}};
}

}  // namespace muster::bench
