// A server for one run in memory: remembers steps, parks, and can lose the lease. For the tests of Context alone.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "sdk/cpp/workflow/port.h"

namespace muster::sdk::workflow {

class FakePort final : public RunPort {
 public:
  struct Known {
    bool completed = false;
    bool failed = false;
    std::string output;
    std::string error;
    int attempts = 0;
    bool asleep = false;
  };

  Result<Begun> begin(const BeginCall& call) override {
    const std::lock_guard lock(mutex);
    begun.push_back(call);
    if (lost) return Error{Code::conflict, 0, "no lease", {}};
    Known& step = steps[call.step];
    if (step.completed) return Begun{.execute = false, .output = step.output};
    if (step.asleep) {
      step.completed = true;
      return Begun{.execute = false, .output = {}};
    }
    ++step.attempts;
    order.push_back(call.step);
    return Begun{};
  }
  Result<Nothing> complete(const std::string& step, const std::string& output) override {
    const std::lock_guard lock(mutex);
    if (lost || parked) return Error{Code::conflict, 0, "no lease", {}};
    steps[step].completed = true;
    steps[step].output = output;
    return Nothing{};
  }
  Result<FailAnswer> fail(const FailCall& call) override {
    const std::lock_guard lock(mutex);
    failures.push_back(call);
    if (lost || parked) return Error{Code::conflict, 0, "no lease", {}};
    Known& step = steps[call.step];
    step.error = call.message;
    if (call.retryable && step.attempts < attempts_max) {
      parked = true;
      return FailAnswer{.retried = true};
    }
    step.failed = true;
    return FailAnswer{};
  }
  Result<Nothing> sleep(const std::string& step, Duration length) override {
    const std::lock_guard lock(mutex);
    slept.push_back(length);
    steps[step].asleep = true;
    parked = true;
    return Nothing{};
  }
  Result<SignalAnswer> await_signal(const SignalCall& call) override {
    const std::lock_guard lock(mutex);
    if (auto it = signals.find(call.signal); it != signals.end() && !it->second.empty()) {
      SignalAnswer answer{.data = it->second.front()};
      it->second.pop_front();
      return answer;
    }
    if (call.wait) return SignalAnswer{.timed_out = true};
    parked = true;
    return SignalAnswer{.parked = true};
  }
  Result<ChildAnswer> await_child(const ChildCall& call) override {
    const std::lock_guard lock(mutex);
    children.push_back(call);
    if (!child) {
      parked = true;
      return ChildAnswer{.parked = true};
    }
    return *child;
  }
  Result<std::vector<Remembered>> remembered() override {
    const std::lock_guard lock(mutex);
    std::vector<Remembered> all;
    for (const auto& [name, step] : steps) {
      const bool last = !order.empty() && order.back() == name;
      if (step.completed) all.push_back({.step = name, .completed = true, .output = step.output});
      if (step.failed && !last) all.push_back({.step = name, .completed = false, .error_message = step.error});
    }
    return all;
  }

  std::mutex mutex;
  std::map<std::string, Known> steps;
  std::vector<std::string> order;  // of executions
  std::vector<BeginCall> begun;
  std::vector<FailCall> failures;
  std::vector<Duration> slept;
  std::map<std::string, std::deque<std::string>> signals;
  std::vector<ChildCall> children;
  std::optional<ChildAnswer> child;
  int attempts_max = 3;
  bool parked = false;
  bool lost = false;
};

}  // namespace muster::sdk::workflow
