// grpc.sleepers, grpc.schedules: how late what is due comes, when much of it is due at once.
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "bench/grpc/measurements.h"
#include "kagzi_v1.grpc.pb.h"

namespace muster::bench::grpc_suite {
namespace {

namespace v1 = kagzi::v1;

constexpr std::size_t kSleepers = 10'000;
constexpr std::size_t kPollers = 64;
constexpr double kSleepersGoalSeconds = 2;
constexpr std::size_t kSchedules = 1'000;
constexpr double kScheduleSeconds = 12;
constexpr double kScheduleGoalMs = 100;
constexpr const char* kQueue = "timers";

std::int64_t wall_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Blocking calls on one connection, for many threads.
class Client {
 public:
  explicit Client(int port) {
    const auto channel = ::grpc::CreateChannel(fmt::format("127.0.0.1:{}", port), ::grpc::InsecureChannelCredentials());
    workflows_ = v1::WorkflowService::NewStub(channel);
    workers_ = v1::WorkerService::NewStub(channel);
    schedules_ = v1::WorkflowScheduleService::NewStub(channel);
  }

  std::string register_worker(int pid) {
    v1::RegisterRequest request;
    request.set_namespace_("default");
    request.set_task_queue(kQueue);
    request.add_workflow_types(kQueue);
    request.set_hostname("bench");
    request.set_pid(pid);
    v1::RegisterResponse response;
    call([&](auto* context) { return workers_->Register(context, request, &response); });
    return response.worker_id();
  }
  bool start(std::size_t number) {
    v1::StartWorkflowRequest request;
    request.set_namespace_("default");
    request.set_external_id(fmt::format("sleeper-{}", number));
    request.set_task_queue(kQueue);
    request.set_workflow_type(kQueue);
    v1::StartWorkflowResponse response;
    return call([&](auto* context) { return workflows_->StartWorkflow(context, request, &response); });
  }
  std::string poll(const std::string& worker) {
    v1::PollTaskRequest request;
    request.set_namespace_("default");
    request.set_worker_id(worker);
    request.set_task_queue(kQueue);
    request.add_workflow_types(kQueue);
    v1::PollTaskResponse response;
    call([&](auto* context) { return workers_->PollTask(context, request, &response); }, 20);
    return response.run_id();
  }
  bool sleep(const std::string& run, std::int64_t ms) {
    v1::SleepRequest request;
    request.set_namespace_("default");
    request.set_run_id(run);
    request.set_step_id("nap");
    request.mutable_duration()->set_seconds(ms / 1'000);
    request.mutable_duration()->set_nanos(static_cast<int>(ms % 1'000 * 1'000'000));
    v1::SleepResponse response;
    return call([&](auto* context) { return workers_->Sleep(context, request, &response); });
  }
  bool complete(const std::string& run) {
    v1::CompleteWorkflowRequest request;
    request.set_namespace_("default");
    request.set_run_id(run);
    v1::CompleteWorkflowResponse response;
    return call([&](auto* context) { return workers_->CompleteWorkflow(context, request, &response); });
  }
  std::string create_schedule(const std::string& cron) {
    v1::CreateWorkflowScheduleRequest request;
    request.set_namespace_("default");
    request.set_task_queue(kQueue);
    request.set_workflow_type(kQueue);
    request.set_cron_expr(cron);
    v1::CreateWorkflowScheduleResponse response;
    call([&](auto* context) { return schedules_->CreateWorkflowSchedule(context, request, &response); });
    return response.schedule().schedule_id();
  }
  // Milliseconds past the full second at which each run was made.
  std::vector<double> lateness() {
    std::vector<double> out;
    std::string token;
    do {
      v1::ListWorkflowsRequest request;
      request.set_namespace_("default");
      request.mutable_page()->set_page_size(100);
      request.mutable_page()->set_page_token(token);
      v1::ListWorkflowsResponse response;
      if (!call([&](auto* context) { return workflows_->ListWorkflows(context, request, &response); })) break;
      for (const v1::Workflow& run : response.workflows()) out.push_back(run.created_at().nanos() / 1e6);
      token = response.page().has_more() ? response.page().next_page_token() : "";
    } while (!token.empty());
    return out;
  }
  const std::string& trouble() const { return trouble_; }

 private:
  template <class Make>
  bool call(Make make, int seconds = 10) {
    ::grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(seconds));
    const ::grpc::Status status = make(&context);
    if (status.ok()) return true;
    const std::lock_guard lock(mutex_);
    if (trouble_.empty()) trouble_ = status.error_message();
    return false;
  }

  std::unique_ptr<v1::WorkflowService::Stub> workflows_;
  std::unique_ptr<v1::WorkerService::Stub> workers_;
  std::unique_ptr<v1::WorkflowScheduleService::Stub> schedules_;
  std::mutex mutex_;  // leaf
  std::string trouble_;
};

template <class Work>
void on_all_pollers(Work work) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kPollers; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

// All asleep, due within one second; the clock stops when the last has been handed out.
std::vector<Row> sleepers(const Settings& settings) {
  const resp::ProcessPtr server = start_ours(settings, "grpc-sleepers");
  Client client(server->port());
  const std::string worker = client.register_worker(1);
  std::atomic<std::size_t> next = 0;
  const double began = seconds_now();
  std::atomic<std::int64_t> due = wall_ms() + 20'000;
  on_all_pollers([&](std::size_t) {
    for (std::size_t i = next++; i < kSleepers; i = next++) {
      if (!client.start(i)) return;
      const std::string run = client.poll(worker);
      if (run.empty() || !client.sleep(run, due + static_cast<std::int64_t>(i % 1'000) - wall_ms())) return;
    }
  });
  const double slept = seconds_now() - began;
  std::atomic<std::size_t> delivered = 0;
  std::atomic<std::int64_t> last = 0;
  on_all_pollers([&](std::size_t) {
    while (delivered < kSleepers && client.trouble().empty()) {
      const std::string run = client.poll(worker);
      if (run.empty()) return;
      last = wall_ms();
      ++delivered;
      client.complete(run);
    }
  });
  Row row{
      "grpc.sleepers",
      static_cast<double>(last - due) / 1e3,
      std::nullopt,
      Goal::at_most,
      kSleepersGoalSeconds,
      "s",
      fmt::format("{} runs asleep, due within one second: from the first instant to the last delivery; put to sleep in {:.1f} s",
                  kSleepers, slept)};
  row.measured = delivered == kSleepers;
  if (!row.measured) row.note = fmt::format("{} delivered; {}", delivered.load(), client.trouble());
  return {row};
}

std::vector<Row> schedules(const Settings& settings) {
  const resp::ProcessPtr server = start_ours(settings, "grpc-schedules");
  Client client(server->port());
  for (std::size_t i = 0; i < kSchedules; ++i) client.create_schedule(fmt::format("{}/4 * * * * *", i % 4));
  std::this_thread::sleep_for(std::chrono::milliseconds(static_cast<std::int64_t>(kScheduleSeconds * 1e3)));
  std::vector<double> late = client.lateness();
  Row row{"grpc.schedules",
          late.empty() ? 0 : *std::max_element(late.begin(), late.end()),
          std::nullopt,
          Goal::at_most,
          kScheduleGoalMs,
          "ms",
          fmt::format("{} schedules, 250 a second: the latest of {} fires; p50 {:.1f}", kSchedules, late.size(),
                      late.empty() ? 0 : percentile(late, 0.5))};
  row.measured = late.size() >= kSchedules && client.trouble().empty();
  if (!row.measured) row.note = fmt::format("{} fires; {}", late.size(), client.trouble());
  return {row};
}

}  // namespace

std::vector<Measurement> timer_measurements() { return {{{"grpc.sleepers"}, sleepers}, {{"grpc.schedules"}, schedules}}; }

}  // namespace muster::bench::grpc_suite
