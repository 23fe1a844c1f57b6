// What a client does, one small action at a time.
#include "tests/sim/client.h"

#include <algorithm>

namespace muster::sim {
namespace {

constexpr int kTriesMax = 8;
constexpr std::uint64_t kSerialsPerClient = 1'000'000;

bool worth_repeating(Code code) { return code == Code::unavailable || code == Code::outcome_unknown || code == Code::exhausted; }

}  // namespace

void Client::start() {
  after(Duration(random_.between(0, 100)), [this] { act(); });
}

void Client::act() {
  if (world_.peaceful()) return;
  const auto dice = random_.below(100);
  if (dice < 66)
    submit();
  else if (dice < 74)
    cancel();
  else if (dice < 81)
    redrive();
  else if (dice < 88)
    change_queue();
  else if (dice < 91)
    drain_worker();
  else
    look();
  after(Duration(random_.between(0, 2 * world_.plan().client_pause.count())), [this] { act(); });
}

void Client::submit() {
  auto jobs = std::make_shared<std::vector<JobSpec>>();
  const std::int64_t count = random_.chance(0.15) ? random_.between(2, 12) : 1;
  for (std::int64_t i = 0; i < count; ++i)
    jobs->push_back(make_job(random_, known_, world_.clock().now(), index_ * kSerialsPerClient + ++serial_));
  send(std::move(jobs), 0);
}

void Client::send(std::shared_ptr<std::vector<JobSpec>> jobs, int tries) {
  world_.trace().line("client{} submits {} (try {})", index_, jobs->size(), tries);
  World::Request<std::vector<store::Enqueued>> request;
  request.call = [jobs](engine::Engine& engine, auto reply) { engine.jobs().enqueue(*jobs, std::move(reply)); };
  request.hear = [this, jobs, tries](Result<std::vector<store::Enqueued>> result) {
    if (result.ok()) {
      for (const store::Enqueued& entry : *result) known_.push_back(entry.id);
      return;
    }
    world_.trace().line("client{} hears {}", index_, to_string(result.code()));
    const bool keyed = std::all_of(jobs->begin(), jobs->end(), [](const JobSpec& job) { return !job.idempotency_key.empty(); });
    // Without a key a repeat after an unknown outcome could make two of one; after `unavailable` it cannot.
    if (worth_repeating(result.code()) && tries < kTriesMax && (keyed || result.code() != Code::outcome_unknown) &&
        !world_.peaceful())
      after(Duration(random_.between(10, 3'000)), [this, jobs, tries] { send(jobs, tries + 1); });
  };
  world_.rpc(std::move(request));
}

void Client::cancel() {
  if (known_.empty()) return;
  std::vector<store::Cancel> batch{{random_.pick(known_), "changed my mind"}};
  world_.trace().line("client{} cancels j{}", index_, world_.shadow().number(batch[0].job));
  World::Request<store::Each<store::Cancelled>> request;
  request.call = [batch](engine::Engine& engine, auto reply) { engine.jobs().cancel(batch, std::move(reply)); };
  request.hear = [](auto) {};
  world_.rpc(std::move(request));
}

void Client::redrive() {
  if (random_.chance(0.3)) {
    store::RedriveFilter filter;
    filter.filter.ns = NamespaceName(kNamespaces[random_.below(2)]);
    filter.limit = static_cast<std::size_t>(random_.between(1, 5));
    world_.trace().line("client{} redrives the dead of {}", index_, filter.filter.ns.text());
    World::Request<store::Redriven> request;
    request.call = [filter](engine::Engine& engine, auto reply) { engine.jobs().redrive_matching(filter, std::move(reply)); };
    request.hear = [](auto) {};
    return world_.rpc(std::move(request));
  }
  if (known_.empty()) return;
  const std::vector<JobId> jobs{random_.pick(known_)};
  world_.trace().line("client{} redrives j{}", index_, world_.shadow().number(jobs[0]));
  World::Request<store::Each<store::Settled>> request;
  request.call = [jobs](engine::Engine& engine, auto reply) { engine.jobs().redrive(jobs, std::move(reply)); };
  request.hear = [](auto) {};
  world_.rpc(std::move(request));
}

void Client::change_queue() {
  QueueChange change;
  change.ns = NamespaceName(kNamespaces[random_.chance(0.2) ? 1 : 0]);
  change.queue = queue_name(random_.below(kQueues));
  switch (random_.below(5)) {
    case 0:
      change.paused = true;
      change.pause_reason = "maintenance";
      break;
    case 1: change.running_max = static_cast<std::uint32_t>(random_.between(0, 4)); break;
    case 2:
      change.running_max_by_type = {
          {fmt::format("t{}", random_.below(kTypes)), static_cast<std::uint32_t>(random_.between(0, 3))}};
      break;
    case 3:
      change.rate = RateLimit{static_cast<double>(random_.between(0, 20)), Duration(random_.between(500, 5'000)),
                              static_cast<std::uint32_t>(random_.between(1, 5))};
      break;
    default: change.paused = false;
  }
  send_change(change, 0);
  // Somebody remembers to resume; a pause is not meant to be for ever.
  if (change.paused == true)
    after(Duration(random_.between(500, 20'000)), [this, change]() mutable {
      change.paused = false;
      send_change(change, 0);
    });
}

void Client::send_change(QueueChange change, int tries) {
  world_.trace().line("client{} changes {}/{}", index_, change.ns.text(), change.queue.text());
  World::Request<QueueStats> request;
  request.call = [change](engine::Engine& engine, auto reply) { engine.queues().change(change, std::move(reply)); };
  request.hear = [this, change, tries](Result<QueueStats> result) {
    if (worth_repeating(result.code()) && tries < kTriesMax && !world_.peaceful())
      after(Duration(random_.between(10, 2'000)), [this, change, tries] { send_change(change, tries + 1); });
  };
  world_.rpc(std::move(request));
}

void Client::drain_worker() {
  std::vector<store::Drain> batch(1);
  batch[0].ns = NamespaceName(kDefaultNamespace);
  batch[0].worker = WorkerId(fmt::format("w{}", random_.below(world_.plan().workers)));
  batch[0].deadline = Duration(random_.between(0, 20'000));
  batch[0].reason = "operator";
  world_.trace().line("client{} drains {}", index_, batch[0].worker.text());
  World::Request<store::Each<Worker>> request;
  request.call = [batch](engine::Engine& engine, auto reply) { engine.workers().drain(batch, std::move(reply)); };
  request.hear = [](auto) {};
  world_.rpc(std::move(request));
}

void Client::look() {
  if (known_.empty()) return;
  const JobId job = random_.pick(known_);
  if (random_.chance(0.5)) {
    World::Request<engine::Why> request;
    request.call = [job](engine::Engine& engine, auto reply) { engine.jobs().why(job, std::move(reply)); };
    request.hear = [this, job](Result<engine::Why> result) {
      if (result.ok() && result->text.empty())
        world_.shadow().violate("rule 11 (why)", fmt::format("j{} has no reason", world_.shadow().number(job)));
    };
    return world_.rpc(std::move(request));
  }
  store::JobQuery query;
  query.filter.queue = queue_name(random_.below(kQueues));
  query.limit = static_cast<std::size_t>(random_.between(1, 20));
  World::Request<store::JobPage> request;
  request.call = [query](engine::Engine& engine, auto reply) { engine.jobs().list(query, std::move(reply)); };
  request.hear = [](auto) {};
  world_.rpc(std::move(request));
}

void create_namespaces(World& world) {
  World::Request<NamespaceInfo> request;
  request.call = [](engine::Engine& engine, auto reply) {
    NamespaceInfo info;
    info.name = NamespaceName(kNamespaces[1]);
    engine.queues().create_namespace(std::move(info), std::move(reply));
  };
  request.hear = [&world](Result<NamespaceInfo> result) {
    if (!result.ok() && result.code() != Code::already_exists)
      world.timeline().after(Duration(1'000), [&world] { create_namespaces(world); });
  };
  world.rpc(std::move(request));
}

namespace {

void lift(World& world, const QueueChange& change) {
  World::Request<QueueStats> request;
  request.call = [change](engine::Engine& engine, auto reply) { engine.queues().change(change, std::move(reply)); };
  request.hear = [&world, change](Result<QueueStats> result) {
    if (!result.ok()) world.timeline().after(Duration(1'000), [&world, change] { lift(world, change); });
  };
  world.rpc(std::move(request));
}

}  // namespace

void lift_limits(World& world) {
  for (const char* ns : kNamespaces) {
    for (std::size_t i = 0; i < kQueues; ++i) {
      QueueChange change;
      change.ns = NamespaceName(ns);
      change.queue = queue_name(i);
      change.paused = false;
      change.running_max = 0;
      for (std::size_t t = 0; t < kTypes; ++t) change.running_max_by_type[fmt::format("t{}", t)] = 0;
      change.rate = RateLimit{0, Duration(1'000), 1};
      lift(world, change);
    }
  }
}

}  // namespace muster::sim
