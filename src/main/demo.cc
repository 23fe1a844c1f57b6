#include "main/demo.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "main/demo_agent.h"
#include "sdk/cpp/client.h"
#include "sdk/cpp/worker.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

constexpr auto kSubmitEvery = 250ms;
constexpr std::size_t kJobsPerRound = 5;
constexpr std::uint32_t kSlots = 4;
constexpr auto kSlowStep = 50ms;
constexpr int kSlowSteps = 4;

// One kind of demo job: what it is called and how it is done.
struct Kind {
  std::string_view type;
  std::string_view capability;
  sdk::Outcome (*handle)(sdk::Task&);
};

sdk::Outcome echo(sdk::Task& task) { return sdk::Outcome::completed(task.grant().payload ? task.grant().payload->data : "null"); }

// Fails the first time, so that a retry can be watched.
sdk::Outcome stumble(sdk::Task& task) {
  if (task.grant().attempt < 2) return sdk::Outcome::failed({.kind = "stumbled", .message = "the first attempt always fails"});
  return sdk::Outcome::completed("\"second attempt\"");
}

sdk::Outcome slow(sdk::Task& task) {
  for (int step = 1; step <= kSlowSteps; ++step) {
    if (task.cancelled()) return sdk::Outcome::released("asked to stop");
    std::this_thread::sleep_for(kSlowStep);
    const auto told =
        task.report({.fraction = static_cast<double>(step) / kSlowSteps, .message = "working", .partial = {}, .at = {}});
    if (!told.ok()) return sdk::Outcome::released(told.error().text());
  }
  return sdk::Outcome::completed("\"slow and steady\"");
}

constexpr std::array kKinds{
    Kind{"demo.echo", "demo:echo", echo},
    Kind{"demo.stumble", "demo:stumble", stumble},
    Kind{"demo.slow", "demo:slow", slow},
};

// What goes wrong while the demo runs is said; what it meets on its way out is nobody's trouble.
class Complaints {
 public:
  void operator()(std::string_view what) const {
    if (!quiet_->load(std::memory_order_relaxed)) fmt::print(stderr, "muster: demo: {}\n", what);
  }
  void end() { quiet_->store(true, std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> quiet_ = std::make_shared<std::atomic<bool>>(false);  // shared by the worker's copies
};

class RunningDemo final : public server::Demo {
 public:
  RunningDemo(std::unique_ptr<sdk::Client> client, std::unique_ptr<sdk::Worker> worker, Complaints complaints, std::string run)
      : client_(std::move(client)), worker_(std::move(worker)), complain_(std::move(complaints)), run_(std::move(run)) {
    worker_thread_ = std::thread([this] {
      if (const auto ended = worker_->run(); !ended.ok()) complain_("worker: " + ended.error().text());
    });
    submit_thread_ = std::thread([this] { submit(); });
  }

  ~RunningDemo() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    stop_asked_.notify_all();
    complain_.end();
    submit_thread_.join();
    worker_->drain();
    worker_thread_.join();
  }

  Counts counts() const override {
    const sdk::WorkerCounts done = worker_->counts();
    return {.submitted = submitted_.load(std::memory_order_relaxed), .completed = done.completed, .failed = done.failed};
  }
  std::string agent_run() const override { return run_; }

 private:
  void submit() {
    std::uint64_t number = 0;
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      lock.unlock();
      std::vector<sdk::JobSpec> round(kJobsPerRound);
      for (sdk::JobSpec& job : round) {
        const Kind& kind = kKinds[number % 7 < 5 ? 0 : number % 7 - 4];
        job.queue = "demo";
        job.type = kind.type;
        job.needs = {std::string(kind.capability)};
        job.payload = sdk::Content{.data = fmt::format("{{\"number\":{}}}", ++number), .binary = false};
      }
      if (const auto accepted = client_->submit_many(round); accepted.ok())
        submitted_.fetch_add(accepted->size(), std::memory_order_relaxed);
      else
        complain_("submit: " + accepted.error().text());
      lock.lock();
      stop_asked_.wait_for(lock, kSubmitEvery, [this] { return stopping_; });
    }
  }

  std::unique_ptr<sdk::Client> client_;
  std::unique_ptr<sdk::Worker> worker_;
  Complaints complain_;
  const std::string run_;  // of the agent; empty: there is none
  std::atomic<std::uint64_t> submitted_{0};
  std::mutex mutex_;  // leaf; guards stopping_
  bool stopping_ = false;
  std::condition_variable stop_asked_;
  std::thread worker_thread_;
  std::thread submit_thread_;
};

sdk::Outcome handle(sdk::Task& task) {
  for (const Kind& kind : kKinds)
    if (kind.type == task.grant().type) return kind.handle(task);
  return sdk::Outcome::failed_for_good({.kind = "unknown_type", .message = task.grant().type});
}

}  // namespace

std::unique_ptr<server::Demo> start_demo(const server::DemoRequest& request) {
  const sdk::ClientOptions address{.server = request.url, .token = request.token, .ca_file = "", .user_agent = "muster-demo"};
  sdk::WorkerOptions options;
  options.spec.id = "demo-worker";
  options.spec.queues = {"demo"};
  options.spec.slots = kSlots;
  for (const Kind& kind : kKinds) options.spec.capabilities.emplace_back(kind.capability);
  const Complaints complain;
  options.log = complain;
  const sdk::agents::Toolbox tools = request.with_agent ? demo_tools() : sdk::agents::Toolbox();
  options.spec = tools.offered(std::move(options.spec));
  auto client = sdk::Client::open(address);
  auto worker = sdk::Worker::open(address, std::move(options), tools.handler(handle));
  if (!client.ok() || !worker.ok()) {
    complain((client.ok() ? worker.error() : client.error()).text());
    return nullptr;
  }
  std::string run;
  if (request.with_agent) {
    if (auto started = start_demo_run(**client, tools); started.ok())
      run = *std::move(started);
    else
      complain("agent: " + started.error().text());
  }
  return std::make_unique<RunningDemo>(std::move(*client), std::move(*worker), complain, std::move(run));
}

}  // namespace muster
