// A task while its handler runs: what task.h promises, as messages to the thread that owns the machine. Private to Worker.
//
// Shared by the handler's thread and the worker's; one leaf mutex guards what both touch, and nothing is called while holding it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/ws/resources.h"
#include "sdk/cpp/ws/task.h"
#include "sdk/cpp/ws/task_payloads.h"
#include "sdk/cpp/ws/task_table.h"

namespace muster::sdk::ws {

// What a running task needs of its worker. Any thread.
class TaskPort {
 public:
  virtual ~TaskPort() = default;
  // False: too much waits for the scheduler.
  virtual bool post_feedback(const std::string& task_id, std::string payload) = 0;
  virtual void post_next(Execution execution, NextAsk ask) = 0;
  virtual std::string next_request_id() = 0;
  virtual ResourceRegistry& registry() = 0;
};

class RunningTask final : public Task {
 public:
  RunningTask(TaskPort& port, Execution execution, TaskInfo info, std::vector<Resource> resources)
      : port_(port), execution_(execution), info_(std::move(info)), resources_(std::move(resources)) {}

  const TaskInfo& info() const override { return info_; }
  bool cancelled() const override { return cancelled_.load(); }
  void on_cancel(std::function<void()> then) override;
  Result<Nothing> feedback(const Feedback& feedback) override;
  Result<NextReply> next(const Json& payload, std::optional<Duration> timeout) override;
  const std::vector<Resource>& resources() const override { return resources_; }
  Result<Nothing> keep(Resource resource) override;

  // --- for the worker ---
  void cancel();
  void answer(NextAnswer answer);
  // The session in which they were asked is over: nobody will answer.
  void fail_nexts();
  // The handler is about to return: waits for what it gave to on_cancel(), and nothing of it is called any more.
  void close();
  std::vector<Artifact> take_artifacts();

 private:
  TaskPort& port_;
  const Execution execution_;
  const TaskInfo info_;
  const std::vector<Resource> resources_;
  std::atomic<bool> cancelled_ = false;
  std::mutex mutex_;  // leaf; guards what follows
  std::condition_variable changed_;
  std::map<std::string, std::optional<NextReply>, std::less<>> nexts_;  // asked; set: answered
  std::function<void()> on_cancel_;
  bool calling_ = false;  // on_cancel_, right now
  std::vector<Artifact> artifacts_;
};

}  // namespace muster::sdk::ws
