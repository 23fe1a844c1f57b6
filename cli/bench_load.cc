#include "cli/bench_load.h"

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

namespace muster::cli {
namespace {

using Steady = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr sdk::Duration kClaimWait = 5s;
constexpr int kEmptyClaimsMax = 6;         // half a minute without a job that must be there
constexpr std::uint32_t kTidyMax = 1'000;  // one page
constexpr auto kLookEvery = 50ms;

// Shared by the connections of one run.
struct Shared {
  const sdk::ClientOptions& server;
  const BenchPlan& plan;
  std::string queue;
  std::atomic<std::uint64_t> to_submit;
  std::atomic<std::uint64_t> completed = 0;
  std::atomic<std::uint32_t> ready = 0;
  std::atomic<bool> go = false;
  std::atomic<bool> stop = false;
  std::mutex mutex;  // guards what follows
  std::optional<sdk::Error> error;
  BenchReport report;

  void fail(const sdk::Error& why) {
    stop = true;
    const std::lock_guard lock(mutex);
    if (!error) error = why;
  }
};

std::string payload_of(std::uint32_t bytes) {
  constexpr std::string_view kFrame = R"({"pad":""})";
  const std::size_t pad = bytes > kFrame.size() ? bytes - kFrame.size() : 0;
  return fmt::format(R"({{"pad":"{}"}})", std::string(pad, 'x'));
}

class Connection {
 public:
  Connection(Shared& shared, std::uint32_t number) : shared_(shared), name_(fmt::format("{}-{}", shared.queue, number)) {}

  void run() {
    auto client = sdk::Client::open(shared_.server);
    if (!client.ok()) return shared_.fail(client.error());
    client_ = std::move(*client);
    sdk::JobSpec spec;
    spec.ns = shared_.plan.ns;
    spec.queue = shared_.queue;
    spec.type = "bench";
    spec.payload = sdk::Content{.data = payload_of(shared_.plan.payload_bytes), .binary = false};
    const sdk::Result<std::string> document = sdk::encode(spec);
    if (!document.ok()) return shared_.fail(document.error());
    document_ = *document;
    if (!join()) return;
    ++shared_.ready;
    while (!shared_.go && !shared_.stop) std::this_thread::sleep_for(1ms);
    while (!shared_.stop && one_round()) {
    }
    static_cast<void>(client_->unregister_worker({.ns = shared_.plan.ns, .worker = name_, .session = me_.session}).ok());
    const std::lock_guard lock(shared_.mutex);
    for (std::size_t i = 0; i < phases_.size(); ++i) shared_.report.phases[i].latency.merge(phases_[i]);
  }

 private:
  bool join() {
    sdk::WorkerSpec worker;
    worker.ns = shared_.plan.ns;
    worker.id = name_;
    worker.queues = {shared_.queue};
    worker.slots = shared_.plan.batch;
    worker.version = "bench";
    const sdk::Result<sdk::Registered> answer = client_->register_worker(worker);
    if (!answer.ok()) {
      shared_.fail(answer.error());
      return false;
    }
    me_ = *answer;
    beat_at_ = Steady::now() + me_.heartbeat;
    return true;
  }

  // The heartbeat goes between rounds, outside the measured calls.
  bool stay_alive() {
    if (Steady::now() < beat_at_) return true;
    beat_at_ = Steady::now() + me_.heartbeat;
    const auto reply = client_->heartbeat(
        {.ns = shared_.plan.ns, .worker = name_, .session = me_.session, .stats = {}, .held = {}, .accepting = true});
    return checked(reply);
  }

  template <class T>
  bool checked(const sdk::Result<T>& answer) {
    if (!answer.ok()) shared_.fail(answer.error());
    return answer.ok();
  }

  template <class Call>
  auto timed(std::size_t phase, Call call) {
    const auto begin = Steady::now();
    auto answer = call();
    phases_[phase].add(Steady::now() - begin);
    return answer;
  }

  bool one_round() {
    const std::uint64_t mine = take_share();
    if (mine == 0 || !stay_alive()) return false;
    const auto begin = Steady::now();
    if (!submit(mine) || !claim_and_complete(mine)) return false;
    phases_[3].add(Steady::now() - begin);
    return true;
  }

  std::uint64_t take_share() {
    std::uint64_t left = shared_.to_submit;
    for (;;) {
      const std::uint64_t mine = std::min<std::uint64_t>(left, shared_.plan.batch);
      if (mine == 0 || shared_.to_submit.compare_exchange_weak(left, left - mine)) return mine;
    }
  }

  bool submit(std::uint64_t count) {
    const std::vector<std::string> documents(count, document_);
    return checked(timed(0, [&] { return client_->submit_documents(documents); }));
  }

  bool claim_and_complete(std::uint64_t owed) {
    int empty = 0;
    while (owed > 0) {
      if (shared_.stop || !stay_alive()) return false;
      sdk::ClaimRequest request;
      request.ns = shared_.plan.ns;
      request.worker = name_;
      request.session = me_.session;
      request.limit = static_cast<std::uint32_t>(owed);
      request.wait = kClaimWait;
      const auto claimed = timed(1, [&] { return client_->claim(request); });
      if (!checked(claimed)) return false;
      if (claimed->grants.empty()) {
        if (++empty < kEmptyClaimsMax) continue;
        shared_.fail({.code = sdk::Code::internal,
                      .status = 0,
                      .detail = "no job came for half a minute although some are waiting",
                      .retry_after = {}});
        return false;
      }
      std::vector<sdk::LeaseRef> leases;
      for (const sdk::Grant& grant : claimed->grants) leases.push_back(grant.lease);
      if (!complete(leases)) return false;
      owed -= leases.size();
      shared_.completed += leases.size();
    }
    return true;
  }

  bool complete(const std::vector<sdk::LeaseRef>& leases) {
    if (leases.size() == 1) return checked(timed(2, [&] { return client_->complete(leases.front(), std::nullopt); }));
    const auto settled = timed(2, [&] { return client_->complete_many(leases, std::nullopt); });
    if (!checked(settled)) return false;
    for (const sdk::Result<sdk::Settled>& one : *settled)
      if (!checked(one)) return false;
    return true;
  }

  Shared& shared_;
  const std::string name_;
  std::unique_ptr<sdk::Client> client_;
  std::string document_;
  sdk::Registered me_;
  Steady::time_point beat_at_{};
  std::array<LatencyHistogram, 4> phases_{};
};

// What an early end left waiting is cancelled: a benchmark leaves no work behind. Best effort; the queue is named in the report.
void tidy_up(const sdk::ClientOptions& server, const BenchPlan& plan, const std::string& queue) {
  const auto client = sdk::Client::open(server);
  if (!client.ok()) return;
  sdk::JobQuery query;
  query.filter.ns = plan.ns;
  query.filter.queue = queue;
  query.filter.states = {"ready", "scheduled"};
  query.limit = kTidyMax;
  const auto page = (*client)->jobs(query);
  if (!page.ok() || page->jobs.empty()) return;
  std::vector<std::string> ids;
  for (const sdk::Job& job : page->jobs) ids.push_back(job.id);
  static_cast<void>((*client)->cancel_many(ids, "the benchmark ended early").ok());
}

}  // namespace

sdk::Result<BenchReport> run_bench(const sdk::ClientOptions& server, const BenchPlan& plan,
                                   const std::function<bool(std::uint64_t)>& progress) {
  std::random_device random;
  Shared shared{.server = server,
                .plan = plan,
                .queue = fmt::format("bench-{:08x}", random()),
                .to_submit = plan.jobs,
                .mutex = {},
                .error = {},
                .report = {}};
  std::vector<Connection> connections;
  connections.reserve(plan.connections);
  for (std::uint32_t i = 0; i < plan.connections; ++i) connections.emplace_back(shared, i);
  std::vector<std::thread> threads;
  for (Connection& connection : connections) threads.emplace_back([&connection] { connection.run(); });

  // The clock starts when every connection is open and registered.
  while (shared.ready < plan.connections && !shared.stop) std::this_thread::sleep_for(1ms);
  const auto begin = Steady::now();
  shared.go = true;
  auto end = begin;
  while (!shared.stop && shared.completed < plan.jobs) {
    if (!progress(shared.completed)) shared.stop = true;
    const auto look = Steady::now() + kLookEvery;
    while (Steady::now() < look && shared.completed < plan.jobs && !shared.stop) std::this_thread::sleep_for(1ms);
  }
  end = Steady::now();
  for (std::thread& thread : threads) thread.join();
  if (shared.completed < plan.jobs) tidy_up(server, plan, shared.queue);
  if (shared.error) return *shared.error;
  shared.report.completed = shared.completed;
  shared.report.seconds = std::chrono::duration<double>(end - begin).count();
  shared.report.queue = shared.queue;
  return std::move(shared.report);
}

}  // namespace muster::cli
