// The dice behind plan.h.
#include "tests/sim/plan.h"

#include <algorithm>

#include <fmt/format.h>

namespace muster::sim {
namespace {

using namespace std::chrono_literals;

const std::vector<std::string> kTools = {"tool:a", "tool:b", "tool:c", "gpu:x"};
const std::vector<std::string> kZones = {"a", "b"};

Duration ms(std::int64_t count) { return Duration(count); }

RetryPolicy make_retry(Random& random) {
  RetryPolicy retry;
  retry.attempts_max = static_cast<std::uint32_t>(random.between(1, 4));
  retry.backoff_base = ms(random.between(1, 3'000));
  retry.backoff_max = ms(30'000);
  retry.jitter = random.chance(0.5) ? 0.2 : 0;
  if (random.chance(0.3)) retry.non_retryable = {"bad_input"};
  return retry;
}

}  // namespace

QueueName queue_name(std::size_t index) { return QueueName(fmt::format("q{}", index)); }

Plan make_plan(Random& random) {
  Plan plan;
  const bool calm_net = random.chance(0.25);
  if (!calm_net) {
    plan.drop = random.unit() * 0.05;
    plan.repeat = random.unit() * 0.05;
    plan.slow = random.unit() * 0.1;
  }
  const auto sometimes = [&](double share, std::int64_t low, std::int64_t high) {
    return random.chance(share) ? static_cast<std::uint64_t>(random.between(low, high)) : 0;
  };
  plan.crash_every = sometimes(0.8, 60, 600);
  plan.kill_every = sometimes(0.3, 200, 800);
  plan.clean_restart_every = sometimes(0.3, 300, 900);
  plan.sync_trouble_every = sometimes(0.4, 150, 600);
  plan.full_every = sometimes(0.35, 200, 700);
  plan.read_trouble_every = sometimes(0.25, 200, 700);
  plan.clock_jump_every = sometimes(0.4, 150, 600);
  plan.clients = static_cast<std::size_t>(random.between(1, 3));
  plan.workers = static_cast<std::size_t>(random.between(2, 8));
  plan.readers = static_cast<std::size_t>(random.between(1, 2));
  plan.overlapped = random.chance(0.7);
  plan.redo_bytes = static_cast<std::size_t>(random.pick(std::vector<std::int64_t>{2'000, 16'000, 128'000}));
  plan.client_pause = ms(random.between(50, 600));
  plan.engine.claim_poll_every = ms(random.pick(std::vector<std::int64_t>{200, 1'000, 5'000}));
  if (random.chance(0.3)) {
    plan.engine.retention.completed_kept = ms(random.between(20'000, 120'000));
    plan.engine.retention.dead_kept = ms(random.between(60'000, 240'000));
  }
  if (random.chance(0.15)) plan.engine.retention.finished_count_max = static_cast<std::uint64_t>(random.between(20, 80));
  plan.helped = random.chance(0.6);
  return plan;
}

JobSpec make_job(Random& random, const std::vector<JobId>& known, Instant now, std::uint64_t serial) {
  JobSpec job;
  job.ns = NamespaceName(kNamespaces[random.chance(0.2) ? 1 : 0]);
  job.queue = queue_name(random.below(kQueues));
  job.type = JobType(fmt::format("t{}", random.below(kTypes)));
  job.payload.data = fmt::format("{{\"n\":{}}}", serial);
  if (random.chance(0.03))
    job.payload = {std::string(static_cast<std::size_t>(random.between(5'000, 60'000)), 'x'), Encoding::bytes};
  if (random.chance(0.4)) {
    std::vector<std::string> needs{random.pick(kTools)};
    if (random.chance(0.3)) needs.push_back(random.pick(kTools));
    job.needs = CapabilitySet(std::move(needs));
  }
  if (random.chance(0.1)) job.selector = {{"zone", random.pick(kZones)}};
  if (random.chance(0.2)) job.labels = {{"customer", fmt::format("{}", random.below(5))}};
  if (random.chance(0.3)) job.priority = static_cast<std::int32_t>(random.between(-5, 5));
  if (random.chance(0.15))
    job.delay = ms(random.between(1, 30'000));
  else if (random.chance(0.1))
    job.run_at = now + ms(random.between(-5'000, 30'000));
  if (random.chance(0.1)) job.expires_in = ms(random.between(500, 60'000));
  if (random.chance(0.15)) job.timeout = ms(random.between(1'000, 60'000));
  if (random.chance(0.2)) job.lease_ttl = ms(random.between(1'000, 60'000));
  job.retry = make_retry(random);
  job.rescues_max = static_cast<std::uint32_t>(random.between(0, 4));
  if (random.chance(0.7)) job.idempotency_key = fmt::format("key-{}", serial);
  // The mode belongs to the key and the limit too, or the promise about a key would depend on who asks.
  if (random.chance(0.1)) {
    const auto n = random.below(4);
    job.unique = UniqueKey{fmt::format("unique-{}", n), n % 2 == 0 ? UniqueWhile::unfinished : UniqueWhile::waiting};
  }
  if (random.chance(0.2)) {
    const auto n = random.below(3);
    job.concurrency = ConcurrencyKey{fmt::format("single-{}", n), static_cast<std::uint32_t>(n + 1)};
  }
  if (random.chance(0.2)) {
    const auto n = random.below(3);
    job.fairness = FairnessKey{fmt::format("tenant-{}", n), static_cast<std::uint32_t>(n + 1)};
  }
  if (random.chance(0.08))
    job.affinity.sticky_key = fmt::format("sticky-{}", random.below(3));
  else if (random.chance(0.08)) {
    job.affinity.prefer = random.chance(0.5) ? "label:zone=a" : fmt::format("worker:w{}", random.below(4));
    job.affinity.prefer_wait = ms(random.between(100, 10'000));
  }
  if (!known.empty() && random.chance(0.15)) {
    const auto count = random.between(1, 3);
    for (std::int64_t i = 0; i < count; ++i) {
      const JobId& before = random.pick(known);
      if (std::find(job.after.begin(), job.after.end(), before) == job.after.end()) job.after.push_back(before);
    }
    job.on_dependency_failure = random.chance(0.5) ? OnDependencyFailure::cancel : OnDependencyFailure::run;
  }
  if (random.chance(0.2)) job.correlation = fmt::format("trace-{}", serial);
  return job;
}

WorkerSpec make_worker(Random& random, std::size_t index, bool able) {
  WorkerSpec worker;
  worker.id = WorkerId(fmt::format("{}{}", able ? "able" : "w", index));
  worker.ns = NamespaceName(kNamespaces[able ? index % std::size(kNamespaces) : (random.chance(0.2) ? 1 : 0)]);
  std::vector<std::string> tools;
  for (const std::string& tool : kTools)
    if (able || random.chance(0.5)) tools.push_back(tool);
  worker.capabilities = CapabilitySet(std::move(tools));
  // One worker carries one value of a label, so the able ones come in pairs.
  if (able)
    worker.labels = {{"zone", kZones[(index / std::size(kNamespaces)) % kZones.size()]}};
  else if (random.chance(0.5))
    worker.labels = {{"zone", random.pick(kZones)}};
  if (!able && random.chance(0.3)) worker.queues = {queue_name(random.below(kQueues - 1)), queue_name(kQueues - 1)};
  worker.slots = able ? 16 : static_cast<std::uint32_t>(random.between(1, 4));
  worker.dialect = Dialect::http;
  if (!able && random.chance(0.5))
    worker.policy = HeartbeatPolicy{ms(random.between(1'000, 5'000)), ms(random.between(15'000, 40'000))};
  return worker;
}

}  // namespace muster::sim
