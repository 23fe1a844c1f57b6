// What is behind Worker: the core with its clock and its socket, the thread that owns both, and the threads of handlers. Private;
// tests make one with a clock of theirs.
//
// Everything of the core happens on the I/O thread. Other threads post work to it and wake it; one leaf mutex guards what they
// share, and nothing is called while holding it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "sdk/cpp/crew.h"
#include "sdk/cpp/resp/stream.h"
#include "sdk/cpp/ws/core.h"
#include "sdk/cpp/ws/instance_id.h"
#include "sdk/cpp/ws/machine_load.h"
#include "sdk/cpp/ws/running_task.h"
#include "sdk/cpp/ws/worker.h"

namespace muster::sdk::ws {

struct Worker::State final : public TaskPort, public HandlerHost, public std::enable_shared_from_this<State> {
  State(WorkerOptions with, Endpoint where, std::string certificate, std::optional<InstanceId> identity, const Clock& time);
  ~State() override;

  // --- any thread ---
  Result<Nothing> start();
  Result<Nothing> wait();
  bool wait_for_handlers(Duration at_most);
  void drain(Duration deadline);
  WorkerStatus status() const;
  void say(std::string_view line) const;

  // --- handlers' threads ---
  bool post_feedback(const std::string& task_id, std::string payload) override;
  void post_next(Execution execution, NextAsk ask) override;
  std::string next_request_id() override;
  ResourceRegistry& registry() override { return *options.resources; }

  // --- the I/O thread ---
  void begin(Execution execution, const TaskInfo& task, std::vector<Resource> resources) override;
  void cancel(Execution execution) override;
  void answer(Execution execution, NextAnswer answer) override;
  void fail_nexts() override;

  WorkerOptions options;
  std::map<std::string, Handler> handlers;
  std::string mistake;  // in a registration of a handler
  Metrics metrics;

 private:
  using Work = std::function<void()>;

  void post(Work work);
  void wake() const;
  void run_posted();
  void io_loop();
  void connect();
  void exchange_bytes();
  bool flush();
  void drop_stream(std::string_view why);
  void publish();
  void finish();
  void run_handler(const std::shared_ptr<RunningTask>& task, Execution execution, const Handler& handler);
  Moment now() const { return moment_of(clock_); }
  CoreOptions core_options();

  const Clock& clock_;
  const Endpoint endpoint_;
  const std::string fingerprint_;
  const std::optional<InstanceId> identity_;  // its file stays locked
  const std::uint64_t seed_;
  Crew crew_;
  LoadMeter load_;
  int wake_fd_ = -1;
  std::thread io_thread_;

  // Of the I/O thread.
  std::unique_ptr<Core> core_;
  std::unique_ptr<resp::Stream> stream_;
  std::string inbound_;
  std::map<Execution, std::shared_ptr<RunningTask>> tasks_;
  std::uint64_t connections_ = 0;

  std::atomic<std::uint64_t> next_ids_{0};
  std::atomic<std::size_t> feedback_bytes_{0};  // posted and not yet taken by the core
  std::atomic<std::size_t> waiting_bytes_{0};   // in the core, for the scheduler
  std::atomic<std::size_t> waiting_frames_{0};
  std::atomic<std::uint64_t> feedback_dropped_{0};

  mutable std::mutex mutex_;  // leaf; guards what follows
  std::condition_variable changed_;
  std::deque<Work> posted_;
  WorkerStatus status_;
  std::optional<Error> fatal_;
  std::size_t handlers_running_ = 0;
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace muster::sdk::ws
