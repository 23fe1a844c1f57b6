// What a workflow is given: steps that are remembered, sleeps that cost nothing, signals, approvals and children.
//
// A workflow may be stopped after any of these calls and begun again from its top, by another process, days later. What a step
// gave is then read from the run's memory instead of being done again; so whatever has an effect, or is not the same each time
// (time, random numbers, the network), belongs into a step, and the code between steps must come to the same calls again.
//
// Calls that wait longer than a moment (sleep, signal, child, the retry of a step) leave the workflow by an internal throw
// (Unwind, errors.h); destructors run, and the run holds neither thread nor slot while it waits. The async_ forms are for
// coroutines, and let steps run side by side.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sdk/cpp/workflow/codec.h"
#include "sdk/cpp/workflow/run_core.h"
#include "sdk/cpp/workflow/task.h"

namespace muster::sdk::workflow {

struct StepOptions {
  RetryPolicy retry{};
  json input{};  // recorded for people who read the history; null: none
};

struct ChildOptions {
  std::string queue{};        // empty: the parent's
  std::string external_id{};  // empty: the server makes one
  std::string version{};
};

// How somebody decided. Sent as a signal: true, false, or {"approved": true, "by": "…", "comment": "…"}.
struct Approval {
  bool approved = false;
  bool timed_out = false;
  std::string by{};
  std::string comment{};
};

class Context {
 public:
  explicit Context(detail::RunCore& core) : core_(core) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const std::string& run_id() const { return core_.facts().run_id; }
  const std::string& type() const { return core_.facts().type; }
  const std::string& queue() const { return core_.facts().queue; }
  const std::string& ns() const { return core_.facts().ns; }
  // Claims of this run so far; each sleep and each wait ends one.
  std::uint32_t attempt() const { return core_.facts().attempt; }
  // The worker's clock; not remembered.
  Instant now() const { return core_.now(); }
  // The run was cancelled, belongs to another worker, or this one ends. Long steps look at it; any thread.
  bool cancelled() const { return core_.lost(); }
  // Still going over what an earlier claim did.
  bool replaying() const { return core_.replaying(); }
  // A line for the worker's log, with the run's name. Silent while replaying, so that it is written once.
  void log(std::string_view line) const { core_.log(line); }

  // Runs `fn` once and remembers what it gave. An exception fails the attempt, which is tried again as the policy says; when that
  // is over, StepFailed is thrown here. A name that is used again stands for another step.
  template <class Fn>
  auto step(std::string_view name, Fn&& fn) {
    return step(name, StepOptions{}, std::forward<Fn>(fn));
  }
  template <class Fn>
  auto step(std::string_view name, const StepOptions& options, Fn&& fn) -> std::invoke_result_t<Fn&>;

  // At least this long, from milliseconds to years.
  void sleep(Duration length) { sleep("sleep", length); }
  void sleep(std::string_view name, Duration length) { core_.sleep(core_.unique_name(name), length); }
  void sleep_until(Instant until) { sleep_until("sleep", until); }
  void sleep_until(std::string_view name, Instant until) { sleep(name, std::max(Duration(0), until - now())); }

  // The oldest signal of this name that no wait has taken; empty: none came in time.
  template <class T = json>
  std::optional<T> signal(std::string_view name, std::optional<Duration> timeout = {}) {
    return taken<T>(name, core_.signal(signal_call(name, timeout)));
  }
  Approval approval(std::string_view name, std::optional<Duration> timeout = {});

  // Starts a run of another workflow and waits for its end; ChildFailed when it does not complete.
  template <class Out = json, class In = json>
  Out child(std::string_view step, std::string_view type, const In& input, const ChildOptions& options = {}) {
    return decoded<Out>(step, core_.child(child_call(step, type, input, options)));
  }

  // The same for coroutines. Steps that are awaited together (when_all) run side by side; waits come one after the other.
  template <class Fn>
  Task<std::invoke_result_t<Fn&>> async_step(std::string_view name, Fn fn) {
    return async_step(name, StepOptions{}, std::move(fn));
  }
  template <class Fn>
  Task<std::invoke_result_t<Fn&>> async_step(std::string_view name, const StepOptions& options, Fn fn);
  Task<> async_sleep(Duration length) { return async_sleep("sleep", length); }
  Task<> async_sleep(std::string_view name, Duration length);
  Task<> async_sleep_until(std::string_view name, Instant until);
  template <class T = json>
  Task<std::optional<T>> async_signal(std::string_view name, std::optional<Duration> timeout = {});
  template <class Out = json, class In = json>
  Task<Out> async_child(std::string_view step, std::string_view type, const In& input, const ChildOptions& options = {});

  detail::RunCore& core() { return core_; }

 private:
  SignalCall signal_call(std::string_view name, std::optional<Duration> timeout);
  template <class In>
  ChildCall child_call(std::string_view step, std::string_view type, const In& input, const ChildOptions& options);
  template <class T>
  static T decoded(std::string_view what, const std::string& text);
  template <class T>
  static std::optional<T> taken(std::string_view what, const std::optional<std::string>& data) {
    if (!data) return std::nullopt;
    return decoded<T>(what, *data);
  }

  detail::RunCore& core_;
};

namespace detail {

BeginCall begin_call(std::string step, const StepOptions& options);
[[noreturn]] void refuse_value(std::string_view what, const Error& error);

// What was recorded, or what fn gives now; recorded in turn. Leaves an exception of fn to the caller.
template <class Fn>
auto perform([[maybe_unused]] const BeginCall& call, const Begun& begun, Fn& fn) -> std::invoke_result_t<Fn&> {
  using R = std::invoke_result_t<Fn&>;
  if constexpr (std::is_void_v<R>) {
    if (begun.execute) fn();
  } else {
    if (begun.execute) return fn();
    Result<R> known = decode<R>(begun.output);
    if (!known.ok()) refuse_value("the recorded output of step '" + call.step + "'", known.error());
    return *std::move(known);
  }
}

template <class R>
std::string encoded(std::string_view what, const R& value) {
  Result<std::string> text = encode(value);
  if (!text.ok()) refuse_value(what, text.error());
  return *std::move(text);
}

// Begin, function and completion of one step on a thread of the crew. What the function threw is left in `thrown`, for the run's
// own thread to report; everything else is in `slot`.
template <class Fn, class R>
void perform_apart(RunCore& core, const BeginCall& call, Fn& fn, Slot<R>& slot, std::exception_ptr& thrown) noexcept {
  try {
    const Begun begun = core.begin(call);
    try {
      if constexpr (std::is_void_v<R>) {
        perform(call, begun, fn);
        slot.value.emplace();
      } else {
        slot.value.emplace(perform(call, begun, fn));
      }
    } catch (const Unwind&) {
      throw;
    } catch (...) {
      if (!begun.execute) throw;
      thrown = std::current_exception();
      return;
    }
    if (!begun.execute) return;
    if constexpr (std::is_void_v<R>) {
      core.complete(call.step, "null");
    } else {
      core.complete(call.step, encoded("the output of step '" + call.step + "'", *slot.value));
    }
  } catch (...) {
    slot.failure = std::current_exception();
  }
}

template <class Fn>
Task<std::invoke_result_t<Fn&>> step_task(RunCore& core, BeginCall call, Fn fn) {
  using R = std::invoke_result_t<Fn&>;
  Slot<R> slot;
  std::exception_ptr thrown;
  Offload elsewhere(core.loop(), [&core, &call, &fn, &slot, &thrown] { perform_apart(core, call, fn, slot, thrown); });
  co_await elsewhere;
  if (thrown) {
    Quiet quiet(core.loop());
    co_await quiet;
    core.fail(call.step, thrown);
  }
  if (slot.failure) std::rethrow_exception(slot.failure);
  if constexpr (!std::is_void_v<R>) co_return std::move(*slot.value);
}

Task<> sleep_task(RunCore& core, std::string step, Duration length);
Task<std::optional<std::string>> signal_task(RunCore& core, SignalCall call);
Task<std::string> child_task(RunCore& core, ChildCall call);

template <class T>
Task<std::optional<T>> decoded_signal(Task<std::optional<std::string>> raw, std::string name) {
  const std::optional<std::string> data = co_await raw;
  if (!data) co_return std::nullopt;
  Result<T> value = decode<T>(*data);
  if (!value.ok()) refuse_value("signal '" + name + "'", value.error());
  co_return *std::move(value);
}

template <class T>
Task<T> decoded_child(Task<std::string> raw, std::string step) {
  const std::string data = co_await raw;
  Result<T> value = decode<T>(data);
  if (!value.ok()) refuse_value("the output of child '" + step + "'", value.error());
  co_return *std::move(value);
}

}  // namespace detail

template <class Fn>
auto Context::step(std::string_view name, const StepOptions& options, Fn&& fn) -> std::invoke_result_t<Fn&> {
  using R = std::invoke_result_t<Fn&>;
  const BeginCall call = detail::begin_call(core_.unique_name(name), options);
  const Begun begun = core_.begin(call);
  detail::Slot<R> slot;
  try {
    if constexpr (std::is_void_v<R>) {
      detail::perform(call, begun, fn);
    } else {
      slot.value.emplace(detail::perform(call, begun, fn));
    }
  } catch (const Unwind&) {
    throw;
  } catch (...) {
    if (!begun.execute) throw;
    slot.failure = std::current_exception();
  }
  if (slot.failure) core_.fail(call.step, slot.failure);
  if constexpr (std::is_void_v<R>) {
    if (begun.execute) core_.complete(call.step, "null");
  } else {
    if (begun.execute) core_.complete(call.step, detail::encoded("the output of step '" + call.step + "'", *slot.value));
    return std::move(*slot.value);
  }
}

template <class Fn>
Task<std::invoke_result_t<Fn&>> Context::async_step(std::string_view name, const StepOptions& options, Fn fn) {
  return detail::step_task(core_, detail::begin_call(core_.unique_name(name), options), std::move(fn));
}

template <class T>
Task<std::optional<T>> Context::async_signal(std::string_view name, std::optional<Duration> timeout) {
  return detail::decoded_signal<T>(detail::signal_task(core_, signal_call(name, timeout)), std::string(name));
}

template <class Out, class In>
Task<Out> Context::async_child(std::string_view step, std::string_view type, const In& input, const ChildOptions& options) {
  return detail::decoded_child<Out>(detail::child_task(core_, child_call(step, type, input, options)), std::string(step));
}

template <class In>
ChildCall Context::child_call(std::string_view step, std::string_view type, const In& input, const ChildOptions& options) {
  return {.step = core_.unique_name(step),
          .queue = options.queue,
          .type = std::string(type),
          .input = detail::encoded("the input of child '" + std::string(step) + "'", input),
          .external_id = options.external_id,
          .version = options.version};
}

template <class T>
T Context::decoded(std::string_view what, const std::string& text) {
  Result<T> value = decode<T>(text);
  if (!value.ok()) detail::refuse_value(what, value.error());
  return *std::move(value);
}

}  // namespace muster::sdk::workflow
