#include "sdk/cpp/workflow/context.h"

#include <fmt/format.h>

namespace muster::sdk::workflow {

SignalCall Context::signal_call(std::string_view name, std::optional<Duration> timeout) {
  return {.step = core_.unique_name(name), .signal = std::string(name), .wait = timeout};
}

Approval Context::approval(std::string_view name, std::optional<Duration> timeout) {
  const std::optional<json> decision = signal<json>(name, timeout);
  if (!decision) return {.timed_out = true};
  if (decision->is_boolean()) return {.approved = decision->get<bool>()};
  const auto text = [&](const char* key) {
    const auto it = decision->is_object() ? decision->find(key) : decision->end();
    return it != decision->end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  const auto it = decision->is_object() ? decision->find("approved") : decision->end();
  // Whatever does not clearly say yes is no.
  const bool approved = it != decision->end() && it->is_boolean() && it->get<bool>();
  return {.approved = approved, .timed_out = false, .by = text("by"), .comment = text("comment")};
}

Task<> Context::async_sleep(std::string_view name, Duration length) {
  return detail::sleep_task(core_, core_.unique_name(name), length);
}

Task<> Context::async_sleep_until(std::string_view name, Instant until) {
  return async_sleep(name, std::max(Duration(0), until - now()));
}

namespace detail {

BeginCall begin_call(std::string step, const StepOptions& options) {
  return {.step = std::move(step),
          .kind = StepKind::function,
          .input = options.input.is_null() ? std::string() : encoded("the input of a step", options.input),
          .policy = options.retry};
}

void refuse_value(std::string_view what, const Error& error) { throw CallRefused(fmt::format("{}: {}", what, error.detail)); }

Task<> sleep_task(RunCore& core, std::string step, Duration length) {
  if (!core.remembers(step)) {
    Quiet quiet(core.loop());
    co_await quiet;
  }
  core.sleep(step, length);
}

Task<std::optional<std::string>> signal_task(RunCore& core, SignalCall call) {
  if (!core.remembers(call.step)) {
    Quiet quiet(core.loop());
    co_await quiet;
  }
  co_return core.signal(call);
}

Task<std::string> child_task(RunCore& core, ChildCall call) {
  if (!core.remembers(call.step)) {
    Quiet quiet(core.loop());
    co_await quiet;
  }
  co_return core.child(call);
}

}  // namespace detail
}  // namespace muster::sdk::workflow
