#include "sdk/cpp/workflow/run_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::sdk::workflow::detail {
namespace {

// Answers that say that the run is not ours any more.
bool says_lost(const Error& error) {
  switch (error.code) {
    case Code::lease_lost:
    case Code::conflict:
    case Code::not_found:
    case Code::interrupted: return true;
    default: return false;
  }
}

// The length of the UTF-8 sequence at `at`, or 0 when there is none.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 && lead <= 0xF4  ? 4
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                                                           : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  // Overlong forms, surrogates, and what lies beyond the last code point.
  const unsigned char second = byte(at + 1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
      (lead == 0xF4 && second > 0x8F))
    return 0;
  return length;
}

}  // namespace

std::string wire_text(std::string text) {
  std::string out;
  out.reserve(std::min(text.size(), kMessageBytesMax));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    if (out.size() + std::max<std::size_t>(length, 1) > kMessageBytesMax) break;
    if (length == 0 || text[at] == '\0') {
      out.push_back('?');
      ++at;
    } else {
      out.append(text, at, length);
      at += length;
    }
  }
  return out;
}

std::string message_of(const std::exception_ptr& failure) {
  std::string text;
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    text = error.what();
  } catch (...) {
    text = "something that is no std::exception was thrown";
  }
  if (text.empty()) text = "an exception without a message";
  return wire_text(std::move(text));
}

RunCore::RunCore(RunFacts facts, RunPort& port, const Surroundings& surroundings, Crew& crew)
    : facts_(std::move(facts)), port_(port), surroundings_(surroundings), loop_(crew) {}

void RunCore::recall() {
  if (recalled_.load(std::memory_order_acquire)) return;
  const std::lock_guard once(recalling_);
  if (recalled_.load(std::memory_order_acquire)) return;
  auto steps = expect(port_.remembered(), "the history");
  const std::lock_guard lock(memo_mutex_);
  for (Remembered& step : steps) {
    std::string name = step.step;
    memo_.try_emplace(std::move(name), std::move(step));
  }
  memo_left_ = memo_.size();
  recalled_.store(true, std::memory_order_release);
}

std::string RunCore::unique_name(std::string_view name) {
  const auto [it, first] = names_.try_emplace(std::string(name), 1);
  if (first) return std::string(name);
  return fmt::format("{}#{}", name, ++it->second);
}

// A run that its last worker lost is delivered like a new one, so that the memory is asked for in any case.
const Remembered* RunCore::visit(const std::string& step) {
  recall();
  const std::lock_guard lock(memo_mutex_);
  const auto it = memo_.find(step);
  if (it == memo_.end()) return nullptr;
  if (visited_.insert(step).second) --memo_left_;
  return &it->second;  // entries are never changed nor removed once the workflow runs
}

bool RunCore::remembers(const std::string& step) {
  check();
  recall();
  const std::lock_guard lock(memo_mutex_);
  return memo_.contains(step);
}

bool RunCore::replaying() const {
  const std::lock_guard lock(memo_mutex_);
  return memo_left_ > 0;
}

void RunCore::log(std::string_view line) const {
  if (surroundings_.log && !replaying()) surroundings_.log(fmt::format("{} {}: {}", facts_.type, facts_.run_id, line));
}

void RunCore::check() const {
  if (gone()) throw Unwind{};
}

void RunCore::lose() {
  lost_.store(true, std::memory_order_release);
  loop_.wake();
}

void RunCore::leave_parked() {
  parked_.store(true, std::memory_order_release);
  throw Unwind{};
}

template <class T>
T RunCore::expect(Result<T> answer, std::string_view what) {
  if (answer.ok()) return *std::move(answer);
  if (says_lost(answer.error())) {
    lose();
    throw Unwind{};
  }
  throw CallRefused(fmt::format("{} of run {} was refused: {}", what, facts_.run_id, answer.error().text()));
}

Begun RunCore::begin(const BeginCall& call) {
  check();
  if (const Remembered* known = visit(call.step)) {
    if (!known->completed) throw StepFailed(call.step, known->error_message);
    return {.execute = false, .output = known->output};
  }
  BeginCall filled = call;
  if (!filled.policy.attempts_max) filled.policy.attempts_max = surroundings_.steps.attempts_max;
  if (!filled.policy.first_delay) filled.policy.first_delay = surroundings_.steps.first_delay;
  if (!filled.policy.factor) filled.policy.factor = surroundings_.steps.factor;
  if (!filled.policy.delay_max) filled.policy.delay_max = surroundings_.steps.delay_max;
  if (filled.policy.non_retryable.empty()) filled.policy.non_retryable = surroundings_.steps.non_retryable;
  return expect(port_.begin(filled), fmt::format("step '{}'", call.step));
}

void RunCore::complete(const std::string& step, const std::string& output) {
  check();
  expect(port_.complete(step, output), fmt::format("the output of step '{}'", step));
}

void RunCore::fail(const std::string& step, const std::exception_ptr& failure) {
  loop_.wait_for_steps();
  check();
  FailCall call{.step = step, .message = message_of(failure)};
  try {
    std::rethrow_exception(failure);
  } catch (const NonRetryable&) {
    call.retryable = false;
  } catch (const RetryAfter& error) {
    call.retry_after = error.wait();
  } catch (...) {
    // As its policy says.
  }
  const FailAnswer answer = expect(port_.fail(call), fmt::format("the failure of step '{}'", step));
  if (answer.retried) leave_parked();
  throw StepFailed(step, call.message);
}

void RunCore::sleep(const std::string& step, Duration length) {
  if (!begin({.step = step, .kind = StepKind::sleep, .input = {}, .policy = {}}).execute) return;
  loop_.wait_for_steps();
  check();
  expect(port_.sleep(step, length), fmt::format("sleep '{}'", step));
  leave_parked();
}

std::optional<std::string> RunCore::signal(const SignalCall& call) {
  check();
  if (const Remembered* known = visit(call.step)) return known->timed_out ? std::nullopt : std::optional(known->output);
  loop_.wait_for_steps();
  check();
  SignalAnswer answer = expect(port_.await_signal(call), fmt::format("the wait for signal '{}'", call.signal));
  if (answer.parked) leave_parked();
  if (answer.timed_out) return std::nullopt;
  return std::move(answer.data);
}

std::string RunCore::child(const ChildCall& call) {
  check();
  if (const Remembered* known = visit(call.step)) {
    if (!known->completed) throw ChildFailed({known->child_run_id, known->error_kind, known->error_message});
    return known->output;
  }
  loop_.wait_for_steps();
  check();
  ChildAnswer answer = expect(port_.await_child(call), fmt::format("child '{}'", call.step));
  if (answer.parked) leave_parked();
  if (!answer.completed) throw ChildFailed({std::move(answer.run_id), answer.error_kind, answer.error_message});
  return std::move(answer.output);
}

}  // namespace muster::sdk::workflow::detail
