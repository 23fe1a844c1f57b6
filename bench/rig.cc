// The chains run on the store's own thread: each answer starts the next request, so `callers` of them are always in flight.
#include "bench/rig.h"

#include <cstdlib>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "bench/row.h"
#include "store/sqlite/store.h"

namespace muster::bench {
namespace {

constexpr std::size_t kFillBatch = 10'000;

}  // namespace

void give_up(std::string_view what, const Status& status) {
  fmt::print(stderr, "bench: {}: {}\n", what, status.text());
  std::_Exit(1);
}

struct Rig::Chain {
  std::size_t index = 0;
  std::size_t number = 0;
};

OpenStore sqlite_in(const std::string& folder) {
  return [folder](const Clock& clock, Metrics& metrics) -> std::unique_ptr<store::Store> {
    store::sqlite::Options options;
    options.path = folder + "/muster.db";
    auto opened = store::sqlite::SqliteStore::open(options, clock, metrics);
    if (!opened.ok()) give_up("open", opened.status());
    return std::move(opened).value();
  };
}

Rig::Rig(const OpenStore& open) : store_(open(clock_, metrics_)) {}

Rig::~Rig() { (void)store_->close(); }

store::StoreInfo Rig::info() {
  Waiter<store::StoreInfo> waiter;
  store_->info(waiter.reply());
  auto result = waiter.wait();
  if (!result.ok()) give_up("info", result.status());
  return *result;
}

void Rig::register_workers(std::size_t count) {
  std::vector<WorkerSpec> specs;
  while (workers_.size() < count) {
    WorkerSpec& spec = specs.emplace_back();
    spec.id = WorkerId(fmt::format("bench-{}", workers_.size()));
    spec.slots = limits::kSlotsMax;
    spec.policy = HeartbeatPolicy{limits::kHeartbeatMax, limits::kHeartbeatMax * 3};
    workers_.push_back(spec.id);
  }
  Waiter<store::Each<store::Registered>> waiter;
  store_->register_workers(std::move(specs), waiter.reply());
  auto result = waiter.wait();
  if (!result.ok()) give_up("register", result.status());
  for (const auto& registered : *result)
    if (!registered.ok()) give_up("register", registered.status());
}

namespace {

// Made once: what the load generator costs is not the store's.
const std::vector<JobSpec>& kinds() {
  static const std::vector<JobSpec> all = [] {
    std::vector<JobSpec> made(kQueues * kTypes);
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i].queue = QueueName(fmt::format("queue-{}", i % kQueues));
      made[i].type = JobType(fmt::format("type-{}", i / kQueues));
      made[i].payload = Content{std::string(kPayloadBytes, 'p'), Encoding::bytes};
    }
    return made;
  }();
  return all;
}

}  // namespace

JobSpec Rig::job(std::size_t number) { return kinds()[number % (kQueues * kTypes)]; }

void Rig::fill(std::size_t jobs) {
  for (std::size_t done = 0; done < jobs;) {
    std::vector<JobSpec> batch;
    for (; batch.size() < kFillBatch && done < jobs; ++done) batch.push_back(job(done));
    Waiter<std::vector<store::Enqueued>> waiter;
    store_->enqueue(std::move(batch), waiter.reply());
    auto result = waiter.wait();
    if (!result.ok()) give_up("fill", result.status());
  }
}

void Rig::step(Chain& chain) {
  if (stopping_.load(std::memory_order_relaxed)) return chain_ends();
  verbs_ == Verbs::life ? step_enqueue(chain) : step_claim(chain);
}

void Rig::step_enqueue(Chain& chain) {
  std::vector<JobSpec> jobs;
  // The caller stays with its queue, so the job it may claim next is always there; types take turns.
  jobs.push_back(job(chain.index % kQueues + kQueues * chain.number++));
  store_->enqueue(std::move(jobs), [this, &chain](Result<std::vector<store::Enqueued>> result) {
    if (!result.ok()) give_up("enqueue", result.status());
    step_claim(chain);
  });
}

void Rig::step_claim(Chain& chain) {
  store::ClaimRequest request;
  request.ns = NamespaceName(kDefaultNamespace);
  request.worker = workers_[chain.index % workers_.size()];
  if (claims_ == Claims::own_queue) request.queues.push_back(kinds()[chain.index % kQueues].queue);
  store_->claim(std::move(request), [this, &chain](Result<store::ClaimReply> result) {
    if (!result.ok()) give_up("claim", result.status());
    if (result->grants.empty() && stopping_.load(std::memory_order_relaxed)) return chain_ends();
    if (result->grants.empty()) return step_claim(chain);
    step_complete(chain, {result->grants[0].id, result->grants[0].fence});
  });
}

void Rig::step_complete(Chain& chain, LeaseRef lease) {
  std::vector<store::Completion> batch;
  batch.push_back({lease, std::nullopt});
  store_->complete(std::move(batch), [this, &chain](Result<store::Each<store::Settled>> result) {
    if (!result.ok()) give_up("complete", result.status());
    if (!(*result)[0].ok()) give_up("complete", (*result)[0].status());
    lives_.fetch_add(1, std::memory_order_relaxed);
    step(chain);
  });
}

void Rig::chain_ends() {
  const std::lock_guard lock(mutex_);
  if (--chains_left_ == 0) ended_.notify_one();
}

Rig::Load Rig::run(std::size_t callers, double seconds, Verbs verbs) {
  std::vector<Chain> chains(callers);
  verbs_ = verbs;
  stopping_ = false;
  chains_left_ = callers;
  const std::size_t before = lives_.load();
  for (std::size_t i = 0; i < callers; ++i) {
    chains[i].index = i;
    step(chains[i]);
  }
  // The first moments start all chains at once; they are not counted.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const std::size_t lives = lives_.load();
  const double began = seconds_now();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const double took = seconds_now() - began;
  const auto done = static_cast<double>(lives_.load() - lives);
  stopping_ = true;
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return chains_left_ == 0; });
  return {done / took, lives_.load() - before};
}

}  // namespace muster::bench
