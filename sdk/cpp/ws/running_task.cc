#include "sdk/cpp/ws/running_task.h"

#include <fmt/format.h>

#include <utility>

#include "sdk/cpp/ws/errors.h"
#include "sdk/cpp/ws/resources.h"
#include "sdk/cpp/ws/worker.h"

namespace muster::sdk::ws {
namespace {

// The scheduler judges the time of a next request; ours runs out only when it says nothing at all.
constexpr Duration kNextGrace{5'000};

NextReply failed_next(const session::ErrorCode& code) {
  return {.result = Json::object(), .error_code = std::string(code.code), .error_message = std::string(code.reason)};
}

}  // namespace

void RunningTask::on_cancel(std::function<void()> then) {
  {
    const std::lock_guard lock(mutex_);
    if (!cancelled()) {
      on_cancel_ = std::move(then);
      return;
    }
  }
  then();
}

Result<Nothing> RunningTask::feedback(const Feedback& feedback) {
  if (feedback.progress && !(*feedback.progress >= 0.0 && *feedback.progress <= 1.0))
    return error_of(Code::invalid_argument, fmt::format("progress {} is not from 0 to 1", *feedback.progress));
  std::string payload = feedback_payload(info_, feedback);
  if (payload.size() > kFeedbackBytesMax)
    return error_of(Code::invalid_argument,
                    fmt::format("feedback of {} bytes, at most {} are sent", payload.size(), kFeedbackBytesMax));
  if (!port_.post_feedback(info_.task_id, std::move(payload)))
    return error_of(Code::exhausted, "too much waits for the scheduler: this feedback is left out");
  return Nothing{};
}

Result<NextReply> RunningTask::next(const Json& payload, std::optional<Duration> timeout) {
  if (info_.middleware_chain.empty() || !info_.chain_index)
    return error_of(Code::invalid_argument, fmt::format("task `{}` is no middleware: nothing is next", info_.task_id));
  if (!payload.is_object()) return error_of(Code::invalid_argument, "the payload of a next request is an object");
  const std::string id = port_.next_request_id();
  {
    const std::lock_guard lock(mutex_);
    if (cancelled()) return failed_next(session::kNextCancelled);
    nexts_.emplace(id, std::nullopt);
  }
  port_.post_next(execution_, {.request_id = id, .payload = payload, .timeout = timeout});
  std::unique_lock lock(mutex_);
  const auto is_over = [&] { return cancelled() || nexts_.at(id).has_value(); };
  if (timeout)
    changed_.wait_for(lock, *timeout + kNextGrace, is_over);
  else
    changed_.wait(lock, is_over);
  const std::optional<NextReply> reply = std::move(nexts_.at(id));
  nexts_.erase(id);
  if (reply) return *reply;
  return failed_next(cancelled() ? session::kNextCancelled : session::kNextTimeout);
}

Result<Nothing> RunningTask::keep(Resource resource) {
  Artifact artifact{.resource_id = resource.resource_id,
                    .type = resource.type,
                    .size_bytes = resource.size_bytes,
                    .is_inline = false,
                    .expires_at = resource.expires_at,
                    .metadata = resource.metadata};
  if (auto added = port_.registry().add(std::move(resource)); !added.ok()) return added;
  const std::lock_guard lock(mutex_);
  artifacts_.push_back(std::move(artifact));
  return Nothing{};
}

void RunningTask::cancel() {
  std::function<void()> then;
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_.exchange(true)) return;
    then = std::exchange(on_cancel_, nullptr);
    calling_ = then != nullptr;
  }
  changed_.notify_all();
  if (!then) return;
  then();
  {
    const std::lock_guard lock(mutex_);
    calling_ = false;
  }
  changed_.notify_all();
}

void RunningTask::answer(NextAnswer answer) {
  {
    const std::lock_guard lock(mutex_);
    const auto asked = nexts_.find(answer.request_id);
    if (asked == nexts_.end()) return;  // it waited no longer
    asked->second = std::move(answer.reply);
  }
  changed_.notify_all();
}

void RunningTask::fail_nexts() {
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, reply] : nexts_)
      if (!reply) reply = failed_next(session::kNextCancelled);
  }
  changed_.notify_all();
}

void RunningTask::close() {
  std::unique_lock lock(mutex_);
  on_cancel_ = nullptr;
  changed_.wait(lock, [this] { return !calling_; });
}

std::vector<Artifact> RunningTask::take_artifacts() {
  const std::lock_guard lock(mutex_);
  return std::exchange(artifacts_, {});
}

Outcome Outcome::succeeded(Json result) {
  Outcome outcome;
  outcome.result = std::move(result);
  return outcome;
}

Outcome Outcome::failed(std::string code, std::string message, Json result) {
  Outcome outcome = succeeded(std::move(result));
  outcome.status = Status::failed;
  outcome.code = std::move(code);
  outcome.message = std::move(message);
  return outcome;
}

Outcome Outcome::skipped(Json result) {
  Outcome outcome = succeeded(std::move(result));
  outcome.status = Status::skipped;
  return outcome;
}

Outcome Outcome::cancelled() {
  Outcome outcome;
  outcome.status = Status::cancelled;
  return outcome;
}

}  // namespace muster::sdk::ws
