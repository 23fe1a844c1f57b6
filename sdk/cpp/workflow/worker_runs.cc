// What a worker does for runs: polls, executes, reports.
#include <fmt/format.h>

#include <charconv>
#include <random>

#include "sdk/cpp/workflow/worker_state.h"

namespace muster::sdk::workflow {
namespace {

constexpr Duration kPollHold{60'000};  // the server's; the call's own timeout comes on top
constexpr Duration kRefusedPause{100};

std::uint64_t number_of(const std::string& text) {
  std::uint64_t value = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::vector<std::shared_ptr<HeldRun>> Worker::State::all_held() const {
  const std::lock_guard lock(mutex);
  std::vector<std::shared_ptr<HeldRun>> runs;
  runs.reserve(held.size());
  for (const auto& [id, run] : held) runs.push_back(run);
  return runs;
}

// False: the worker drains. Otherwise a place is taken for the run that may come.
bool Worker::State::wait_for_room() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] { return draining || held.size() + polling < settings.max_concurrent; });
  if (draining) return false;
  ++polling;
  return true;
}

Result<std::shared_ptr<HeldRun>> Worker::State::poll_once(const std::string& worker) {
  kagzi::v1::PollTaskRequest request;
  request.set_namespace_(settings.connection.ns);
  request.set_worker_id(worker);
  request.set_task_queue(settings.queue);
  for (const auto& [name, handler] : handlers) request.add_workflow_types(name);
  grpc::ClientContext context;
  poll_link.prepare(context, kPollHold);
  context.AddMetadata("muster-slots", std::to_string(settings.max_concurrent));
  {
    const std::lock_guard lock(mutex);
    if (draining) return std::shared_ptr<HeldRun>();
    polls.insert(&context);
  }
  kagzi::v1::PollTaskResponse answer;
  const grpc::Status status = poll_link.workers().PollTask(&context, request, &answer);
  {
    const std::lock_guard lock(mutex);
    polls.erase(&context);
  }
  if (!status.ok()) return wire::error_of(status, "poll");
  if (answer.run_id().empty()) return std::shared_ptr<HeldRun>();
  auto run = std::make_shared<HeldRun>();
  run->facts = {.run_id = answer.run_id(),
                .type = answer.workflow_type(),
                .queue = settings.queue,
                .ns = settings.connection.ns,
                .input = answer.input().data(),
                .fence = number_of(wire::trailer(context, "muster-fence")),
                .attempt = static_cast<std::uint32_t>(number_of(wire::trailer(context, "muster-attempt"))),
                .worker_id = worker};
  return run;
}

void Worker::State::poll_loop() {
  Backoff backoff(kReconnect, std::random_device{}());
  while (wait_for_room()) {
    const std::string worker = id();
    Result<std::shared_ptr<HeldRun>> run = poll_once(worker);
    if (run.ok() && *run) take(*run);
    {
      const std::lock_guard lock(mutex);
      --polling;
      changed.notify_all();
    }
    if (run.ok()) {
      backoff.reset();
      continue;
    }
    const Error& error = run.error();
    // Held to the end of its time without an answer: as good as an empty one.
    if (error.code == Code::outcome_unknown || (error.code == Code::interrupted && is_draining())) continue;
    if (error.code == Code::not_found || error.code == Code::conflict) {
      refresh(worker);
      if (!pause_unless_draining(kRefusedPause)) return;
      continue;
    }
    if (error.code == Code::unauthenticated || error.code == Code::permission_denied || error.code == Code::invalid_argument)
      return give_up(error);
    const Duration wait = backoff.next();
    say(fmt::format("{}; next try in {} ms", error.text(), wait.count()));
    if (!pause_unless_draining(wait)) return;
  }
}

void Worker::State::take(std::shared_ptr<HeldRun> run) {
  {
    const std::lock_guard lock(mutex);
    held.insert_or_assign(run->facts.run_id, run);
  }
  crew.post([self = shared_from_this(), run] {
    self->execute(*run);
    const std::lock_guard lock(self->mutex);
    // Parked and handed back to this very worker, it may be here under another lease already.
    if (const auto it = self->held.find(run->facts.run_id); it != self->held.end() && it->second == run) self->held.erase(it);
    self->changed.notify_all();
  });
}

void Worker::State::execute(HeldRun& run) {
  GrpcRunPort port(link, run.facts, kReconnect, [this, &run](Duration wait) { return pause(wait, &run.lost); });
  detail::RunCore core(run.facts, port, surroundings, step_crew);
  {
    const std::lock_guard lock(run.mutex);
    run.core = &core;
  }
  if (run.lost.load(std::memory_order_acquire)) core.lose();
  Context context(core);
  Result<std::string> output = std::string();
  bool bad_input = false;
  const auto failed = [](std::string message) { return Error{Code::internal, 0, std::move(message), {}}; };
  try {
    const auto handler = handlers.find(run.facts.type);
    // Attempt 0: a server that does not count them.
    if (run.facts.attempt != 1) core.recall();
    if (handler != handlers.end())
      output = handler->second(context, run.facts.input);
    else
      output = failed(fmt::format("this worker has no workflow '{}'", run.facts.type));
  } catch (const Unwind&) {
    // Parked or lost; the core knows.
  } catch (const BadInput&) {
    bad_input = true;
    output = failed(detail::message_of(std::current_exception()));
  } catch (...) {
    output = failed(detail::message_of(std::current_exception()));
  }
  if (!core.gone()) report(port, run, output, bad_input);
  {
    const std::lock_guard lock(mutex);
    if (core.lost()) {
      ++counts.dropped;
    } else if (core.gone()) {
      ++counts.parked;
    }
  }
  const std::lock_guard lock(run.mutex);
  run.core = nullptr;
}

void Worker::State::report(GrpcRunPort& port, HeldRun& run, const Result<std::string>& output, bool bad_input) {
  std::string failure = output.ok() ? std::string() : output.error().detail;
  if (output.ok()) {
    const Result<Nothing> told = port.complete_run(*output);
    // An output that the server refuses (too large) is the workflow's failure: left unsaid, the run would never end.
    if (!told.ok() && told.error().code == Code::invalid_argument) failure = detail::wire_text(told.error().detail);
    if (failure.empty()) {
      const std::lock_guard lock(mutex);
      ++(told.ok() ? counts.completed : counts.dropped);
      return;
    }
  }
  const Result<Nothing> told = port.fail_run({.message = failure, .bad_input = bad_input});
  if (!told.ok())
    say(fmt::format("run {}: its failure ({}) was not accepted: {}", run.facts.run_id, failure, told.error().text()));
  const std::lock_guard lock(mutex);
  ++(told.ok() ? counts.failed : counts.dropped);
}

}  // namespace muster::sdk::workflow
