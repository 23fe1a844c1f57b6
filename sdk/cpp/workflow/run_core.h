// One claimed run in this process: its names, its memo, and the calls that end in an answer, an Unwind or an exception. Context
// and the coroutines are written against it.
//
// The run's thread owns it. Steps that coroutines run side by side call begin() and complete() from other threads; lose() and
// gone() are for any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sdk/cpp/workflow/errors.h"
#include "sdk/cpp/workflow/loop.h"
#include "sdk/cpp/workflow/port.h"

namespace muster::sdk::workflow::detail {

struct Surroundings {
  std::function<Instant()> clock;
  std::function<void(std::string_view)> log;  // may be empty
  RetryPolicy steps;                          // for steps that say nothing themselves
};

// A call that the server refuses for good: too large, too many steps. It fails the workflow.
class CallRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class RunCore {
 public:
  // port, surroundings and crew outlive the run.
  RunCore(RunFacts facts, RunPort& port, const Surroundings& surroundings, Crew& crew);

  const RunFacts& facts() const { return facts_; }
  Instant now() const { return surroundings_.clock(); }
  Loop& loop() { return loop_; }

  // Reads what earlier claims left behind, once; calls that need it do so themselves.
  void recall();
  // The name itself the first time, then `name#2`, `name#3`: a loop may use one name. Run's thread only.
  std::string unique_name(std::string_view name);
  // Known from an earlier claim: asking costs nothing and parks nothing.
  bool remembers(const std::string& step);
  bool replaying() const;
  void log(std::string_view line) const;

  // Throws StepFailed for a step that an earlier claim saw fail for good.
  Begun begin(const BeginCall& call);
  void complete(const std::string& step, const std::string& output);
  // The step threw. Throws StepFailed, or Unwind when it is tried again.
  [[noreturn]] void fail(const std::string& step, const std::exception_ptr& failure);
  // Returns when the sleep is over; throws Unwind when it begins or goes on.
  void sleep(const std::string& step, Duration length);
  // Empty: no signal came in time.
  std::optional<std::string> signal(const SignalCall& call);
  std::string child(const ChildCall& call);

  // Somebody else has the run, it is cancelled, or this worker ends: nothing of it is recorded any more.
  void lose();
  // Lost or parked.
  bool gone() const { return parked_.load(std::memory_order_acquire) || lost(); }
  bool lost() const { return lost_.load(std::memory_order_acquire); }
  void check() const;

 private:
  template <class T>
  T expect(Result<T> answer, std::string_view what);
  [[noreturn]] void leave_parked();
  // What the memo has, counted as visited.
  const Remembered* visit(const std::string& step);

  const RunFacts facts_;
  RunPort& port_;
  const Surroundings& surroundings_;
  Loop loop_;
  std::map<std::string, std::size_t, std::less<>> names_;
  std::mutex recalling_;           // held while the history is read
  mutable std::mutex memo_mutex_;  // leaf; guards what follows
  std::map<std::string, Remembered, std::less<>> memo_;
  std::size_t memo_left_ = 0;  // entries that the replay has not come by yet
  std::set<std::string, std::less<>> visited_;
  std::atomic<bool> recalled_{false};
  std::atomic<bool> parked_{false};
  std::atomic<bool> lost_{false};
};

// What went wrong, as text that the wire takes: valid UTF-8 of at most kMessageBytesMax.
std::string message_of(const std::exception_ptr& failure);
std::string wire_text(std::string text);
inline constexpr std::size_t kMessageBytesMax = 4'000;

}  // namespace muster::sdk::workflow::detail
