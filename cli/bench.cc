// `muster bench`: how fast whole lives of jobs (submit, claim, complete) go through a server, over HTTP as any client would.
//
// Connections each submit, claim and complete, over and over, until the jobs are done. Every connection is a registered worker of
// a queue made for this run, so that nothing else on the server is touched. Who submits a job need not be who claims it.
#include "cli/bench.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/format.h"
#include "cli/terminal.h"

namespace muster::cli {
namespace {

using namespace std::chrono_literals;

constexpr double kRatio = 1.02;
constexpr double kFirstNanos = 1'000;

struct BenchPlan {
  std::string ns;
  std::uint64_t jobs = 10'000;
  std::uint32_t connections = 8;
  std::uint32_t payload_bytes = 64;
  std::uint32_t batch = 1;  // jobs a request
};

struct BenchPhase {
  const char* name = "";
  LatencyHistogram latency;
};

struct BenchReport {
  std::array<BenchPhase, 4> phases{BenchPhase{"submit", {}}, BenchPhase{"claim", {}}, BenchPhase{"complete", {}},
                                   BenchPhase{"life", {}}};
  std::uint64_t completed = 0;
  double seconds = 0;
  std::string queue;
};

constexpr sdk::Duration kClaimWait = 5s;
constexpr int kEmptyClaimsMax = 6;         // half a minute without a job that must be there
constexpr std::uint32_t kTidyMax = 1'000;  // one page
constexpr auto kLookEvery = 50ms;

// Shared by the connections of one run.
struct BenchShared {
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

class BenchConnection {
 public:
  BenchConnection(BenchShared& shared, std::uint32_t number)
      : shared_(shared), name_(fmt::format("{}-{}", shared.queue, number)) {}

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
    beat_at_ = std::chrono::steady_clock::now() + me_.heartbeat;
    return true;
  }

  // The heartbeat goes between rounds, outside the measured calls.
  bool stay_alive() {
    if (std::chrono::steady_clock::now() < beat_at_) return true;
    beat_at_ = std::chrono::steady_clock::now() + me_.heartbeat;
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
    const auto begin = std::chrono::steady_clock::now();
    auto answer = call();
    phases_[phase].add(std::chrono::steady_clock::now() - begin);
    return answer;
  }

  bool one_round() {
    const std::uint64_t mine = take_share();
    if (mine == 0 || !stay_alive()) return false;
    const auto begin = std::chrono::steady_clock::now();
    if (!submit(mine) || !claim_and_complete(mine)) return false;
    phases_[3].add(std::chrono::steady_clock::now() - begin);
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

  BenchShared& shared_;
  const std::string name_;
  std::unique_ptr<sdk::Client> client_;
  std::string document_;
  sdk::Registered me_;
  std::chrono::steady_clock::time_point beat_at_{};
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

// `progress` is called on the calling thread, a few times a second, with the number of completed jobs; false ends the run early.
sdk::Result<BenchReport> run_bench(const sdk::ClientOptions& server, const BenchPlan& plan,
                                   const std::function<bool(std::uint64_t)>& progress) {
  std::random_device random;
  BenchShared shared{.server = server,
                     .plan = plan,
                     .queue = fmt::format("bench-{:08x}", random()),
                     .to_submit = plan.jobs,
                     .mutex = {},
                     .error = {},
                     .report = {}};
  std::vector<BenchConnection> connections;
  connections.reserve(plan.connections);
  for (std::uint32_t i = 0; i < plan.connections; ++i) connections.emplace_back(shared, i);
  std::vector<std::thread> threads;
  for (BenchConnection& connection : connections) threads.emplace_back([&connection] { connection.run(); });

  // The clock starts when every connection is open and registered.
  while (shared.ready < plan.connections && !shared.stop) std::this_thread::sleep_for(1ms);
  const auto begin = std::chrono::steady_clock::now();
  shared.go = true;
  auto end = begin;
  while (!shared.stop && shared.completed < plan.jobs) {
    if (!progress(shared.completed)) shared.stop = true;
    const auto look = std::chrono::steady_clock::now() + kLookEvery;
    while (std::chrono::steady_clock::now() < look && shared.completed < plan.jobs && !shared.stop)
      std::this_thread::sleep_for(1ms);
  }
  end = std::chrono::steady_clock::now();
  for (std::thread& thread : threads) thread.join();
  if (shared.completed < plan.jobs) tidy_up(server, plan, shared.queue);
  if (shared.error) return *shared.error;
  shared.report.completed = shared.completed;
  shared.report.seconds = std::chrono::duration<double>(end - begin).count();
  shared.report.queue = shared.queue;
  return std::move(shared.report);
}

constexpr std::uint64_t kJobsMax = 100'000'000;
constexpr std::uint32_t kConnectionsMax = 1'000;
constexpr std::uint32_t kPayloadMax = 4 * 1024 * 1024;
constexpr std::uint32_t kBatchMax = 1'000;

double millis(std::chrono::nanoseconds latency) { return std::chrono::duration<double, std::milli>(latency).count(); }

std::string latency_text(std::chrono::nanoseconds latency) {
  const double ms = millis(latency);
  return ms < 100 ? fmt::format("{:.2f} ms", ms) : fmt::format("{:.0f} ms", ms);
}

void show_bench(Context& context, const BenchPlan& plan, const BenchReport& report) {
  const double rate = report.seconds > 0 ? static_cast<double>(report.completed) / report.seconds : 0;
  if (!context.wants_table()) {
    nlohmann::ordered_json json{{"jobs", report.completed},
                                {"connections", plan.connections},
                                {"payload_bytes", plan.payload_bytes},
                                {"batch", plan.batch},
                                {"seconds", report.seconds},
                                {"jobs_per_second", rate},
                                {"phases", nlohmann::ordered_json::object()}};
    for (const BenchPhase& phase : report.phases)
      json["phases"][phase.name] = nlohmann::ordered_json{{"count", phase.latency.count()},
                                                          {"p50_ms", millis(phase.latency.quantile(0.50))},
                                                          {"p99_ms", millis(phase.latency.quantile(0.99))},
                                                          {"mean_ms", millis(phase.latency.mean())},
                                                          {"max_ms", millis(phase.latency.max())}};
    context.document(json.dump());
    return;
  }
  Table table({{"PHASE"},
               {"REQUESTS", Align::right},
               {"P50", Align::right},
               {"P99", Align::right},
               {"MEAN", Align::right},
               {"MAX", Align::right}});
  for (const BenchPhase& phase : report.phases)
    table.add({{phase.name},
               {std::to_string(phase.latency.count())},
               {latency_text(phase.latency.quantile(0.50))},
               {latency_text(phase.latency.quantile(0.99))},
               {latency_text(phase.latency.mean())},
               {latency_text(phase.latency.max())}});
  context.table(table);
  context.line("");
  context.line(fmt::format("{:.0f} jobs/s: {} whole lives in {:.2f} s over {} connections, payload {}, {} a request", rate,
                           report.completed, report.seconds, plan.connections, format_bytes(plan.payload_bytes),
                           plan.batch == 1 ? "1 job" : fmt::format("{} jobs", plan.batch)));
}

int bench(Context& context, BenchPlan plan) {
  const sdk::Result<sdk::ClientOptions> server = context.client_options();
  if (!server.ok()) return context.fail("run the benchmark", server.error());
  plan.ns = context.globals().ns;
  catch_interrupts();
  ProgressLine line;
  const auto begin = std::chrono::steady_clock::now();
  const sdk::Result<BenchReport> report = run_bench(*server, plan, [&](std::uint64_t completed) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    line.show_fraction("bench", static_cast<double>(completed) / static_cast<double>(plan.jobs),
                       fmt::format("{} of {}  {}", completed, plan.jobs,
                                   format_rate(static_cast<double>(completed) / std::max(seconds, 0.001))));
    return !interrupted();
  });
  line.clear();
  if (!report.ok()) return context.fail("run the benchmark", report.error());
  show_bench(context, plan, *report);
  if (report->completed == plan.jobs) return to_int(Exit::ok);
  context.note(fmt::format("interrupted; jobs still waiting in queue {} were cancelled", report->queue));
  return to_int(Exit::failure);
}

}  // namespace

void LatencyHistogram::add(std::chrono::nanoseconds latency) {
  const double steps = std::log(std::max(static_cast<double>(latency.count()), kFirstNanos) / kFirstNanos) / std::log(kRatio);
  ++buckets_[std::min(kBuckets - 1, static_cast<std::size_t>(steps))];
  ++count_;
  sum_ += latency;
  max_ = std::max(max_, latency);
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

std::chrono::nanoseconds LatencyHistogram::quantile(double share) const {
  if (count_ == 0) return std::chrono::nanoseconds(0);
  const auto wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_))));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen < wanted) continue;
    const double upper = kFirstNanos * std::pow(kRatio, static_cast<double>(i + 1));
    return std::min(max_, std::chrono::nanoseconds(static_cast<std::int64_t>(upper)));
  }
  return max_;
}

std::chrono::nanoseconds LatencyHistogram::mean() const {
  return count_ == 0 ? std::chrono::nanoseconds(0) : sum_ / static_cast<std::int64_t>(count_);
}

void add_bench_command(CLI::App& app, Context& context) {
  auto [command, plan] = add_command(app, context,
                                     {.name = "bench",
                                      .summary = "load the server with whole lives of jobs and measure them",
                                      .example = "muster bench --jobs 50000 --connections 16 -o json"},
                                     bench);
  command.add_option("--jobs", plan.jobs, "jobs to submit, claim and complete")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, kJobsMax));
  command.add_option("--connections", plan.connections, "clients at one time")
      ->capture_default_str()
      ->check(CLI::Range(1U, kConnectionsMax));
  command.add_option("--payload", plan.payload_bytes, "bytes of payload a job")
      ->capture_default_str()
      ->check(CLI::Range(0U, kPayloadMax));
  command.add_option("--batch", plan.batch, "jobs a request")->capture_default_str()->check(CLI::Range(1U, kBatchMax));
}

}  // namespace muster::cli
